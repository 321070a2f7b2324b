#!/usr/bin/env python3
"""Installs a build, moves the tree, and uses it from there: check_install.py BUILD SOURCE.

The program finds its plotting scripts, the ten lines of tests/install/consumer build with find_package and with
pkg-config, the completion offers what --help lists, the man page names every option, and Python imports the package.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

build, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])


def run(*command, **options):
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def check(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")
    print(f"ok: {what}")


def check_program(prefix, scratch):
    program = prefix / "bin/talus"
    environment = {**os.environ, "TALUS_PYTHON": sys.executable}
    environment.pop("TALUS_PLOTS", None)
    page = scratch / "compare"
    run(program, "compare", source / "tests/data/heavy_on_light.hdf5", "--solvers", "newton", "--tol", "1e-4",
        "--out", page, env=environment)
    check("<svg" in (page / "index.html").read_text(), "the moved program draws plots")
    check_scenes(prefix, scratch)


def check_scenes(prefix, scratch):
    """All files of scenes are there: meshes and beds that they name, too."""
    there = prefix / "share/talus/scenes"
    files = [{str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} for folder in (source / "scenes", there)]
    check(files[0] == files[1], "the scenes are installed with the files that they name")
    for name in ("sliding_box", "gears_from_mesh"):
        said = run(prefix / "bin/talus", "run", there / f"{name}.yaml", "--steps", "2", "--json", cwd=scratch)
        check('"steps":2' in said.replace(" ", ""), f"the installed scene {name} runs")


def check_cmake(prefix, scratch):
    run("cmake", "-S", source / "tests/install/consumer", "-B", scratch / "consumer",
        f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug")
    run("cmake", "--build", scratch / "consumer")
    run(scratch / "consumer/consumer")
    print("ok: the consumer with find_package(talus) builds and runs")
    for file in (prefix / "lib").rglob("*.cmake"):
        check(str(build) not in file.read_text(), f"{file.name} names no folder of the build")


def check_headers(prefix):
    headers = {str(path.relative_to(prefix / "include")): path.read_text() for path in (prefix / "include").rglob("*.h")}
    check("talus/step/simulation.h" in headers and "talus/solve/registry.h" in headers, "the headers are installed")
    for name, text in headers.items():
        for included in re.findall(r'^#include [<"]([^>"]+)', text, re.MULTILINE):
            if included.startswith("talus/") and included not in headers:
                sys.exit(f"not so: {name} includes {included}, which is not installed")
            if re.match(r"Eigen|hdf5", included):
                sys.exit(f"not so: {name} needs {included}")
    print("ok: the installed headers need each other and neither Eigen nor HDF5")


def check_pkg_config(prefix, scratch):
    [folder] = {path.parent for path in prefix.rglob("talus.pc")}
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    flags = run("pkg-config", "--cflags", "--libs", "talus", env=environment).split()
    run("c++", source / "tests/install/consumer/main.cpp", "-o", scratch / "with_pkg_config", *flags)
    run(scratch / "with_pkg_config")
    print("ok: the consumer with pkg-config builds and runs")


def options_of(program, *command):
    """The long options that a help text lists."""
    listed = re.findall(r"^  (?:-\w,)?(--[\w-]+)", run(program, *command, "--help"), re.MULTILINE)
    return sorted(listed)


def completions(program, script, *words):
    quoted = " ".join(f"'{word}'" for word in (program, *words))
    text = f"source '{script}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _talus; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return sorted(run("bash", "-c", text).split())


def check_zsh(prefix):
    script = prefix / "share/zsh/vendor-completions/_talus"
    check(script.read_text().startswith("#compdef talus\n"), "the completion of zsh is installed")
    if shutil.which("zsh"):
        run("zsh", "-n", script)
        print("ok: zsh reads its completion")
    else:
        print("skipped: zsh is not installed")


def check_help(prefix):
    program = prefix / "bin/talus"
    script = prefix / "share/bash-completion/completions/talus"
    manual = (prefix / "share/man/man1/talus.1").read_text().replace("\\-", "-")
    listing = run(program, "--help").split("Subcommands:")[1]
    commands = sorted(line.split()[0] for line in listing.splitlines() if line.startswith("  ") and line[2] != " ")
    offered = completions(program, script, "")
    check(set(commands) <= set(offered), "the completion offers all commands")
    for command in commands:
        options = options_of(program, command)
        check(options and options == completions(program, script, command, "--"),
              f"the completion offers all options of {command}")
        check(f".SS talus {command}\n" in manual and all(option in manual for option in options),
              f"the man page tells all options of {command}")
    solvers = completions(program, script, "solve", "--solver", "")
    scene = prefix / "share/talus/scenes/incline.yaml"
    keys = completions(program, script, "run", str(scene), "--set", "")
    check("step=" in keys and all(key.endswith("=") for key in keys), "the completion offers keys of the scene")
    check_zsh(prefix)
    listed = completions(program, script, "compare", "--solvers", "nsgs,apg")
    check(listed and all(word.startswith("nsgs,apg") for word in listed), "a further solver is completed after a comma")
    check("apgd" in solvers and "prox-newton" in solvers and len(solvers) > 10, "the completion offers solvers")


def check_python(prefix):
    packages = [path.parent for path in prefix.rglob("talus/__init__.py")]
    if not packages:
        print("skipped: the build has no Python package (pybind11-dev is missing)")
        return
    environment = {**os.environ, "PYTHONPATH": str(packages[0].parent)}
    where = run(sys.executable, "-c", "import talus; print(talus.__file__, len(talus.solver_names()))", env=environment)
    check(str(prefix) in where, "the installed Python package is imported")


def check_deb(scratch):
    run("cpack", "-G", "DEB", "-B", scratch / "deb", "--config", build / "CPackConfig.cmake", cwd=scratch)
    [deb] = (scratch / "deb").glob("talus_*.deb")
    content = run("dpkg-deb", "--contents", deb)
    check("dist-packages" not in content, "the Python package is a .deb of its own")
    for path in ("./usr/bin/talus", "talusConfig.cmake", "talus.pc", "talus.1", "completions/talus", "plots/compare_plots.py",
                 "doc/talus/copyright"):
        check(path in content, f"the .deb holds {path}")
    check("libtbb" in run("dpkg-deb", "--field", deb, "Depends"), "the .deb depends on the libraries it uses")
    check("libtalus-dev" in run("dpkg-deb", "--field", deb, "Provides"), "the .deb provides libtalus-dev")
    pythons = list((scratch / "deb").glob("python3-talus_*.deb"))
    if not pythons:
        print("skipped: python3-talus (the build has no Python package)")
        return
    content = run("dpkg-deb", "--contents", pythons[0])
    check("./usr/lib/python3/dist-packages/talus/__init__.py" in content and "/_talus." in content and "usr/bin" not in content,
          "python3-talus holds the package alone")
    needs = run("dpkg-deb", "--field", pythons[0], "Depends")
    check(all(name in needs for name in ("python3-numpy", "python3-scipy", "libtbb", f"python3 (>= 3.{sys.version_info.minor})")),
          "python3-talus depends on what it uses")


def check_archive(scratch):
    """The archive unpacks to one folder from which everything runs."""
    run("cpack", "-G", "TGZ", "-B", scratch / "tgz", "--config", build / "CPackConfig.cmake", cwd=scratch)
    [archive] = (scratch / "tgz").glob("talus-*-Linux-*.tar.gz")
    run("tar", "-xzf", archive, "-C", scratch)
    [folder] = scratch.glob("talus-*-Linux-*")
    check_scenes(folder, scratch)
    check_python(folder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        run("cmake", "--install", build, "--prefix", scratch / "first")
        prefix = scratch / "moved"
        shutil.move(scratch / "first", prefix)
        check_program(prefix, scratch)
        check_help(prefix)
        check_headers(prefix)
        check_cmake(prefix, scratch)
        check_pkg_config(prefix, scratch)
        check_python(prefix)
        check_archive(scratch)
        if shutil.which("dpkg-shlibdeps"):
            check_deb(scratch)
        else:
            print("skipped: the .deb (dpkg-dev is missing)")


main()
