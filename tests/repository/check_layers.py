#!/usr/bin/env python3
"""Checks that rooms include only the rooms they may use (docs/architecture.md). Usage: check_layers.py SOURCE_ROOT"""
import pathlib
import re
import sys

ALLOWED = {
    "core": set(),
    "problem": {"core"},
    "solve": {"core", "problem"},
    "shape": {"core"},
    "collide": {"core", "shape"},
    "world": {"core", "shape"},
    "step": {"core", "problem", "solve", "shape", "collide", "world"},
    "io": {"core", "problem", "solve", "shape", "collide", "world", "step"},
}


def violations(root):
    rooms = root / "src" / "talus"
    for path in sorted(rooms.rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        room = path.relative_to(rooms).parts[0]
        if room not in ALLOWED:
            yield f"{path}: unknown room '{room}'"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            included = re.match(r'#include "talus/(\w+)/', line)
            if included and included[1] != room and included[1] not in ALLOWED[room]:
                yield f"{path}:{number}: {room} must not include {included[1]}"


if __name__ == "__main__":
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
