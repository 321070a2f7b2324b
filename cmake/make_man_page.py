#!/usr/bin/env python3
"""Writes the man page of talus from the program's own --help: make_man_page.py PROGRAM FILE."""

import subprocess
import sys

FOOT = """\
.SH FILES
Scenes are YAML files, contact problems are FCLIB files (HDF5). Examples of scenes are in
.IR share/talus/scenes
beside the folder of the program.
.SH ENVIRONMENT
.TP
.B TALUS_PYTHON
The Python that draws plots; /usr/bin/python3 unless set. It needs matplotlib.
.TP
.B TALUS_PLOTS
The folder of the plotting scripts; share/talus/plots beside the folder of the program unless set.
"""


def help_of(program, *command):
    run = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def sections(lines):
    """The summary, and a list of (heading, lines) of a help text; what stands below is the footer."""
    summary, parts, heading = [], [], None
    for line in lines:
        if line.startswith("Usage:"):
            parts.append(("Usage", [line.removeprefix("Usage:").strip()]))
        elif line.endswith(":") and not line.startswith(" "):
            heading = line[:-1]
            parts.append((heading, []))
        elif not line.strip():
            heading = None
        elif heading:
            parts[-1][1].append(line)
        elif parts:
            if parts[-1][0] != "Footer":
                parts.append(("Footer", []))
            parts[-1][1].append(line)
        else:
            summary.append(line)
    return " ".join(summary), parts


def entries(lines):
    """(term, text) of lines like "  --tol X     Largest error", with continuation lines joined."""
    result = []
    for line in lines:
        term, _, text = line.strip().partition("  ")
        if line.startswith("   ") and result:
            result[-1][1] += " " + line.strip()
        else:
            result.append([term, text.strip()])
    return result


def commands_of(program):
    _, parts = sections(help_of(program))
    return [term for heading, lines in parts if heading == "Subcommands" for term, _ in entries(lines)]


def render(lines):
    text = ""
    summary, parts = sections(lines)
    for heading, body in parts:
        if heading == "Usage":
            text += f".B {escape(body[0])}\n.PP\n{escape(summary)}\n"
        elif heading == "Footer":
            text += ".PP\n" + "\n".join(escape(line) for line in body) + "\n"
        else:
            for term, doc in entries(body):
                text += f".TP\n.B {escape(term)}\n{escape(doc)}\n"
    return text


def main(program, path):
    summary, _ = sections(help_of(program))
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    page = f'.TH TALUS 1 "" "talus {version}" "User Commands"\n.SH NAME\ntalus \\- {escape(summary[0].lower() + summary[1:].rstrip("."))}\n'
    page += ".SH SYNOPSIS\n" + render(help_of(program)) + ".SH COMMANDS\n"
    for command in commands_of(program):
        page += f".SS talus {escape(command)}\n" + render(help_of(program, command))
    with open(path, "w", encoding="utf-8") as file:
        file.write(page + FOOT)


if __name__ == "__main__":
    main(*sys.argv[1:])
