#!/usr/bin/env python3
"""Checks that prose is easy to read: in Markdown pages no line of prose is wider than 100 columns and
no table cell longer than 120 characters, comments of src and include keep to 100 columns, and
phrases of lab notebooks are absent.
Usage: check_prose.py SOURCE_ROOT"""
import pathlib
import re
import sys
import unicodedata

MOST_COLUMNS = 100
MOST_CELL = 120

FOLDERS = ("apps", "bench", "docs", "experiments", "include", "python", "scenes", "src", "tests",
           "viewer")
DATES_ALLOWED = "docs/performance.md"  # the one page with measurements that need a date

FENCE = re.compile(r"\s*(```|~~~)")
TABLE_ROW = re.compile(r"\s*\|")
CELL_BORDER = re.compile(r"(?<!\\)\|")
LINK_TARGET = re.compile(r"\]\([^)]*\)")
SINGLE_LINK = re.compile(r"\s*([-*] )?!?\[[^\]]*\]\([^)]*\)[.,;]?\s*$")
COMMENT = re.compile(r"\s*(//|\*|/\*)|.*\s//")
DATE = re.compile(r"\b20\d\d-\d\d(-\d\d)?\b")
FORBIDDEN = re.compile(r"\b(was|were) wanted\b|\bbeside (other|another) (job|work)", re.IGNORECASE)


def width(text):
    """Columns on a screen: marks that combine with the letter before them take none."""
    return sum(not unicodedata.combining(letter) for letter in text)


def prose_lines(text):
    """(number, line) outside of fenced blocks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def check_page(name, text):
    for number, line in prose_lines(text):
        place = f"{name}:{number}"
        if TABLE_ROW.match(line):
            for cell in CELL_BORDER.split(line):
                length = width(LINK_TARGET.sub("]", cell.strip()))
                if length > MOST_CELL:
                    yield f"{place}: a table cell of {length} characters, at most {MOST_CELL}"
        elif width(line) > MOST_COLUMNS and not SINGLE_LINK.match(line):
            yield f"{place}: {width(line)} columns, at most {MOST_COLUMNS}"
    # A phrase may be broken at the end of a line: look at the page as a whole.
    for match in FORBIDDEN.finditer(re.sub(r"\n", " ", text)):
        yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: “{match[0]}”"
    if name != DATES_ALLOWED:
        for match in DATE.finditer(text):
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: the date {match[0]}"


def check_comments(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        if width(line) > MOST_COLUMNS and COMMENT.match(line):
            yield f"{name}:{number}: {width(line)} columns, at most {MOST_COLUMNS}"


def violations(root):
    pages = list(root.glob("*.md"))
    for folder in FOLDERS:
        pages += (root / folder).rglob("*.md")
    for page in sorted(pages):
        if "node_modules" not in page.parts:
            yield from check_page(page.relative_to(root).as_posix(),
                                  page.read_text(encoding="utf-8"))
    for folder in ("src", "include"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield from check_comments(path.relative_to(root).as_posix(),
                                          path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
