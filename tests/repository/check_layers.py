#!/usr/bin/env python3
"""Checks that rooms include only the rooms they may use (docs/architecture.md), that every room has a README, and that
no room is crowded. Usage: check_layers.py SOURCE_ROOT"""
import pathlib
import re
import sys

MOST_FILES = 36  # headers and sources of one room

# Rooms from the bottom up: the rooms that each may include, besides itself.
BELOW_SOLVE = {"core", "linalg", "contact", "problem", "problem/delassus", "problem/scaled"}
SOLVE = BELOW_SOLVE | {"solve"}
FAMILY = SOLVE | {"solve/coulomb"}
ALLOWED = {
    "core": set(),
    "linalg": {"core"},
    "contact": {"core"},
    "problem": {"core", "contact"},
    "problem/files": {"core", "contact", "problem"},
    "problem/delassus": {"core", "linalg", "problem"},
    "problem/scaled": {"core", "contact", "problem", "problem/delassus"},
    "solve": BELOW_SOLVE,
    "solve/coulomb": SOLVE,
    "solve/sweeps": FAMILY,
    "solve/gradients": FAMILY,
    "solve/active_set": FAMILY,
    "solve/newton": FAMILY | {"solve/sweeps"},
    "solve/splitting": FAMILY,
    "solve/interior_point": FAMILY | {"solve/newton"},
    "solve/central_path": FAMILY | {"solve/newton", "solve/interior_point"},
    "solve/lcp": FAMILY | {"solve/sweeps"},
    "solve/multigrid": FAMILY | {"solve/lcp"},
    "solve/auto": FAMILY | {"solve/newton", "solve/central_path"},
    "inspect": BELOW_SOLVE | {"solve/lcp"},
    "shape": {"core"},
    "collide": {"core", "shape"},
    "world": {"core", "shape"},
    "step": SOLVE | {"shape", "collide", "world"},
    "io": SOLVE | {"problem/files", "shape", "collide", "world", "step"},
}


def room_of(path):
    return path.parent.as_posix()


def violations(root):
    rooms = root / "src" / "talus"
    counts = dict.fromkeys(ALLOWED, 0)
    for path in sorted(rooms.rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        room = room_of(path.relative_to(rooms))
        if room not in ALLOWED:
            yield f"{path}: unknown room '{room}'"
            continue
        counts[room] += 1
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            included = re.match(r'#include "talus/([^"]+)"', line)
            other = room_of(pathlib.PurePosixPath(included[1])) if included else room
            if other != room and other not in ALLOWED[room]:
                yield f"{path}:{number}: {room} must not include {other}"
    for room, count in counts.items():
        if count > MOST_FILES:
            yield f"{room}: {count} files, at most {MOST_FILES}"
        if not (rooms / room / "README.md").exists():
            yield f"{room}: no README.md"


if __name__ == "__main__":
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
