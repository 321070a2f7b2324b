#!/usr/bin/env python3
"""Builds the documentation site: build_site.py BUILD. Pages lie in docs/; this adds, in BUILD/docs, what is made:

reference/commands.md from --help, reference/catalogue.md and a page for every solver from `talus solvers`, the opening comments
of the solvers' files and `talus compare`, reference/python.md from the docstrings, reference/cpp.md from the headers, convergence
pictures of the families by `talus compare`, plots of scenes by `talus run`. Then mkdocs runs.
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
    "sweeps": ("jacobi,nsgs,nlgs,nncg,ansgs", "heavy_on_light", []),
    "gradients": ("pgd,apgd,spg,bb", "heavy_on_light", []),
    "active_sets": ("cpg,gpminres,gpminres-p,kucera", "heavy_on_light", []),
    "splitting": ("admm,apgd", "masonry_arch", []),
    "newton": ("newton,prox-newton,hybrid-newton", "masonry_arch", []),
    "interior_points": ("conic-ip,coulomb-ip,ip-newton,fold-ip", "masonry_arch", []),
    "others": ("amg,pgs,keller", "heavy_on_light", ["--friction", "none"]),
}
# What the page of a solver shows: the first of these that it solves. Name, problem, options.
SMALL = "out/sliding_box.hdf5"
COMPARED = [
    ("all_cone", "tests/data/masonry_arch.hdf5", []),
    ("all_pyramid", "tests/data/masonry_arch.hdf5", ["--friction", "pyramid"]),
    ("all_frictionless", "tests/data/heavy_on_light.hdf5", ["--friction", "none"]),
    ("all_small", SMALL, ["--friction", "pyramid"]),
]
PICTURED = {"masonry_arch": 120, "card_house": 60, "slider_crank": 200}


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def write(name, text):
    path = pages / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def commands():
    text = "# Commands\n\nGenerated from `--help`.\n\n"
    listing = run(program, "--help")
    text += f"```text\n{listing}```\n"
    for line in listing.split("Subcommands:")[1].splitlines():
        if line.startswith("  ") and line[2] != " ":
            name = line.split()[0]
            text += f"\n## talus {name}\n\n```text\n{run(program, name, '--help')}```\n"
    write("reference/commands.md", text)


def catalogue():
    solvers = json.loads(run(program, "solvers", "--json"))
    text = "# Catalogue of solvers\n\nGenerated from `talus solvers --json`. Every name links to the page of the solver.\n\n"
    text += "| solver | what it is | products per iteration |\n|---|---|---|\n"
    for solver in solvers:
        name, cells = solver["name"], (solver["summary"], solver["products_per_iteration"])
        text += f"| [{name}](solvers/{name}.md) | " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
    write("reference/catalogue.md", text)
    comparisons = [compared_solvers(*each) for each in COMPARED]
    for solver in solvers:
        write(f"reference/solvers/{solver['name']}.md", solver_page(solver, comparisons))


def compared_solvers(name, problem, options):
    """All solvers on one problem: how it was called, the results, and the lines of the convergence table by solver."""
    folder = build / "docs_compare" / name
    settings = ["--tol", "1e-8", "--time-limit", "1", *options]
    path = problem
    if problem == SMALL:
        path = build / "docs_compare/sliding_box.hdf5"
        path.parent.mkdir(exist_ok=True)
        run(program, "export", "scenes/sliding_box.yaml", "--step", "2", "--out", path)
    run(program, "compare", path, *settings, "--out", folder)
    head, *lines = (folder / "convergence.csv").read_text(encoding="utf-8").splitlines()
    column = head.split(",").index("solver")
    histories = {}
    for line in lines:
        histories.setdefault(line.split(",")[column], []).append(line)
    return folder, " ".join([problem, *settings]), json.loads((folder / "results.json").read_text(encoding="utf-8")), head, histories


def solver_page(solver, comparisons):
    name = solver["name"]
    text = f"# {name}\n\n{solver['summary']}\n\n## Algorithm, cost, when to use it\n\n```text\n{opening_comment(name)}\n```\n"
    text += f"\n## Problems it accepts, and its options\n\n```text\n{run(program, 'solvers', name)}```\n\n## Convergence\n\n"
    ranks = ["converged", "iteration_limit", "time_limit"]

    def status(comparison):
        return next(each for each in comparison[2]["runs"] if each["solver"] == name)["status"]

    folder, call, results, head, histories = min(
        comparisons, key=lambda each: ranks.index(status(each)) if status(each) in ranks else len(ranks))
    outcome = next(each for each in results["runs"] if each["solver"] == name)
    text += f"`./talus compare {call}`: {outcome['status']}, iterations: {outcome['iterations']}, error {outcome['error']:.1e}.\n"
    if len(histories.get(name, [])) > 2:
        image = f"images/convergence_of_{name}.svg"
        write(image, convergence_of({name, "apgd", "nsgs"}, folder, results, head, histories))
        text += f"\n![Convergence of {name}](../../{image})\n"
    else:
        text += "\nIt records no iterates, so there is no curve.\n"
    return text


def opening_comment(name):
    """Of the file that makes the solver."""
    factory = re.compile(rf"^std::unique_ptr<Solver> make_{name.replace('-', '_')}\(\) {{", re.MULTILINE)
    for path in sorted((ROOT / "src/talus/solve").rglob("*.cpp")):
        source = path.read_text(encoding="utf-8")
        if factory.search(source):
            comment = re.match(r"(?://.*\n)*", source)[0]
            return "\n".join(line.removeprefix("//").removeprefix(" ") for line in comment.splitlines())
    raise SystemExit(f"no file of src/talus/solve makes the solver {name}")


def convergence_of(names, folder, results, head, histories):
    """The picture of some solvers out of a comparison of all."""
    few = {**results, "solvers": [each for each in results["solvers"] if each["name"] in names],
           "runs": [each for each in results["runs"] if each["solver"] in names]}
    lines = [line for name in sorted(names) for line in histories.get(name, [])]
    (folder / "few.json").write_text(json.dumps(few), encoding="utf-8")
    (folder / "few.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return convergence_picture(folder / "few.json", folder / "few.csv")


def convergence_picture(results, table):
    figures = json.loads(run(python(), ROOT / "apps/plots/compare_plots.py", results, table))["figures"]
    return standalone(next(figure["svg"] for figure in figures if figure["section"] == "convergence"))


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
    text = "# C++\n\nEvery header begins with its purpose. `#include <talus/ROOM/HEADER>`.\n"
    headers = ROOT / "include/talus"
    for room in ("world", "step", "io", "shape", "collide", "problem", "solve", "contact", "inspect", "core"):
        text += f"\n## {room}\n"
        for header in sorted((headers / room).rglob("*.h")):
            comment = re.match(r"#pragma once\n((?://.*\n)*)", header.read_text(encoding="utf-8"))[1]
            opening = "\n".join(line.removeprefix("//").removeprefix(" ") for line in comment.splitlines())
            text += f"\n### {header.relative_to(headers)}\n\n```text\n{opening}\n```\n"
    write("reference/cpp.md", text)


def convergence_pictures():
    for family, (solvers, problem, options) in FAMILIES.items():
        folder = build / "docs_compare" / family
        run(program, "compare", ROOT / f"tests/data/{problem}.hdf5", "--solvers", solvers, "--tol", "1e-8", "--time-limit", "1",
            "--out", folder, *options)
        write(f"images/convergence_{family}.svg", convergence_picture(folder / "results.json", folder / "convergence.csv"))


def python():
    return os.environ.get("TALUS_PYTHON", "/usr/bin/python3")


def standalone(svg):
    """A picture of its own: namespace given, colours that do not come from a page."""
    if "xmlns=" not in svg:
        svg = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"', 1)
    return svg.replace("<svg", '<svg color="#333"', 1).replace("var(--grid)", "#ddd")


def gallery():
    text = ""
    for scene, steps in PICTURED.items():
        folder = build / "docs_runs" / scene
        run(program, "run", ROOT / f"scenes/{scene}.yaml", "--steps", steps, "--tol", "1e-6", "--out", folder)
        write(f"images/run_{scene}.svg", standalone((folder / "plot.svg").read_text(encoding="utf-8")))
        text += f"## {scene}\n\n`./talus run scenes/{scene}.yaml --steps {steps} --tol 1e-6 --out out/{scene}`\n\n"
        text += f"![{scene}](images/run_{scene}.svg)\n\n"
    page = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
    write("gallery.md", page.replace("<!-- plots of runs: made while the site is built -->", text))


def main():
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for make in (commands, catalogue, python_reference, cpp_reference, convergence_pictures, gallery):
        make()
    configuration = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for place, here in (("build/docs", pages), ("build/site", build / "site")):
        configuration = configuration.replace(place, str(here))
    solvers = "".join(f"      - {page.stem}: reference/solvers/{page.name}\n" for page in sorted((pages / "reference/solvers").glob("*.md")))
    path = build / "mkdocs.yml"
    path.write_text(configuration.replace("  - Gallery:", f"  - Solvers one by one:\n{solvers}  - Gallery:"), encoding="utf-8")
    subprocess.run([python(), "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(path)], check=True)
    print(build / "site/index.html")


main()
