#!/usr/bin/env python3
"""talus-mpi under mpirun: the same bits for every number of ranks, restarts, and failures.
Usage: check_mpi.py CASE BUILD_FOLDER SOURCE_ROOT"""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

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


def check_scenes(folder):
    """Four scenes, each on 1 to 8 ranks with 1 and 2 threads. TALUS_WHOLE_RUNS=1 runs them to their end: no test, it takes
    long."""
    stirrer = source / "tests/mpi/stirred_bed.yaml"
    whole = bool(os.environ.get("TALUS_WHOLE_RUNS"))
    for name, scene, steps in (("falling pile", pile(folder), 40), ("rotating drum", source / "scenes/rotating_drum.yaml", 40),
                               ("hourglass", source / "scenes/hourglass.yaml", 40), ("stirred bed", stirrer, 60)):
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


RECORDED = """
title: all that files hold
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
  - {type: grid, name: s, shape: {type: sphere, radius: 0.1}, counts: [6, 6, 1], spacing: [0.19, 0.205, 0.205],
     position: [-0.51, -0.51, 0.1], jitter: 0.002, mass: 6.28, material: m}
  - {type: grid, name: b, shape: {type: box, size: [0.12, 0.16, 0.1]}, counts: [4, 4, 1], spacing: [0.2, 0.2, 1],
     position: [-0.3, -0.3, 0.6], material: m, velocity: [0, 0, -2], remove_at: 0.06}
sensors:
  - {name: walls, type: contact_force, body: box}
  - {name: group, type: contact_force, body: "s *", other: "b *"}
  - {name: place, type: position, body: s 20}
  - {name: stress, type: stress, box: {min: [-0.5, -0.5, 0], max: [0.5, 0.5, 0.4]}}
  - {name: flux, type: flux, point: [0, 0, 0.5], normal: [0, 0, -1]}
  - {name: hinge, type: joint_force, joint: axle}
output: {every: 4}
"""


def datasets(path):
    """Shape, type and bytes of all that an HDF5 file holds."""
    found = {}
    with h5py.File(path, "r") as file:
        def add(name, item):
            if isinstance(item, h5py.Dataset):
                found[name] = (item.shape, str(item.dtype), numpy.asarray(item[()]).tobytes())
        file.visititems(add)
    return found


def files_of(folder):
    """All that a run wrote but its checkpoint; of steps.csv and summary.json what does not depend on clocks and ranks."""
    found = datasets(folder / "trajectory.h5")
    for name in ("steps.csv", "sensors.csv"):
        rows = list(csv.DictReader((folder / name).open()))
        found[name] = [{key: row[key] for key in row if not key.startswith("seconds")} for row in rows]
    for path in (folder / "paraview").iterdir():
        found[path.name] = path.read_bytes()
    found["names"] = sorted(path.name for path in folder.iterdir())
    summary = json.loads((folder / "summary.json").read_text())
    of_ranks = ("ranks", "messages", "bytes", "reductions", "peak_bytes", "peak_bytes_of_a_rank", "slowest_step")
    found["summary"] = {key: summary[key] for key in summary if not key.startswith("seconds") and key not in of_ranks}
    return found


def check_same_files(folder, expected, what, left_out=()):
    found = files_of(folder)
    assert found.keys() == expected.keys(), (what, found.keys() ^ expected.keys())
    different = [name for name in expected if name not in left_out and found[name] != expected[name]]
    assert not different, (what, different)


