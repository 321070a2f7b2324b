#!/usr/bin/env python3
"""Builds the documentation site: build_site.py BUILD. Pages lie in docs/; this adds, in BUILD/docs, what is made:

reference/commands.md from --help, reference/catalogue.md from `talus solvers`, reference/python.md from the docstrings,
reference/cpp.md from the headers, convergence pictures by `talus compare`, plots of scenes by `talus run`. Then mkdocs runs.
"""

import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
build = pathlib.Path(sys.argv[1]).resolve()
pages = build / "docs"
program = build / "talus"

FAMILIES = {
    "sweeps": ("jacobi,nsgs,nlgs,nncg", "heavy_on_light", []),
    "gradients": ("pgd,apgd,spg,bb", "heavy_on_light", []),
    "active_sets": ("cpg,gpminres,gpminres-p,kucera", "heavy_on_light", []),
    "splitting": ("admm,apgd", "masonry_arch", []),
    "newton": ("newton,prox-newton,hybrid-newton", "masonry_arch", []),
    "others": ("amg,pgs,keller", "heavy_on_light", ["--friction", "none"]),
}
PICTURED = {"masonry_arch": 120, "card_house": 60, "slider_crank": 200}


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def write(name, text):
    path = pages / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def commands():
    text = "# Commands\n\nMade from the program's own `--help`.\n\n"
    listing = run(program, "--help")
    text += f"```text\n{listing}```\n"
    for line in listing.split("Subcommands:")[1].splitlines():
        if line.startswith("  ") and line[2] != " ":
            name = line.split()[0]
            text += f"\n## talus {name}\n\n```text\n{run(program, name, '--help')}```\n"
    write("reference/commands.md", text)


def catalogue():
    text = "# Catalogue of solvers\n\nMade from `talus solvers --json`.\n"
    for solver in json.loads(run(program, "solvers", "--json")):
        text += f"\n## {solver['name']}\n\n```text\n{run(program, 'solvers', solver['name'])}```\n"
    write("reference/catalogue.md", text)


def documented(node):
    return ast.get_docstring(node) or ""


def python_reference():
    """From the stubs, which a test keeps equal to the module."""
    tree = ast.parse((ROOT / "python/talus/__init__.pyi").read_text(encoding="utf-8"))
    text = f"# Python\n\n```text\n{documented(tree)}\n```\n"

    def entry(node, prefix=""):
        arguments = ", ".join(a.arg for a in node.args.args + node.args.kwonlyargs if a.arg != "self")
        is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)
        head = f"{prefix}{node.name}" if is_property else f"{prefix}{node.name}({arguments})"
        return f"- **`{head}`** {documented(node)}\n"

    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            text += f"\n## {node.name}\n\n{documented(node)}\n\n"
            for member in node.body:
                setter = isinstance(member, ast.FunctionDef) and any(isinstance(d, ast.Attribute) for d in member.decorator_list)
                if isinstance(member, ast.FunctionDef) and not setter and (not member.name.startswith("_") or member.name == "__init__"):
                    text += entry(member).replace("__init__", node.name)
    text += "\n## Functions\n\n" + "".join(entry(n, "talus.") for n in tree.body if isinstance(n, ast.FunctionDef))
    write("reference/python.md", text)


def cpp_reference():
    """The opening comment of every header, room by room."""
    text = "# C++\n\nEvery header opens with what it is for. `#include <talus/ROOM/HEADER>`.\n"
    for room in ("world", "step", "io", "shape", "problem", "solve", "collide", "core"):
        text += f"\n## {room}\n"
        for header in sorted((ROOT / "src/talus" / room).glob("*.h")):
            comment = re.match(r"#pragma once\n((?://.*\n)*)", header.read_text(encoding="utf-8"))[1]
            opening = "\n".join(line.removeprefix("//").removeprefix(" ") for line in comment.splitlines())
            text += f"\n### {room}/{header.name}\n\n```text\n{opening}\n```\n"
    write("reference/cpp.md", text)


def convergence_pictures():
    images = pages / "images"
    images.mkdir(exist_ok=True)
    for family, (solvers, problem, options) in FAMILIES.items():
        folder = build / "docs_compare" / family
        run(program, "compare", ROOT / f"tests/data/{problem}.hdf5", "--solvers", solvers, "--tol", "1e-8", "--time-limit", "1",
            "--out", folder, *options)
        figures = json.loads(run(python(), ROOT / "apps/plots/compare_plots.py", folder / "results.json", folder / "convergence.csv"))
        drawn = [figure["svg"] for figure in figures["figures"] if figure["section"] == "convergence"]
        write(f"images/convergence_{family}.svg", standalone(drawn[0]))


def python():
    return os.environ.get("TALUS_PYTHON", "/usr/bin/python3")


def standalone(svg):
    """A picture of its own: namespace given, colours that do not come from a page."""
    if "xmlns=" not in svg:
        svg = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"', 1)
    return svg.replace("<svg", '<svg color="#333"', 1).replace("var(--grid)", "#ddd")


def gallery():
    text = ""
    for picture in sorted((ROOT / "docs/images").glob("*.png")):
        text += f"![{picture.stem}](images/{picture.name})\n\n"
    for scene, steps in PICTURED.items():
        folder = build / "docs_runs" / scene
        run(program, "run", ROOT / f"scenes/{scene}.yaml", "--steps", steps, "--tol", "1e-6", "--out", folder)
        write(f"images/run_{scene}.svg", standalone((folder / "plot.svg").read_text(encoding="utf-8")))
        text += f"## {scene}\n\n`./talus run scenes/{scene}.yaml --steps {steps} --tol 1e-6 --out out/{scene}`\n\n"
        text += f"![{scene}](images/run_{scene}.svg)\n\n"
    page = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
    write("gallery.md", page.replace("GALLERY", text))


def main():
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for make in (commands, catalogue, python_reference, cpp_reference, convergence_pictures, gallery):
        make()
    configuration = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    path = build / "mkdocs.yml"
    path.write_text(configuration.replace("build/docs", str(pages)).replace("build/site", str(build / "site")), encoding="utf-8")
    subprocess.run([python(), "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(path)], check=True)
    print(build / "site/index.html")


main()
