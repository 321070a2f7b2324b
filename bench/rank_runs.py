#!/usr/bin/env python3
"""What the coloured cells and the fewer stages of `auto` over ranks cost in iterations: scenes run whole by `talus` and by
`talus-mpi` (on one rank: the number of ranks changes nothing), with the steps that missed their tolerance, and problems
solved by both with the same solvers. Two tables in Markdown; counts only, no times.
Usage: rank_runs.py BUILD_FOLDER [STEPS]   STEPS: at most so many of each scene"""
import json
import os
import pathlib
import subprocess
import sys

build = pathlib.Path(sys.argv[1]).resolve()
most_steps = int(sys.argv[2]) if len(sys.argv) > 2 else 10**9
source = pathlib.Path(__file__).resolve().parents[1]
folder = build / "rank_runs"

SCENES = (("falling pile", source / "scenes/falling_spheres.yaml"), ("rotating drum", source / "scenes/rotating_drum.yaml"),
          ("hourglass", source / "scenes/hourglass.yaml"), ("stirred bed", source / "tests/mpi/stirred_bed.yaml"))
PROBLEMS = (("settling_balls", 1e-4), ("masonry_arch", 1e-4), ("pile", 1e-3))  # the last is made here
SOLVERS = ("nsgs", "ansgs", "nncg", "coulomb-apgd", "spg")

root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
PROGRAMS = (("talus", [build / "talus"]), ("talus-mpi", ["mpirun", *root, "-n", "1", build / "talus-mpi"]))


def call(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def run(program, scene):
    length = ["--steps", most_steps] if most_steps < 10**9 else []
    return call([*program, "run", scene, *length, "--threads", 1, "--json"])


def pile():
    """512 spheres that have settled for half a second, as a problem with rigid contacts."""
    out = folder / "pile.hdf5"
    if not out.exists():
        settings = ("contact=rigid", "generators.s.counts=[8,8,8]", "generators.s.position=[-0.7875,-0.7875,0.2]",
                    "bodies.box.shape.inner=[1.85,1.85,2.4]")
        subprocess.run([build / "talus", "export", source / "scenes/falling_spheres.yaml", "--step", "120", "--out", out,
                        *[word for item in settings for word in ("--set", item)]], check=True, stdout=subprocess.DEVNULL)
    return out


folder.mkdir(exist_ok=True)
print("| scene | steps | program | contacts, mean | products | missed | worst error |\n|---|---|---|---|---|---|---|")
for name, scene in SCENES:
    for program, command in PROGRAMS:
        r = run(command, scene)
        print(f"| {name} | {r['steps']} | `{program}` | {r['contacts_mean']:.0f} | {r['work']} | {r['unconverged_steps']} "
              f"| {r['error_max']:.1e} |", flush=True)

print("\n| problem | error | " + " | ".join(SOLVERS) + " |\n|---|---|" + "---|" * len(SOLVERS))
for name, tolerance in PROBLEMS:
    problem = pile() if name == "pile" else source / f"tests/data/{name}.hdf5"
    cells = []
    for solver in SOLVERS:
        counts = []
        for program, command in PROGRAMS:
            extra = ["--bodies-per-cell", 16] if program == "talus-mpi" else []
            r = call([*command, "solve", problem, "--solver", solver, "--tol", tolerance, "--max-iterations", 20000,
                      "--threads", 1, "--json", *extra])
            counts.append(str(r["iterations"]) if r["status"] == "converged" else f"({r['iterations']})")
        cells.append(" / ".join(counts))
    print(f"| {name} | {tolerance:g} | " + " | ".join(cells) + " |", flush=True)