def check_files(folder):
    """With --divided there are the files of a run without it, for every number of ranks, and when going on."""
    scene = folder / "recorded.yaml"
    scene.write_text(RECORDED)
    run_scene(2, scene, "--steps", 18, "--out", folder / "whole")
    whole = files_of(folder / "whole")
    assert len(whole["frames/step"][2]) == 6 * 8 and len(whole["removed/step"][2]) == 16 * 8, whole["frames/step"]
    assert whole["summary"]["initial_overlaps"]["pairs"] > 10 and "plot.svg" in whole["names"], whole["summary"]
    for ranks in (1, 3, 4):
        out = folder / f"divided{ranks}"
        run_scene(ranks, scene, "--divided", "--steps", 18, "--out", out)
        check_same_files(out, whole, f"{ranks} ranks")
    # Bodies have been removed, and the last frame is not one of those to stay. Totals are those of the last part.
    out = folder / "part"
    run_scene(3, scene, "--divided", "--steps", 15, "--out", out)
    run_scene(2, "--restart", out / "checkpoint.h5", "--divided", "--steps", 3, "--out", out)
    check_same_files(out, whole, "going on", ("summary",))
    # The programs of one process read them and go on.
    subprocess.run([build / "talus", "run", "--restart", out / "checkpoint.h5", "--steps", "1", "--threads", "1", "--out", out],
                   check=True, capture_output=True, timeout=100)
    assert len(files_of(out)["frames/step"][2]) == 6 * 8
    (folder / "file").write_text("")
    refused = call(2, program, "run", scene, "--divided", "--out", folder / "file/out", expected=1)
    assert "cannot be made" in refused.stderr, refused.stderr
    scene.write_text(RECORDED.replace("body: s 20", "body: s 99"))
    refused = call(3, program, "run", scene, "--divided", "--out", folder / "refused", expected=1)
    assert "sensor 'place': there is no body 's 99'" in refused.stderr, refused.stderr
    refused = call(2, program, "run", scene, "--live", expected=2)
    assert "talus view DIR" in refused.stderr, refused.stderr


def stop_a_rank(scene, out, with_signal, *arguments):
    """Runs 60 steps on three ranks, one of which gets the signal after the first checkpoint; the exit code and what was said."""
    job = subprocess.Popen(mpirun(3, program, "run", scene, "--steps", 60, "--out", out, "--checkpoint-every", 5,
                                  "--threads", 1, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    checkpoint = out / "checkpoint.h5"
    deadline = time.time() + 100
    while not checkpoint.exists() and job.poll() is None and time.time() < deadline:
        time.sleep(0.02)
    children = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
    if children and job.poll() is None:
        os.kill(int(children[-1]), with_signal)
    said = job.communicate(timeout=100)[1]
    return job.returncode, said


def check_kill(folder):
    scene = pile(folder)
    whole = run_scene(2, scene, "--steps", 60)
    for arguments in ((), ("--divided",)):
        out = folder / f"killed{len(arguments)}"
        code, _ = stop_a_rank(scene, out, signal.SIGKILL, *arguments)
        print("mpirun ended with", code, "after a rank was killed")
        with h5py.File(out / "trajectory.h5", "r", swmr=True) as file:
            frames = len(file["frames/time"])
            assert frames > 0 and list(file["frames/step"][:frames]) == sorted(file["frames/step"][:frames])
        rest = run_scene(4, "--restart", out / "checkpoint.h5", "--time", whole["time"], "--out", out, *arguments)
        same([whole["hash"], rest["hash"]], "going on after kill -9")
        with h5py.File(out / "trajectory.h5", "r") as file:
            assert list(file["frames/step"][:]) == list(range(0, 61, 5)), file["frames/step"][:]


def check_signal(folder):
    """One rank gets SIGTERM, as all do from Slurm: all finish their step and write their files."""
    scene = pile(folder)
    whole = run_scene(2, scene, "--steps", 60)
    for arguments in ((), ("--divided",)):
        out = folder / f"stopped{len(arguments)}"
        code, said = stop_a_rank(scene, out, signal.SIGTERM, *arguments)
        # A run that was quicker than the signal is no failure.
        assert code == 0 or "stopped by signal 15 after step" in said, (code, said)
        print("mpirun ended with", code, "after SIGTERM")
        with h5py.File(out / "trajectory.h5", "r") as file, h5py.File(out / "checkpoint.h5", "r") as checkpoint:
            assert file["frames/step"][-1] == checkpoint["state/steps"][()], said
        rest = run_scene(8, "--restart", out / "checkpoint.h5", "--time", whole["time"], *arguments)
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
