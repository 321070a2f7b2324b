#!/usr/bin/env python3
"""Checks ./talus with stand-ins for what it calls: silent when there is nothing to build, also in a terminal and through a
symbolic link, a message while it builds, the compiler's words when that fails, a wheel for other processors.
Usage: check_launcher.py SOURCE_ROOT"""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

STAND_INS = {
    "dpkg-query": 'for name in "$@"; do case "$name" in -*) ;; *) echo "$name install ok installed" ;; esac; done',
    "cmake": 'echo "$*" >"${TMPDIR:-/tmp}/cmake.called"; while [ "$1" != -B ]; do shift; done; mkdir -p "$2"; touch "$2/build.ninja"',
    # Sleeps forever, so that the launcher never has waited long enough to say something; or tells that it is called.
    "sleep": 'if [ -n "$TALUS_TEST_SLOW" ]; then [ ! -e "$TALUS_TEST_SLOW" ] || touch "$TALUS_TEST_SLOW.spoken"; touch "$TALUS_TEST_SLOW"\n'
             'else exec /bin/sleep 30; fi',
    "ninja": 'echo "$*" >"${TMPDIR:-/tmp}/ninja.called"\n'
             '[ -z "$TALUS_TEST_SLOW" ] || while [ ! -e "$TALUS_TEST_SLOW.spoken" ]; do /bin/sleep 0.01; done\n'
             '[ -z "$TALUS_TEST_BROKEN" ] || { echo "x.cpp:1: error: broken"; exit 1; }',
}
PROGRAM = '#!/bin/sh\necho "program: $* (called $TALUS_COMMAND)"\n'


def check(condition, what):
    if not condition:
        sys.exit(f"check_launcher: {what}")


def make_checkout(root, scratch):
    checkout = scratch / "checkout"
    (checkout / "build").mkdir(parents=True)
    for name in ("talus", "packages.txt", "packages-mpi.txt"):
        shutil.copy(root / name, checkout / name)
    (checkout / "build/talus").write_text(PROGRAM)
    (checkout / "python/tools").mkdir(parents=True)
    (checkout / "python/tools/make_wheel.py").write_text("import os, sys\nprint(os.environ['TALUS_BUILD_DIR'], *sys.argv[1:])\n")
    (checkout / "build/talus").chmod(0o755)
    (checkout / "docs").mkdir()
    (checkout / "docs/build_site.py").write_text("import sys\nprint('site:', *sys.argv[1:])\n")
    folder = scratch / "bin"
    folder.mkdir()
    for name, script in STAND_INS.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return checkout, {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(scratch), "TMPDIR": str(scratch)}


def call(program, *arguments, environment, cwd):
    return subprocess.run([str(program), *arguments], capture_output=True, text=True, env=environment, cwd=cwd)


def in_terminal(program, *arguments, environment, cwd):
    """What a terminal shows: control sequences taken off."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([str(program), *arguments], stdin=follower, stdout=subprocess.PIPE, stderr=follower,
                               env=environment, cwd=cwd)
    said, _ = process.communicate()
    os.close(follower)
    shown = b""
    try:
        while piece := os.read(leader, 4096):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    return said.decode(), re.sub(r"\x1b\[[0-9;]*[A-Za-z]|[\r\n]", "", shown.decode())


def check_wheels(checkout, environment, scratch):
    for given, folder, option in (([], "build", ""), (["--arch", "x86-64-v2"], "build-x86-64-v2", "-DTALUS_ARCH=x86-64-v2")):
        done = call(checkout / "talus", "wheel", *given, environment=environment, cwd=scratch)
        check(done.returncode == 0 and done.stdout == f"{checkout / folder} {checkout / folder / 'wheel'}\n", f"wheel says {done}")
        configured = (scratch / "cmake.called").read_text()
        check(f"-B {checkout / folder} " in configured and option in configured and (option or "TALUS_ARCH" not in configured),
              f"for a wheel it configures {configured}")
    done = call(checkout / "talus", "wheel", "--arch", environment=environment, cwd=scratch)
    check(done.returncode != 0 and "--arch takes an architecture" in done.stderr, f"without an architecture it says {done.stderr}")


def check_site(checkout, environment, scratch):
    """The page of commands asks every program, so that the site needs all of them."""
    done = call(checkout / "talus", "docs", environment=environment, cwd=scratch)
    check(done.returncode == 0 and done.stdout == f"site: {checkout / 'build'}\n", f"docs says {done}")
    built = set((scratch / "ninja.called").read_text().split())
    check({"talus_program", "talus_reproduce", "talus_python", "viewer"} <= built, f"for the site it builds {built}")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        checkout, environment = make_checkout(root, scratch)
        elsewhere = scratch / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "link").symlink_to(checkout / "talus")
        for program in (checkout / "talus", elsewhere / "link"):
            done = call(program, "run", "a b.yaml", environment=environment, cwd=elsewhere)
            check(done.returncode == 0 and done.stderr == "", f"{program} is not silent: {done.stderr}")
            check(done.stdout == f"program: run a b.yaml (called {program})\n", f"{program} says {done.stdout}")
        said, shown = in_terminal(checkout / "talus", "solvers", environment=environment, cwd=elsewhere)
        check(said.startswith("program: solvers") and shown == "", f"in a terminal it shows {shown!r}")
        slow = {**environment, "TALUS_TEST_SLOW": str(scratch / "slow")}
        done = call(checkout / "talus", "solvers", environment=slow, cwd=elsewhere)
        check(done.returncode == 0 and done.stderr.startswith("talus: building"), f"while it builds it says {done.stderr!r}")
        broken = {**environment, "TALUS_TEST_BROKEN": "yes"}
        done = call(checkout / "talus", "solvers", environment=broken, cwd=elsewhere)
        check_wheels(checkout, environment, scratch)
        check_site(checkout, environment, scratch)
        check(done.returncode == 1 and "x.cpp:1: error: broken" in done.stderr and "failed" in done.stderr and not done.stdout,
              f"when the build fails it says {done.stderr!r}")


if __name__ == "__main__":
    main()
