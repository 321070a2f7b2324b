#!/usr/bin/env python3
"""What a new user waits for: in a clean root of Debian, without compiler and development packages, a wheel is installed,
talus imported, a first simulation made, solved and shown as a page. Prints the seconds of each; more than 60 together fail.

    sudo python3 tests/install/five_minutes.py talus-*.whl [--root DIR] [--mirror URL] [--suite bookworm]

Needs root, debootstrap and a Debian mirror. A --root that is there is used as it is, and stays.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

MOST_SECONDS = 60
# Not python3-scipy: Debian's brings a compiler along.
PACKAGES = "python3,python3-pip,python3-numpy"
DEVELOPMENT = ("usr/bin/cc", "usr/bin/g++", "usr/bin/cmake", "usr/bin/ninja", "usr/include/eigen3", "usr/include/hdf5")

FIRST = """
import talus
world = talus.World()
world.add_body("floor", talus.half_space(), motion="fixed")
for i in range(10):
    world.add_body(f"ball {i}", talus.sphere(0.1), position=(0.02 * i, 0.01 * i, 0.2 + 0.25 * i))
simulation = talus.Simulation(world)
run = simulation.run(until=1.0, record=True)
assert run["converged"].all(), run
assert talus.solve(simulation.next_problem(), "newton", tolerance=1e-8).converged
run.view().save("/first.html")
talus.save_picture(simulation.render(), "/first.png")
"""


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_root(root, mirror, suite):
    if (root / "usr/bin/python3").exists():
        return
    if shutil.which("debootstrap") is None:
        sys.exit("debootstrap is missing: apt-get install debootstrap")
    run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, root, *([mirror] if mirror else []))


def five_minutes(root, wheel):
    for path in DEVELOPMENT:
        if (root / path).exists():
            sys.exit(f"{root / path} is there: this is no clean root")
    shutil.copyfile(wheel, root / wheel.name)
    (root / "first.py").write_text(FIRST)
    inside = ("chroot", root, "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "HOME=/root")
    steps = [("install the wheel", ("python3", "-m", "pip", "install", "--no-index", "--no-deps", "--force-reinstall", "--break-system-packages",
                                    f"/{wheel.name}")),
             ("import it", ("python3", "-c", "import talus")),
             ("simulate, solve, show", ("python3", "/first.py")),
             ("list the examples", ("python3", "-m", "talus.examples")),
             ("run one into a page", ("python3", "-m", "talus.examples", "sliding_box", "--save", "/box.html"))]
    total = 0.0
    for name, command in steps:
        begin = time.monotonic()
        run(*inside, *command)
        seconds = time.monotonic() - begin
        total += seconds
        print(f"{name:<24} {seconds:6.1f} s")
    for page in ("first.html", "box.html"):
        if 'id="talus-frames-0"' not in (root / page).read_text(encoding="utf-8"):
            sys.exit(f"{page} shows nothing")
    print(f"{'together':<24} {total:6.1f} s  (wheel {wheel.stat().st_size / 2**20:.1f} MB)")
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, help="folder of the root; made where it is not there")
    parser.add_argument("--mirror", help="of Debian, as debootstrap takes it")
    parser.add_argument("--suite", default="bookworm", help="of Debian, with the Python of the wheel")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="talus-root-") as folder:
        root = given.root or pathlib.Path(folder)
        make_root(root, given.mirror, given.suite)
        if five_minutes(root.resolve(), given.wheel) > MOST_SECONDS:
            sys.exit(f"more than {MOST_SECONDS} s")


if __name__ == "__main__":
    main()
