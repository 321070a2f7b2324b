"""Plain text of comments and docstrings as Markdown."""

import re


def uncommented(lines):
    """The text of a C++ comment."""
    return "\n".join(re.sub(r"^\s*///?<? ?", "", line) for line in lines)


def escaped(text):
    """Marks of Markdown are letters of a comment, except for `code`."""
    parts = re.split(r"(`[^`\n]+`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_\[\]#|])", r"\\\1", part.replace("&", "&amp;").replace("<", "&lt;")) for part in parts)


def capitalised(text):
    return text[:1].upper() + text[1:]


def markdown(text):
    """Indented lines are formulas or code, lines that begin with a dash or a number are lists, the rest is prose."""
    result, block = [], []

    def end_block():
        if block:
            result.append("```text\n" + "\n".join(line[4:] for line in block).rstrip() + "\n```")
            block.clear()

    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines, prose = paragraph.splitlines(), []
        for line in lines:
            if line.startswith("    "):
                if prose:
                    result.append("\n".join(prose))
                    prose = []
                block.append(line)
            else:
                end_block()
                item = re.match(r"\s{0,3}(- |\d+\. )", line)
                if item and prose and not re.match(r"(- |\d+\. )", prose[0]):
                    result.append("\n".join(prose))
                    prose = []
                prose.append(escaped(line.strip()) if not item else item[1] + escaped(line[item.end():]))
        if prose:
            result.append("\n".join(prose))
        if block:
            block.append("    ")
    end_block()
    return "\n\n".join(result) + "\n"
