#!/usr/bin/python3
"""Plots of a comparison of solvers: compare_plots.py RESULTS.json CONVERGENCE.csv

Prints a JSON object {"figures": [{"section", "title", "caption", "svg"}]}. The SVGs stand inline in a page:
their ids are unique, and text, axes and grid take their colours from the page, light or dark.
"""
import csv
import json
import math
import sys
from collections import defaultdict

from page_style import LINE_STYLES, TEXT, inline_svg, plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter


def look(results):
    """Colour and line style of each solver. Styles vary too, for eyes that do not tell colours apart."""
    return {solver["name"]: {"color": solver["colour"], "linestyle": LINE_STYLES[solver["dashes"]]}
            for solver in results["solvers"]}


def short(tolerance):
    """1e-4 rather than 0.0001, as on the page."""
    mantissa, exponent = f"{tolerance:.2e}".split("e")
    return f"{float(mantissa):g}e{int(exponent)}"


LEGEND_COLUMNS, LEGEND_LINE = 7, 0.24  # inches for a line of the legend


def finish_with_legend(figure, axes):
    """Puts the legend above the plots: the figure grows by as many lines as it needs."""
    handles, labels = axes.get_legend_handles_labels()
    lines = max(1, math.ceil(len(labels) / LEGEND_COLUMNS))
    width, height = figure.get_size_inches()
    legend_height = lines * LEGEND_LINE + 0.12
    figure.set_size_inches(width, height + legend_height)
    figure.legend(handles, labels, loc="upper left", bbox_to_anchor=(0.05, 1.0), ncol=min(len(labels), LEGEND_COLUMNS) or 1,
                  handlelength=2.6, columnspacing=1.8)
    figure.tight_layout(rect=(0, 0, 1, height / (height + legend_height)))


def ratios_to_best(results, tolerance, cost):
    """solver -> the ratio of its cost to the best solver's, for each problem it solved."""
    costs = defaultdict(dict)
    for run in results["runs"]:
        if run["tolerance"] == tolerance and run["status"] == "converged":
            costs[run["label"]][run["solver"]] = max(run[cost], 1e-9)
    ratios = defaultdict(list)
    for by_solver in costs.values():
        best = min(by_solver.values())
        for solver, value in by_solver.items():
            ratios[solver].append(value / best)
    return ratios


def draw_profile(axes, results, ratios, title):
    total = len(results["problems"])
    largest = max([r for values in ratios.values() for r in values], default=1.0)
    right = max(2.0, 1.25 * largest)
    for solver, style in look(results).items():
        values = sorted(ratios.get(solver, []))
        steps = [1.0] + values + [right]
        shares = [sum(v <= s * (1 + 1e-12) for v in values) / total for s in steps]
        axes.step(steps, shares, where="post", label=solver, **style)
    axes.set_xscale("log")
    axes.set_xlim(1, right)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    if right < 30:
        axes.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
    axes.set_ylim(-0.02, 1.03)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_title(title, loc="left")
    axes.set_xlabel("factor τ of the best solver")


def profile_caption(results, ratios):
    total = len(results["problems"])
    solvers = [solver["name"] for solver in results["solvers"]]
    if not any(ratios.get(s) for s in solvers):
        return "No solver reached this tolerance on any problem."
    wins = {s: sum(r <= 1 + 1e-12 for r in ratios.get(s, [])) for s in solvers}
    solved = {s: len(ratios.get(s, [])) for s in solvers}
    quickest = max(solvers, key=lambda s: wins[s])
    surest = max(solvers, key=lambda s: (solved[s], wins[s]))
    text = f"{quickest} is the fastest on {wins[quickest]} of {total} problems; "
    if surest == quickest:
        return text + f"it also solves the most, {solved[surest]}."
    within = sum(r <= 10 for r in ratios[surest])
    return text + (f"{surest} solves the most, {solved[surest]}, "
                   f"{within} of them within ten times the best time.")


def profile_figures(results):
    figures = []
    for i, tolerance in enumerate(results["tolerances"]):
        figure, (left, right) = plt.subplots(1, 2, figsize=(10.6, 3.7), sharey=True)
        times = ratios_to_best(results, tolerance, "seconds")
        draw_profile(left, results, times, "Time")
        draw_profile(right, results, ratios_to_best(results, tolerance, "products"),
                     "Products with the Delassus operator")
        left.set_ylabel("problems solved")
        finish_with_legend(figure, left)
        title = f"Tolerance {short(tolerance)}"
        figures.append({"section": "profiles", "title": title, "caption": profile_caption(results, times),
                        "svg": inline_svg(figure, f"profile{i}", f"Performance profiles, {title}")})
    return figures


def read_convergence(path):
    """problem -> solver -> list of (products, seconds, error)."""
    curves = defaultdict(lambda: defaultdict(list))
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        for row in csv.DictReader(file):
            error = float(row["error"] or "nan")
            if math.isfinite(error):
                curves[row["problem"]][row["solver"]].append(
                    (float(row["products"]), float(row["seconds"]), error))
    return curves


def draw_curves(axes, results, curves, column, label):
    bottom = min(results["tolerances"]) / 10
    for solver, style in look(results).items():
        points = [p for p in curves.get(solver, []) if p[column] > 0 and p[2] > 0]
        if not points:
            continue
        axes.plot([p[column] for p in points], [p[2] for p in points], label=solver, **style)
        below = points[-1][2] < bottom
        axes.plot(points[-1][column], bottom * 1.4 if below else points[-1][2], "v" if below else "o",
                  markersize=4.5, color=style["color"])
    for tolerance in results["tolerances"]:
        axes.axhline(tolerance, color=TEXT, linewidth=0.9, linestyle=(0, (1, 2.5)), alpha=0.7)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=bottom)
    axes.set_xlabel(label)


def convergence_caption(results, curves):
    tightest = min(results["tolerances"])
    legend = ". Marks show where a run ended (a triangle: below the axis), dotted lines the tolerances."
    ends = {solver["name"]: curves[solver["name"]][-1] for solver in results["solvers"] if curves.get(solver["name"])}
    done = sorted((end[1], name) for name, end in ends.items() if end[2] <= tightest)
    if not done:
        return f"No solver reached {short(tightest)}" + legend
    text = f"{done[0][1]} reaches {short(tightest)} first"
    failed = [name for name, end in ends.items() if end[2] > tightest]
    if failed:
        text += f"; {', '.join(failed)} {'does' if len(failed) == 1 else 'do'} not reach it"
    return text + legend


def convergence_figures(results, curves):
    figures = []
    measure = "error" if results["measure"] == "talus" else "error_fclib"
    for i, problem in enumerate(results["problems"]):
        label = problem["label"]
        if not any(curves.get(label, {}).values()):
            continue
        figure, (left, right) = plt.subplots(1, 2, figsize=(10.6, 3.9), sharey=True)
        draw_curves(left, results, curves[label], 0, "products with the Delassus operator")
        draw_curves(right, results, curves[label], 1, "seconds")
        left.set_ylabel(measure)
        finish_with_legend(figure, left)
        contacts = f"{problem['contacts']} contact{'' if problem['contacts'] == 1 else 's'}"
        figures.append({"section": "convergence", "title": f"{label}, {contacts}",
                        "caption": convergence_caption(results, curves[label]),
                        "svg": inline_svg(figure, f"curve{i}", f"Convergence on {label}")})
    return figures


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: compare_plots.py RESULTS.json CONVERGENCE.csv")
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    curves = read_convergence(sys.argv[2])
    json.dump({"figures": profile_figures(results) + convergence_figures(results, curves)}, sys.stdout)


if __name__ == "__main__":
    main()
