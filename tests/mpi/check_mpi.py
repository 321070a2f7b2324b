#!/usr/bin/env python3
"""talus-mpi under mpirun: the same bits for every number of ranks, restarts, and failures.
Usage: check_mpi.py CASE BUILD_FOLDER SOURCE_ROOT"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

RANKS = (1, 2, 3, 4, 8)
case, build, source = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = build / "talus-mpi"


PILE = """
title: pile
step: 1/240
duration: 1
materials:
  m: {friction: 0.5}
bodies:
  - {name: box, motion: fixed, material: m, shape: {type: open_box, inner: [1.4, 1.4, 3], wall: 0.2}}
generators:
  - {type: grid, name: s, shape: {type: sphere, radius: 0.1}, counts: [6, 6, 5], spacing: [0.205, 0.205, 0.205],
     position: [-0.51, -0.51, 0.1], jitter: 0.002, mass: 6.28, material: m}
"""


def mpirun(ranks, *arguments):
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", *root,
            "-n", str(ranks), *map(str, arguments)]


def call(ranks, *arguments, expected=0):
    done = subprocess.run(mpirun(ranks, *arguments), capture_output=True, text=True, timeout=250)
    assert done.returncode == expected, (ranks, arguments, done.returncode, done.stdout, done.stderr)
    return done


def run_scene(ranks, *arguments):
    return json.loads(call(ranks, program, "run", *arguments, "--json", "--threads", 1).stdout)


def same(values, what):
    assert len(set(values)) == 1, (what, values)


def check_ranks():
    for ranks in RANKS:
        print(call(ranks, build / "tests" / "mpi" / "mpi_check_ranks").stdout, end="")


def check_solve():
    for name, solver, tolerance in (("settled_balls", "coulomb-apgd", "1e-6"), ("hourglass_neck", "spg", "1e-2"),
                                    ("cam_follower", "apgd", "1e-6")):
        results = []
        for ranks in RANKS:
            done = subprocess.run(mpirun(ranks, program, "solve", source / f"tests/data/{name}.hdf5", "--solver", solver,
                                         "--tol", tolerance, "--max-iterations", 500, "--bodies-per-cell", 4, "--json",
                                         "--threads", 1), capture_output=True, text=True, timeout=250)
            assert done.returncode in (0, 3), done
            results.append(json.loads(done.stdout))
        same([r["hash"] for r in results], name)
        same([r["error"] for r in results], name)
        same([r["iterations"] for r in results], name)
        print(name, solver, results[0]["status"], results[0]["hash"], "bytes", [r["bytes"] for r in results])


def pile(folder):
    scene = folder / "pile.yaml"
    scene.write_text(PILE)
    return scene


EXTRAS = """
title: boxes that bounce, one of them pushed at a corner
step: 1/240
duration: 1
materials:
  m: {friction: 0.8, restitution: 0.9}
bodies:
  - {name: box, motion: fixed, material: m, shape: {type: open_box, inner: [1.6, 1.6, 3], wall: 0.2}}
  - {name: pushed, material: m, mass: 3, shape: {type: box, size: [0.2, 0.2, 0.1]}, position: [0, 0, 1.3],
     point_loads: [{point: [0.1, 0.1, 0], force: ["20*sin(9*t)", 0, -30]}]}
generators:
  - {type: grid, name: s, shape: {type: box, size: [0.2, 0.16, 0.12]}, counts: [5, 5, 3], spacing: [0.3, 0.3, 0.3],
     position: [-0.6, -0.6, 0.2], jitter: 0.02, mass: 5, material: m, velocity: [1, 0.5, -3]}
"""


def check_extras(folder):
    """Rebounds with a bound on their energy, loads at points, and friction whose bounds are estimated first."""
    scene = folder / "extras.yaml"
    scene.write_text(EXTRAS)
    for settings in ((), ("--set", "restitution={law: poisson}"), ("--set", "friction=box")):
        results = [run_scene(ranks, scene, "--steps", 16, *settings) for ranks in (1, 2, 8)]
        for key in ("hash", "kinetic_energy", "contacts_mean", "iterations", "error_max"):
            same([r[key] for r in results], f"{settings}: {key}")
        assert results[0]["contacts_mean"] > 1, results[0]
        print(settings, results[0])


def check_run(folder):
    scene = pile(folder)
    results = [run_scene(ranks, scene, "--steps", 25) for ranks in RANKS]
    for key in ("hash", "kinetic_energy", "potential_energy", "contacts_mean", "iterations", "error_max"):
        same([r[key] for r in results], key)
    print(results[0])


STIRRER = """
title: an arm stirs a bed
step: 1/240
duration: 1
materials:
  m: {friction: 0.5}
