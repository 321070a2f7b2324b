#!/usr/bin/env python3
"""Runs the code blocks of Markdown pages: run_blocks.py BUILD SOURCE PAGE...

Fenced blocks of sh, python, yaml and cpp are run in order, page by page, in a scratch copy of the checkout:

    sh       with bash; `./talus` is the built program, whose long runs are cut short (see LAUNCHER)
    python   all blocks of a page in one interpreter
    yaml     a scene, or a part of one: it is built and stepped once
    cpp      a program: compiled against the library and run

<!-- file: NAME --> before a block writes it to that file too. <!-- not run: REASON --> before a block leaves it out; a
reason has to be given. Blocks of other languages (text, none) are never run; commands in an indented block, which nothing
would run, are a failure.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

LAUNCHER = """#!/usr/bin/env bash
# Stands for ./talus where the program is built already. Runs end after a few steps, solves and servers after a moment.
serve_a_moment() {
  local code=0
  timeout --signal INT 5 "$TALUS_PROGRAM" "$@" || code=$?
  [ "$code" = 0 ] || [ "$code" = 124 ] || exit "$code"
}
case " $* " in " view "* | " play "* | " render "* | *" --live "*) # Without node there is no page to serve.
  [ -f "$(dirname "$TALUS_PROGRAM")/viewer/index.html" ] || exit 0 ;;
esac
case "${1:-}" in
test | bench | tidy | docs | deb | tarball) grep -q "^$1)" "$TALUS_SOURCE/talus" ;;
play) serve_a_moment "$@" ;;
view) case " $* " in *" --html "* | *" --help "*) exec "$TALUS_PROGRAM" "$@" ;; *) serve_a_moment "$@" ;; esac ;;
render)
  command -v chromium >/dev/null || exit 0
  case " $* " in *".mp4 "* | *".gif "* | *".webp "*) command -v ffmpeg >/dev/null || exit 0 ;; esac
  exec "$TALUS_PROGRAM" "$@" ;;
run) case " $* " in *" --live "*) serve_a_moment "$@" --steps 3 ;; *" --steps "* | *" --time "* | *" --help "*) exec "$TALUS_PROGRAM" "$@" ;;
     *) exec "$TALUS_PROGRAM" "$@" --steps 3 ;; esac ;;
compare) exec "$TALUS_PROGRAM" "$@" --time-limit 0.1 ;;
*) exec "$TALUS_PROGRAM" "$@" ;;
esac
"""
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- (?P<what>file|not run): (?P<text>[^>]+?) -->\s*$")
INDENTED_COMMAND = re.compile(r"^ {4}(\./)?(talus|cmake|pip|python3) \S.*$", re.MULTILINE)
RUN = ("sh", "python", "yaml", "cpp")

build, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])


class Failure(Exception):
    pass


def blocks(text):
    """(line, language, code, mark) of every fenced block."""
    for match in FENCE.finditer(text):
        before = text[: match.start()].rstrip("\n").rpartition("\n")[2]
        mark = MARK.search(before)
        code = re.sub(rf"^{match['indent']}", "", match["code"], flags=re.MULTILINE)
        yield text[: match.start()].count("\n") + 1, match["language"], code, (mark["what"], mark["text"]) if mark else None


def check_indented(page, text):
    hidden = INDENTED_COMMAND.search(FENCE.sub("", text))
    if hidden:
        raise Failure(f"{page}: “{hidden[0].strip()}” is not in a fenced block, so no test runs it")


def scratch_copy(folder):
    for name in ("scenes", "models", "python", "tests/data"):
        shutil.copytree(source / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    launcher = folder / "talus"
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)


def run(command, folder, what):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{what} failed with {done.returncode}:\n{done.stdout}{done.stderr}")


def run_yaml(code, folder):
    if not re.search(r"^(bodies|generators):", code, re.MULTILINE):
        code += "\nbodies:\n  - {name: filler, shape: {type: sphere, radius: 1}}\n"
    path = folder / "block.yaml"
    path.write_text(code)
    run([os.environ["TALUS_PROGRAM"], "run", str(path), "--steps", "1"], folder, "the scene")


def run_cpp(code, folder):
    (folder / "block.cpp").write_text(code)
    libraries = subprocess.run(["pkg-config", "--libs", "hdf5", "qhull_r", "yaml-cpp", "fmt", "tbb", "zlib", "pugixml"],
                          capture_output=True, text=True, check=True).stdout.split()
    run(["c++", "-std=c++20", f"-I{source}/include", "block.cpp", "-o", "block", str(build / "libtalus.a"), *libraries, "-lmetis"],
        folder, "compiling")
    run(["./block"], folder, "the program")


def run_page(page):
    text = page.read_text(encoding="utf-8")
    check_indented(page, text)
    names, ran = {"__name__": "__main__"}, 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        scratch_copy(folder)
        os.chdir(folder)
        for line, language, code, mark in blocks(text):
            if mark and mark[0] == "file":
                (folder / mark[1]).write_text(code)
            if language not in RUN or (mark and mark[0] == "not run"):
                continue
            try:
                if language == "sh":
                    run(["bash", "-euo", "pipefail", "-c", code], folder, "the commands")
                elif language == "yaml":
                    run_yaml(code, folder)
                elif language == "cpp":
                    run_cpp(code, folder)
                else:
                    exec(compile(code, f"{page.name}:{line}", "exec"), names)
            except Failure as failure:
                raise Failure(f"{page}:{line}: {failure}") from None
            except Exception as error:
                raise Failure(f"{page}:{line}: {type(error).__name__}: {error}") from error
            ran += 1
        os.chdir(source)
    return ran


def main():
    os.environ.update(TALUS_PROGRAM=str(build / "talus"), TALUS_SOURCE=str(source), MPLBACKEND="Agg",
                      PYTHONPATH=str(build / "python"))
    sys.path.insert(0, str(build / "python"))
    for page in sys.argv[3:]:
        start = time.monotonic()
        count = run_page(pathlib.Path(page).resolve())
        print(f"{page}: {count} blocks in {time.monotonic() - start:.1f} s")


try:
    main()
except Failure as failure:
    sys.exit(str(failure))
