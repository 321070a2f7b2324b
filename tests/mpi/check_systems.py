#!/usr/bin/env python3
"""Solvers of talus-mpi whose linear systems are solved by MUMPS, GAMG or hypre: the same error on any number of ranks, the
answer of one process, and what the programs say where there is no such system.
Usage: check_systems.py BUILD_FOLDER SOURCE_ROOT"""
import json
import os
import pathlib
import subprocess
import sys

build, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
TOLERANCE = 1e-6
CASES = {  # MUMPS for all; Krylov's methods where their matrices are well-conditioned
    "admm": ("mumps", "gamg", "hypre"),
    "prox-newton": ("mumps", "gamg"),
    "conic-ip": ("mumps",),
}


def mpirun(ranks, *arguments):
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", *root, "-n", str(ranks)]
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=100)


def problem(name):
    return source / f"tests/data/{name}.hdf5"


def arguments_for(solver, options):
    return ["--solver", solver, "--tol", TOLERANCE, "--max-iterations", 2000, "--json", "--threads", 1,
            *[word for option in options for word in ("--option", option)]]


def check_engines():
    for ranks in (1, 2, 4):
        done = mpirun(ranks, build / "tests/mpi/mpi_check_systems")
        assert done.returncode == 0, done.stderr
        print(done.stdout, end="")


def check_solvers():
    for solver, engines in CASES.items():
        for name in ("masonry_arch", "card_house"):
            one = json.loads(subprocess.run([build / "talus", "solve", problem(name), *map(str, arguments_for(solver, []))],
                                            capture_output=True, text=True, timeout=100, check=True).stdout)
            for engine in engines:
                for ranks in (1, 2, 4):
                    done = mpirun(ranks, build / "talus-mpi", "solve", problem(name), "--bodies-per-cell", 2,
                                  *arguments_for(solver, [f"linear={engine}"]))
                    assert done.returncode == 0, (solver, name, engine, ranks, done.stdout, done.stderr)
                    result = json.loads(done.stdout)
                    assert result["error"] <= TOLERANCE and not result["same_bits_for_all_ranks"], result
                    difference = abs(result["objective"] - one["objective"]) / abs(one["objective"])
                    assert difference < 1e-4, (solver, name, engine, ranks, result["objective"], one["objective"])
                    print(f"{solver}, {name}, {engine}, {ranks} ranks: {result['iterations']} iterations, {one['iterations']} "
                          f"in one process, error {result['error']:.1e}")


def check_refusals():
    done = subprocess.run([build / "talus", "solve", problem("box_tower"), "--solver", "admm", "--option", "linear=mumps"],
                          capture_output=True, text=True, timeout=100)
    assert done.returncode != 0 and "talus-mpi" in done.stdout + done.stderr, done
    done = mpirun(2, build / "talus-mpi", "solve", problem("box_tower"), "--solver", "prox-newton")
    assert done.returncode == 2 and "linear = mumps, gamg or hypre" in done.stderr, done
    scene = source / "scenes/masonry_arch.yaml"
    done = mpirun(2, build / "talus-mpi", "run", scene, "--steps", 2, "--solver", "prox-newton")
    assert done.returncode == 2 and "linear = mumps, gamg or hypre" in done.stderr, done


def check_steps():
    scene = source / "scenes/masonry_arch.yaml"
    for solver in CASES:
        done = mpirun(3, build / "talus-mpi", "run", scene, "--steps", 4, "--solver", solver, "--set",
                      "solver.options.linear=mumps", "--json", "--strict", "--threads", 1)
        assert done.returncode == 0, (solver, done.stdout, done.stderr)
        result = json.loads(done.stdout)
        assert result["unconverged_steps"] == 0 and not result["same_bits_for_all_ranks"], result


check_engines()
check_solvers()
check_refusals()
check_steps()
