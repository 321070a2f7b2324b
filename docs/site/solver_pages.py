"""The catalogue of solvers and a page for each, from the registry, the opening comments of the files and `talus compare`."""

import json
import re

from prose import capitalised, escaped, markdown

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
# Which page of theory/ tells of the solvers of a folder of src/talus/solve.
THEORY = {
    "sweeps": ("sweeps", "Sweeps"), "gradients": ("gradients", "Gradient methods"),
    "active_set": ("active_sets", "Conjugate gradients and active sets"), "splitting": ("splitting", "Splitting"),
    "newton": ("newton", "Newton methods"), "interior_point": ("interior_points", "Interior points"),
    "central_path": ("interior_points", "Interior points"), "lcp": ("others", "Direct methods and multigrid"),
    "multigrid": ("others", "Direct methods and multigrid"), "coulomb": ("laws", "Laws and friction sets"),
}
BLANK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 5"></svg>'


class SolverPages:
    def __init__(self, site):
        self.site = site
        self.solvers = json.loads(site.run(site.program, "solvers", "--json"))

    def make(self):
        text = "# Catalogue of solvers\n\nMade from `talus solvers --json`. Every name links to the page of the solver;\n"
        text += "[solvers](../solvers.md) says which one to use when.\n\n"
        text += "| solver | what it is | products per iteration |\n|---|---|---|\n"
        for solver in self.solvers:
            name = solver["name"]
            text += f"| [{name}](solvers/{name}.md) | {escaped(solver['summary'])} | {escaped(solver['products_per_iteration'])} |\n"
        self.site.write("reference/catalogue.md", text)
        comparisons = [] if self.site.quick else [self.compared(*each) for each in COMPARED]
        for solver in self.solvers:
            self.site.write(f"reference/solvers/{solver['name']}.md", self.page(solver, comparisons))
        for family in FAMILIES:
            self.family_picture(family)

    def is_known(self, folder):
        """Whether a comparison is there and newer than the program."""
        results = folder / "results.json"
        return results.exists() and results.stat().st_mtime > self.site.program.stat().st_mtime

    def compared(self, name, problem, options):
        """All solvers on one problem: how it was called, the results, and the lines of the convergence table by solver."""
        folder = self.site.build / "docs_compare" / name
        settings = ["--tol", "1e-8", "--time-limit", "1", *options]
        path = problem
        if problem == SMALL:
            path = self.site.build / "docs_compare/sliding_box.hdf5"
            path.parent.mkdir(exist_ok=True)
            self.site.run(self.site.program, "export", "scenes/sliding_box.yaml", "--step", "2", "--out", path)
        everyone = ",".join(solver["name"] for solver in self.solvers)
        if not self.is_known(folder):
            self.site.run(self.site.program, "compare", path, "--solvers", everyone, *settings, "--out", folder)
        head, *lines = (folder / "convergence.csv").read_text(encoding="utf-8").splitlines()
        column = head.split(",").index("solver")
        histories = {}
        for line in lines:
            histories.setdefault(line.split(",")[column], []).append(line)
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        return folder, " ".join([problem, *settings]), results, head, histories

    def page(self, solver, comparisons):
        name = solver["name"]
        path, opening = self.opening_comment(name)
        text = f"# {name}\n\n{capitalised(escaped(solver['summary']))}.\n\n"
        text += f"```text\n./talus solve PROBLEM.hdf5 --solver {name}\n./talus run SCENE.yaml --set solver.name={name}\n```\n"
        text += f"\n## Algorithm, cost, when to use it\n\n{markdown(opening)}\nSource: `{path}`."
        family = THEORY.get(path.split("/")[3])
        text += f" Theory: [{family[1]}](../../theory/{family[0]}.md).\n" if family else "\n"
        text += self.abilities(solver) + self.options(solver)
        if solver.get("details"):
            text += f"\n## Details\n\n```text\n{solver['details'].rstrip()}\n```\n"
        return text + (self.convergence(name, comparisons) if comparisons else "")

    @staticmethod
    def abilities(solver):
        yes = {True: "yes", False: "no"}
        rows = {
            "paper": solver["paper"], "laws": ", ".join(solver["laws"]), "Coulomb's law by": solver["coulomb"],
            "friction sets in space": ", ".join(solver["friction"]) or "none of them",
            "friction sets in the plane": ", ".join(solver["friction_plane"]) or "none of them",
            "rolling and spinning": yes[solver["rolling"]], "joints": yes[solver["joints"]],
            "warm start": yes[solver["warm_start"]], "products per iteration": solver["products_per_iteration"],
        }
        return "\n## Problems it accepts\n\n| | |\n|---|---|\n" + "".join(f"| {key} | {escaped(value)} |\n" for key, value in rows.items())

    @staticmethod
    def options(solver):
        if not solver["options"]:
            return "\n## Options\n\nNone.\n"
        text = "\n## Options\n\n| option | default | range or choices | meaning |\n|---|---|---|---|\n"
        for option in solver["options"]:
            allowed = option.get("range") or ", ".join(option.get("choices", []))
            text += f"| `{option['name']}` | `{option['default']}` | {escaped(allowed)} | {escaped(option['doc'])} |\n"
        return text

    def convergence(self, name, comparisons):
        ranks = ["converged", "iteration_limit", "time_limit"]

        def status(comparison):
            return next(each for each in comparison[2]["runs"] if each["solver"] == name)["status"]

        folder, call, results, head, histories = min(
            comparisons, key=lambda each: ranks.index(status(each)) if status(each) in ranks else len(ranks))
        outcome = next(each for each in results["runs"] if each["solver"] == name)
        text = f"\n## Convergence\n\n`./talus compare {call}`\n\n"
        text += f"{outcome['status'].replace('_', ' ').capitalize()}, iterations: {outcome['iterations']}, error {outcome['error']:.1e}.\n"
        if len(histories.get(name, [])) <= 2:
            return text + "\nIt records no iterates, so there is no curve.\n"
        image = f"images/convergence_of_{name}.svg"
        self.site.write(image, self.picture_of({name, "apgd", "nsgs"}, folder, results, head, histories))
        return text + f"\n![Convergence of {name}](../../{image})\n"

    def opening_comment(self, name):
        """(path, comment) of the file that makes the solver."""
        factory = re.compile(rf"^std::unique_ptr<Solver> make_{name.replace('-', '_')}\(\) {{", re.MULTILINE)
        for path in sorted((self.site.root / "src/talus/solve").rglob("*.cpp")):
            source = path.read_text(encoding="utf-8")
            if factory.search(source):
                comment = re.match(r"(?://.*\n)*", source)[0]
                lines = [line.removeprefix("//").removeprefix(" ") for line in comment.splitlines()]
                return path.relative_to(self.site.root).as_posix(), "\n".join(lines)
        raise SystemExit(f"no file of src/talus/solve makes the solver {name}")

    def picture_of(self, names, folder, results, head, histories):
        """The picture of some solvers out of a comparison of all."""
        few = {**results, "solvers": [each for each in results["solvers"] if each["name"] in names],
               "runs": [each for each in results["runs"] if each["solver"] in names]}
        lines = [line for name in sorted(names) for line in histories.get(name, [])]
        (folder / "few.json").write_text(json.dumps(few), encoding="utf-8")
        (folder / "few.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
        return self.picture(folder / "few.json", folder / "few.csv")

    def picture(self, results, table):
        figures = json.loads(self.site.run(self.site.python, self.site.root / "apps/plots/compare_plots.py", results, table))["figures"]
        return self.site.standalone(next(figure["svg"] for figure in figures if figure["section"] == "convergence"))

    def family_picture(self, family):
        image = f"images/convergence_{family}.svg"
        if self.site.quick:
            self.site.write(image, BLANK)
            return
        solvers, problem, options = FAMILIES[family]
        folder = self.site.build / "docs_compare" / family
        if not self.is_known(folder):
            self.site.run(self.site.program, "compare", f"tests/data/{problem}.hdf5", "--solvers", solvers, "--tol", "1e-8",
                          "--time-limit", "1", "--out", folder, *options)
        self.site.write(image, self.picture(folder / "results.json", folder / "convergence.csv"))
