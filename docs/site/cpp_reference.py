"""Pages on the C++ interface, from the headers: for every room what its headers say of themselves, and what they declare."""

import re

from prose import capitalised, markdown, uncommented

ROOMS = {
    "world": "bodies, shapes, materials, joints and forces: what a simulation holds",
    "step": "time stepping: `Simulation`, its options and reports, forces, sensors",
    "io": "scenes, models of other programs, output files, checkpoints",
    "shape": "shapes, their mass properties, meshes",
    "collide": "contacts, distances and rays between shapes",
    "problem": "contact problems and their files",
    "solve": "solvers, their options and results",
    "contact": "friction sets and laws at one contact",
    "inspect": "what `talus info` tells of a problem",
    "cluster": "simulations over several processes",
    "core": "vectors, threads, errors",
}
SKIPPED = re.compile(r"#(include|pragma|if|endif|else|define|undef)|namespace talus \{|\} // namespace|using namespace")


def split_header(source):
    """The opening comment, and the rest as lines."""
    match = re.match(r"#pragma once\n((?://.*\n)*)", source)
    return uncommented(match[1].splitlines()), source[match.end():].splitlines()


def declarations(lines):
    """(comment lines, code lines) of every declaration of namespace talus."""
    comment, code, depth, hidden = [], [], 0, 0
    for line in lines:
        if hidden or re.match(r"namespace (detail|\{)", line):
            hidden += line.count("{") - line.count("}")
            comment = []
            continue
        stripped = line.strip()
        if not code and (not stripped or SKIPPED.match(stripped)):
            comment = []
        elif not code and stripped.startswith("//"):
            comment.append(stripped)
        else:
            code.append(line)
            bare = re.sub(r'//.*|"[^"]*"', "", line)
            depth += bare.count("{") - bare.count("}") + bare.count("(") - bare.count(")")
            if depth == 0 and bare.rstrip().endswith((";", "}")):
                yield comment, code
                comment, code = [], []


def public_part(code):
    """Without private members, and without the bodies of functions."""
    shown, private = [], False
    for line in code:
        if re.match(r"\s*(private|protected):", line):
            private = True
        elif re.match(r"\s*public:", line):
            private = False
        if not private or line.startswith("}"):
            shown.append(line)
    if not re.match(r"\s*(template|class|struct|enum|inline constexpr|constexpr|using|union)", shown[0]) and "{" in shown[0]:
        return [re.sub(r"\s*\{.*", ";", shown[0])]
    return shown


def title_of(code):
    text = " ".join(line.strip() for line in code)
    kind = re.search(r"\b(class|struct|enum class|enum|using)\s+(?:\[\[\w+\]\]\s*)?(\w+)", text)
    function = re.search(r"([\w~]+|operator\S+?)\s*\(", text)
    if kind and (not function or kind.start() < function.start()):
        return kind[2], True
    return (function[1] if function else text.split("=")[0].split()[-1].rstrip(";{")), False


def header_section(name, source):
    opening, lines = split_header(source)
    text = f"\n## {name}\n\n`#include <talus/{name}>`\n\n{markdown(opening)}"
    loose = []
    for comment, code in declarations(lines):
        title, is_type = title_of(code)
        code = public_part(code)
        if is_type and len(code) > 1:
            text += f"\n### {title}\n\n{markdown(uncommented(comment))}\n```cpp\n" + "\n".join(code) + "\n```\n"
        elif not (is_type and re.match(r"(class|struct) \w+;", code[0])):
            loose += [*comment, *code]
    if loose:
        text += "\n```cpp\n" + "\n".join(loose) + "\n```\n"
    return text


def cpp_pages(headers):
    """{page: text} for the headers below a folder."""
    rooms = sorted({path.relative_to(headers).parts[0] for path in headers.rglob("*.h")},
                   key=lambda room: (list(ROOMS).index(room) if room in ROOMS else len(ROOMS), room))
    pages = {"reference/cpp.md": "# C++\n\nMade from the public headers, room by room. A whole program is on the page\n"
             "[install and embed](../howto/embed.md).\n\n| room | what is in it | headers |\n|---|---|---|\n"}
    for room in rooms:
        files = sorted((headers / room).rglob("*.h"))
        pages["reference/cpp.md"] += f"| [{room}](cpp/{room}.md) | {ROOMS.get(room, '')} | {len(files)} |\n"
        text = f"# C++: {room}\n\n{capitalised(ROOMS.get(room, room))}.\n"
        for path in files:
            text += header_section(path.relative_to(headers).as_posix(), path.read_text(encoding="utf-8"))
        pages[f"reference/cpp/{room}.md"] = text
    return pages