bodies:
  - {name: box, motion: fixed, material: m, shape: {type: open_box, inner: [1.4, 1.4, 3], wall: 0.2}}
  - {name: arm, material: m, mass: 20, shape: {type: box, size: [1.0, 0.1, 0.2]}, position: [0, 0, 0.4]}
joints:
  - {name: axle, type: revolute, between: [ground, arm], at: [0, 0, 0.4], axis: [0, 0, 1], motor: {speed: 3}}
generators:
  - {type: grid, name: s, shape: {type: sphere, radius: 0.1}, counts: [6, 6, 1], spacing: [0.205, 0.205, 0.205],
     position: [-0.51, -0.51, 0.1], jitter: 0.002, mass: 6.28, material: m}
"""


def check_scenes(folder):
    """Four scenes, each on 1 to 8 ranks with 1 and 2 threads. TALUS_WHOLE_RUNS=1 runs them to their end: no test, it takes
    long."""
    stirrer = folder / "stirrer.yaml"
    stirrer.write_text(STIRRER)
    whole = bool(os.environ.get("TALUS_WHOLE_RUNS"))
    for name, scene, steps in (("falling pile", pile(folder), 40), ("rotating drum", source / "scenes/rotating_drum.yaml", 40),
                               ("hourglass", source / "scenes/hourglass.yaml", 40), ("stirred bed", stirrer, 25)):
        results = []
        for ranks in RANKS:
            for threads in (1, 2):
                length = () if whole else ("--steps", steps)
                done = subprocess.run(mpirun(ranks, program, "run", scene, *length, "--json", "--threads", threads),
                                      capture_output=True, text=True, timeout=None if whole else 250)
                assert done.returncode == 0, (name, ranks, done.stderr)
                results.append(json.loads(done.stdout))
        for key in ("hash", "kinetic_energy", "potential_energy", "contacts_mean", "iterations", "work", "error_max",
                    "unconverged_steps"):
            same([r[key] for r in results], f"{name}: {key}")
        one, most = results[0], results[-1]
        assert one["iterations"] > 0, name
        print(f"{name}: {one['steps']} steps, {one['bodies']} bodies, {one['contacts_mean']:.0f} contacts, hash {one['hash']}, "
              f"{one['iterations']} iterations, {one['unconverged_steps']} steps missed, bytes on 8 ranks {most['bytes']}")


def check_every_scene():
    """All scenes of the repository for five steps, on one rank and on three; a command, no test: it takes minutes."""
    for scene in sorted((source / "scenes").glob("*.yaml")):
        results = [run_scene(ranks, scene, "--steps", 5) for ranks in (1, 3)]
        same([r["hash"] for r in results], scene.name)
        print(scene.name, results[0]["hash"], flush=True)


def check_restart(folder):
    scene = pile(folder)
    whole = run_scene(2, scene, "--steps", 20, "--out", folder / "whole")
    run_scene(3, scene, "--steps", 8, "--out", folder / "part")
    for ranks in (1, 8):
        rest = run_scene(ranks, "--restart", folder / "part/checkpoint.h5", "--steps", 12)
        same([whole["hash"], rest["hash"]], f"restart on {ranks} ranks")
    # The program of one process goes on from it as well, and reads the trajectory.
    subprocess.run([build / "talus", "run", "--restart", folder / "part/checkpoint.h5", "--steps", "1", "--threads", "1"],
                   check=True, capture_output=True, timeout=100)


def check_divided(folder):
    """Each rank builds its part of the scene, and writes its part of the checkpoint."""
    scene = pile(folder)
    whole = run_scene(2, scene, "--steps", 20)
    for ranks in RANKS:
        parts = run_scene(ranks, scene, "--divided", "--steps", 20)
        same([whole["hash"], parts["hash"]], f"divided on {ranks} ranks")
        same([whole["bodies"], parts["bodies"]], "bodies")
    run_scene(3, scene, "--divided", "--steps", 8, "--out", folder / "part", "--checkpoint-every", 5)
    checkpoint = folder / "part/checkpoint.h5"
    for ranks, how in ((1, ["--divided"]), (4, ["--divided"]), (2, [])):
        rest = run_scene(ranks, "--restart", checkpoint, "--steps", 12, *how)
        same([whole["hash"], rest["hash"]], f"restart on {ranks} ranks {how}")
    subprocess.run([build / "talus", "run", "--restart", checkpoint, "--steps", "1", "--threads", "1"], check=True,
                   capture_output=True, timeout=100)
    run_scene(2, scene, "--steps", 1, "--out", folder / "whole")
    refused = call(2, program, "run", "--restart", folder / "whole/checkpoint.h5", "--divided", expected=2)
    assert "without --divided" in refused.stderr, refused.stderr


def check_kill(folder):
    scene = pile(folder)
    whole = run_scene(2, scene, "--steps", 40)
    out = folder / "killed"
    job = subprocess.Popen(mpirun(3, program, "run", scene, "--steps", 40, "--out", out, "--checkpoint-every", 5,
                                  "--threads", 1), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    checkpoint = out / "checkpoint.h5"
    deadline = time.time() + 100
    while not checkpoint.exists() and job.poll() is None and time.time() < deadline:
        time.sleep(0.02)
    children = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
    if children and job.poll() is None:
        os.kill(int(children[-1]), signal.SIGKILL)
    job.wait(timeout=100)
    print("mpirun ended with", job.returncode, "after a rank was killed")
    rest = run_scene(4, "--restart", checkpoint, "--time", whole["time"])
    same([whole["hash"], rest["hash"]], "going on after kill -9")


def check_signal(folder):
    """One rank gets SIGTERM, as all do from Slurm: all finish their step and write their files."""
    scene = pile(folder)
    whole = run_scene(2, scene, "--steps", 60)
    out = folder / "stopped"
    job = subprocess.Popen(mpirun(3, program, "run", scene, "--steps", 60, "--out", out, "--checkpoint-every", 5,
                                  "--threads", 1), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    checkpoint = out / "checkpoint.h5"
    deadline = time.time() + 100
    while not checkpoint.exists() and job.poll() is None and time.time() < deadline:
        time.sleep(0.02)
    children = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
    if children and job.poll() is None:
        os.kill(int(children[-1]), signal.SIGTERM)
    said = job.communicate(timeout=100)[1]
    # A run that was quicker than the signal is no failure.
    assert job.returncode == 0 or "stopped by signal 15 after step" in said, (job.returncode, said)
    print("mpirun ended with", job.returncode, "after SIGTERM")
    rest = run_scene(8, "--restart", checkpoint, "--time", whole["time"])
    same([whole["hash"], rest["hash"]], "going on after SIGTERM")


def check_failure(folder):
    done = subprocess.run(mpirun(3, build / "tests" / "mpi" / "mpi_check_ranks", "fail"), capture_output=True, text=True,
                          timeout=60)
    assert done.returncode != 0 and "this rank alone has failed" in done.stderr, done
    missing = call(3, program, "run", folder / "missing.yaml", expected=1)
    assert missing.stderr.count("missing.yaml") == 1, missing.stderr
    refused = call(2, program, "run", pile(folder), "--solver", "newton", expected=2)
    assert "solver newton" in refused.stderr, refused.stderr
    timed = folder / "timed.yaml"
    timed.write_text(PILE + "solver: {name: auto, time_limit: 1}\n")
    refused = call(2, program, "run", timed, expected=2)
    assert "time limit" in refused.stderr, refused.stderr
    unknown = call(2, program, "fly", expected=2)
    assert unknown.stderr.count("talus-mpi") >= 1, unknown.stderr
    # The program of one process knows nothing of MPI.
    libraries = subprocess.run(["ldd", build / "talus"], capture_output=True, text=True).stdout.lower()
    assert not any(name in libraries for name in ("libmpi", "petsc", "mumps", "hypre")), libraries


def check_model():
    """Counts and predictions; they do not depend on the number of ranks that print them."""
    one, two = (call(ranks, program, "model", "--largest", 70000).stdout for ranks in (1, 2))
    same([one, two], "model")
    assert one.count("\n|---|") == 3 and "| 10000 | 10000 |" in one, one
    slow = call(1, program, "model", "--largest", 70000, "--latency", 200).stdout
    assert slow != one
    refused = call(1, program, "model", "--largest", 10, expected=2)
    assert "nothing to count" in refused.stderr, refused.stderr


with tempfile.TemporaryDirectory() as name:
    function = globals()["check_" + case]
    function(pathlib.Path(name)) if function.__code__.co_argcount else function()
