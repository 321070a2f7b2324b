#!/usr/bin/env python3
"""The self-contained wheel: made, installed by pip into a virtual environment, used there, and found to load no library
but its own. The view of a run is saved where the build has the viewer page.

    check_wheel.py BUILD SOURCE
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

build, source = map(pathlib.Path, sys.argv[1:3])

USE = """
import pathlib, re, sys
import talus
world = talus.World()
world.add_body("floor", talus.half_space(), motion="fixed")
ball = world.add_body("ball", talus.sphere(0.1), position=(0, 0, 0.2))
simulation = talus.Simulation(world)
run = simulation.run(until=1.0, record=True)
assert abs(simulation.world.positions[ball][2] - 0.1) < 1e-4, simulation.world.positions
assert talus.solve(simulation.next_problem(), "conic-ip", tolerance=1e-6).converged
home = pathlib.Path(talus.__file__).parent
assert sys.prefix != sys.base_prefix and str(home).startswith(sys.prefix), (home, sys.prefix)
if (home / "viewer/index.html").exists():
    run.view().save("view.html")
    assert 'id="talus-frames-0"' in pathlib.Path("view.html").read_text(encoding="utf-8")
    print("the view of a run is saved")
else:
    print("skipped: the view (the build has no viewer page)")
loaded = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
own = {"libhdf5_serial", "libtbb", "libmetis", "libfmt", "libyaml"}
shipped = {file.name.partition("-")[0] for file in (home / "libs").iterdir()}
assert own <= shipped, shipped
strangers = [path for path in loaded if not path.startswith(str(home))
             and re.split(r"[-.]", pathlib.Path(path).name)[0] in own]
assert not strangers, strangers
"""


def run(*command, **options):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}\n{result.stderr}")
    return result.stdout


if not shutil.which("patchelf"):
    print("skipped: patchelf is not installed")
    sys.exit(77)
with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    run(sys.executable, source / "python/tools/make_wheel.py", scratch,
        env=os.environ | {"TALUS_BUILD_DIR": str(build)})
    [wheel] = scratch.glob("talus-*-manylinux_2_*_x86_64.whl")
    # NumPy and SciPy are those of the system; Debian's Python has no pip of its own for environments.
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", scratch / "env")
    python = scratch / "env/bin/python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", wheel)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    print(run(python, "-c", USE, cwd=scratch, env=environment), end="")
    program = scratch / "env/bin/talus"  # the command of the wheel
    (scratch / "scene.yaml").write_text("bodies:\n  - {name: ball, shape: {type: sphere, radius: 0.1}}\n")
    run(program, "run", "scene.yaml", "--steps", "5", "--out", "run", cwd=scratch, env=environment)
    if "prox-newton" not in run(program, "solvers", cwd=scratch, env=environment):
        sys.exit("the command of the wheel does not list the solvers")
    if (build / "viewer/index.html").exists():
        run(program, "view", "run", "--html", "run.html", cwd=scratch, env=environment)
    listed = run(python, "-m", "talus.examples", cwd=scratch, env=environment)
    if "hourglass" not in listed:
        sys.exit(f"the examples are not listed:\n{listed}")
