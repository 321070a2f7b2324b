#!/usr/bin/env python3
"""Memory and time of talus-mpi over ranks: steps of a lattice of balls in a box, of which each rank builds its part.

    bench/rank_memory.py [--build BUILD] [--bodies 1000000] [--ranks 1,8] [--steps 1] [--products 20] [--solver spg]

Prints the largest peak of a rank, the sum over ranks, and the bytes per body (VmHWM); then the time of a product or sweep
per contact of the whole, which falls with the number of ranks. Solves are stopped after so many products."""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

SCENE = """
title: lattice of balls
step: 1/240
duration: 1
materials:
  m: {{friction: 0.5}}
bodies:
  - {{name: box, motion: fixed, material: m,
     shape: {{type: open_box, inner: [{x}, {y}, {z}], wall: 0.2}}}}
generators:
  - {{type: grid, name: s, shape: {{type: sphere, radius: 0.1}}, counts: [{nx}, {ny}, {nz}],
     spacing: [0.2, 0.2, 0.2], position: [{px}, {py}, 0.1], jitter: 0.001, material: m}}
"""


def scene(bodies):
    side = round(bodies ** (1 / 3))
    counts = (side, side, -(-bodies // side**2))
    width = 0.2 * side + 0.01
    first = -0.1 * (side - 1)
    return SCENE.format(x=width, y=width, z=0.2 * counts[2] + 0.2, nx=counts[0], ny=counts[1], nz=counts[2],
                        px=first, py=first)


def run(program, path, ranks, steps, products, solver):
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", *root, "-n",
               str(ranks), str(program), "run", str(path), "--divided", "--steps", str(steps), "--max-products",
               str(products), "--solver", solver, "--threads", "1", "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "build")
    parser.add_argument("--bodies", type=int, default=1_000_000)
    parser.add_argument("--ranks", default="1,8")
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--products", type=int, default=20)
    parser.add_argument("--solver", default="spg")
    arguments = parser.parse_args()
    print(f"{'bodies':>9} {'contacts':>9} {'ranks':>5} {'GB/rank':>8} {'GB':>7} {'bytes/body':>10} {'ns':>6}  hash")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "lattice.yaml"
        path.write_text(scene(arguments.bodies))
        for ranks in map(int, arguments.ranks.split(",")):
            result = run(arguments.build / "talus-mpi", path, ranks, arguments.steps, arguments.products, arguments.solver)
            bodies = result["bodies"]
            nanoseconds = 1e9 * result["seconds_solve"] / (result["work"] * result["contacts_mean"])
            print(f"{bodies:>9} {result['contacts_max']:>9} {ranks:>5} {1e-9 * result['peak_bytes_of_a_rank']:>8.3f} "
                  f"{1e-9 * result['peak_bytes']:>7.3f} {result['peak_bytes'] / bodies:>10.0f} {nanoseconds:>6.1f}  "
                  f"{result['hash']}",
                  flush=True)


main()
