#!/usr/bin/env python3
"""What linear systems over ranks cost and save: walls of blocks and piles of spheres of growing size, solved by first-order
methods and by methods with linear systems (MUMPS, GAMG, hypre), as tables in Markdown. Only seconds depend on the machine and on what else
runs on it; a solve that takes longer than LIMIT is given up.
Usage: rank_systems.py BUILD_FOLDER [SIZES ...]   sizes 1 to 3, default 1 and 2; RANKS=2 and LIMIT=60 (seconds per solve) may be
set. Sizes 1 and 2 take some five minutes."""
import json
import os
import pathlib
import subprocess
import sys

build = pathlib.Path(sys.argv[1]).resolve()
sizes = [int(size) for size in sys.argv[2:]] or [1, 2]
ranks, most_seconds = int(os.environ.get("RANKS", "2")), float(os.environ.get("LIMIT", "60"))
source = pathlib.Path(__file__).resolve().parents[1]
folder = build / "rank_systems"

WALLS = {1: (16, 8), 2: (32, 16), 3: (64, 32)}  # bricks of a course, courses
PILES = {1: 8, 2: 12, 3: 18}  # spheres along an edge
METHODS = (  # name, solver, options
    ("ansgs", "ansgs", ()),
    ("coulomb-apgd", "coulomb-apgd", ()),
    ("admm, gradients", "admm", ()),
    ("admm, MUMPS", "admm", ("linear=mumps",)),
    ("admm, GAMG", "admm", ("linear=gamg",)),
    ("admm, hypre", "admm", ("linear=hypre",)),
    ("prox-newton, MUMPS", "prox-newton", ("linear=mumps",)),
    ("conic-ip, MUMPS", "conic-ip", ("linear=mumps",)),
)


WALL = """
title: wall
step: 1/240
duration: 1
contact: rigid
materials: {default: {friction: 0.6}}
bodies: [{name: floor, motion: fixed, shape: {type: half_space}}]
generators: [{type: wall, name: block, brick: [0.3, 0.2, 0.12], density: 2200}]
"""


def export(scene, step, out, settings):
    if not out.exists():
        command = [build / "talus", "export", scene, "--step", str(step), "--out", out]
        subprocess.run([*command, *[word for item in settings for word in ("--set", item)]], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    return out


def wall(size):
    bricks, courses = WALLS[size]
    scene = folder / "wall.yaml"
    scene.write_text(WALL)
    return export(scene, 3, folder / f"wall_{size}.hdf5",
                  [f"generators.block.bricks={bricks}", f"generators.block.courses={courses}"])


def pile(size):
    count = PILES[size]
    width = 0.225 * count + 0.05
    start = -0.225 * (count - 1) / 2
    return export(source / "scenes/falling_spheres.yaml", 120, folder / f"pile_{size}.hdf5",
                  ["contact=rigid", f"generators.s.counts=[{count},{count},{count}]", f"generators.s.position=[{start},{start},0.2]",
                   f"bodies.box.shape.inner=[{width},{width},{0.3 * count}]"])


def solve(problem, tolerance, solver, options):
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    command = ["timeout", "-k", 5, most_seconds, "mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
               *root, "-n", ranks,
               build / "talus-mpi", "solve", problem, "--solver", solver, "--tol", tolerance, "--json", "--threads", 1,
               *[word for option in options for word in ("--option", option)]]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    if done.returncode == 124:
        return None
    if not done.stdout.startswith("{"):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def cells(result):
    """Iterations, products, error and seconds."""
    if result is None:
        return ["–", "–", "–", f"over {most_seconds:g}"]
    error = f"{result['error']:.1e}" + ("" if result["status"] == "converged" else f", {result['status'].replace('_', ' ')}")
    return [str(result["iterations"]), str(result["products"]), error, f"{result['seconds']:.2g}"]


folder.mkdir(exist_ok=True)
for name, make, tolerance in (("Walls of blocks", wall, 1e-6), ("Piles of spheres", pile, 1e-3)):
    table, contacts = {label: [] for label, _, _ in METHODS}, []
    for size in sizes:
        problem = make(size)
        contacts.append(0)
        for label, solver, options in METHODS:
            print(f"{name} {size}: {label}", file=sys.stderr, flush=True)
            result = solve(problem, tolerance, solver, options)
            table[label] += cells(result)
            contacts[-1] = result["contacts"] if result else contacts[-1]
    print(f"\n{name}, error {tolerance:g}, {ranks} ranks, {' and '.join(map(str, contacts))} contacts:\n\n| method | "
          + " | ".join(["iterations", "products", "error", "s"] * len(sizes)) + " |\n|---|" + "---|" * (4 * len(sizes)))
    for label, row in table.items():
        print(f"| {label} | " + " | ".join(row) + " |", flush=True)
