#!/usr/bin/env python3
"""Checks that rooms include only the rooms they may use (docs/architecture.md), that every room has a README, that no
room is crowded and no file long, and that public headers include public ones only.
Usage: check_layers.py SOURCE_ROOT"""
import pathlib
import re
import sys

MOST_FILES = 25  # headers and sources of one room
MOST_LINES = 400

# Rooms from the bottom up: the rooms that each may include, besides itself.
BELOW_SOLVE = {"core", "linalg", "contact", "problem", "problem/delassus", "problem/scaled"}
SOLVE = BELOW_SOLVE | {"solve"}
FAMILY = SOLVE | {"solve/coulomb"}
BELOW_IO = SOLVE | {"core/files", "problem/files", "shape", "collide", "world", "step"}
ALLOWED = {
    "core": set(),
    "core/files": {"core"},
    "linalg": {"core"},
    "contact": {"core"},
    "problem": {"core", "contact"},
    "problem/files": {"core", "core/files", "contact", "problem"},
    "problem/delassus": {"core", "linalg", "problem"},
    "problem/scaled": {"core", "contact", "problem", "problem/delassus"},
    "solve": BELOW_SOLVE,
    "solve/coulomb": SOLVE,
    "solve/batches": FAMILY,
    "solve/sweeps": FAMILY | {"solve/batches"},
    "solve/gradients": FAMILY,
    "solve/active_set": FAMILY,
    "solve/newton": FAMILY | {"solve/sweeps"},
    "solve/splitting": FAMILY,
    "solve/interior_point": FAMILY | {"solve/newton"},
    "solve/central_path": FAMILY | {"solve/newton", "solve/interior_point"},
    "solve/lcp": FAMILY | {"solve/sweeps"},
    "solve/multigrid": FAMILY | {"solve/lcp"},
    "solve/auto": FAMILY | {"solve/batches", "solve/newton", "solve/central_path"},
    "inspect": BELOW_SOLVE | {"solve/lcp"},
    "shape": {"core"},
    "collide": {"core", "shape", "collide/convex"},
    "collide/convex": {"core", "shape", "collide"},
    "world": {"core", "shape"},
    "query": {"core", "shape", "collide", "collide/convex", "world"},
    "step": SOLVE | {"shape", "collide", "world", "step/assembly", "step/laws"},
    "step/assembly": SOLVE | {"shape", "collide", "world", "step", "step/laws"},
    "step/laws": SOLVE | {"shape", "collide", "world", "step", "step/assembly"},
    "cluster": BELOW_IO | {"step/assembly", "step/laws", "solve/coulomb", "cluster/analysis"},
    "cluster/analysis": {"core", "problem", "cluster"},
    "io": BELOW_IO | {"io/description", "io/import", "io/scene", "io/generators", "io/export", "io/output"},
    "io/description": BELOW_IO | {"io"},
    "io/import": BELOW_IO | {"io"},
    "io/scene": BELOW_IO | {"io", "io/description"},
    "io/generators": BELOW_IO | {"io", "io/description", "io/scene"},
    "io/export": BELOW_IO | {"io"},
    "io/output": BELOW_IO | {"io", "io/description", "io/scene"},
    "io/divided": BELOW_IO | {"io", "io/output", "cluster"},
}


def room_of(path):
    return path.parent.as_posix()


def check_file(path, room, public):
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > MOST_LINES:
        yield f"{path}: {len(lines)} lines, at most {MOST_LINES}"
    for number, line in enumerate(lines, 1):
        included = re.match(r'#include "talus/([^"]+)"', line)
        other = room_of(pathlib.PurePosixPath(included[1])) if included else room
        if other != room and other not in ALLOWED[room]:
            yield f"{path}:{number}: {room} must not include {other}"
        if public and included and not (public / included[1]).exists():
            yield f"{path}:{number}: a public header includes a private one"
        if public and re.match(r"#include <(Eigen|hdf5|metis|hwy|yaml|pugi)", line):
            yield f"{path}:{number}: a public header needs a library that users may not have"


def violations(root):
    private, public = root / "src" / "talus", root / "include" / "talus"
    counts = dict.fromkeys(ALLOWED, 0)
    for rooms in (private, public):
        for path in sorted(rooms.rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            room = room_of(path.relative_to(rooms))
            if room not in ALLOWED:
                yield f"{path}: unknown room '{room}'"
                continue
            counts[room] += rooms == private
            yield from check_file(path, room, public if rooms == public else None)
    for room, count in counts.items():
        if count > MOST_FILES:
            yield f"{room}: {count} files, at most {MOST_FILES}"
        if not (private / room / "README.md").exists():
            yield f"{room}: no README.md"


def crowded_folders(root):
    """The program and the experiments have folders too, without rules of what includes what."""
    for top in (root / "apps", root / "experiments"):
        for folder in [top, *(path for path in top.rglob("*") if path.is_dir())]:
            sources = [path for path in folder.iterdir() if path.suffix in (".h", ".cpp")]
            if len(sources) > MOST_FILES:
                yield f"{folder}: {len(sources)} files, at most {MOST_FILES}"
            for path in sources if top.name == "apps" else []:
                lines = len(path.read_text(encoding="utf-8").splitlines())
                if lines > MOST_LINES:
                    yield f"{path}: {lines} lines, at most {MOST_LINES}"


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    found = [*violations(root), *crowded_folders(root)]
    print("\n".join(found))
    sys.exit(1 if found else 0)
