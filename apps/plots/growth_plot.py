#!/usr/bin/python3
"""Work against the size of a pile: growth_plot.py GROWTH.csv [...] FILE.svg

Reads the tables that growth_bench writes and draws, for each error they were asked for, products with N against
contacts, from nothing or with gravity leaning over (full lines), and warm-started (dashed). Hollow marks missed the error in
the time given. The number behind a name is the exponent of the straight line through its runs from nothing, or with gravity
leaning over. Prints the exponents of products and processor seconds as a table.
"""
import csv
import sys

import numpy

from page_style import TEXT, plt, save_on_white

# As solver_look (apps/talus/compare/solver_plot_style.cpp) has them.
COLOURS = {"auto": "#8a929c", "ip-newton": "#1f9e77", "coulomb-apgd": "#d6455d", "apgd": "#a05cc5", "nsgs": "#e0782f",
           "nncg": "#c29a0c", "ansgs": "#d65fa8"}
MEASURES = ["products", "seconds"]


def read_runs(paths):
    """tolerance -> (solver, start) -> rows by size; of a run made twice the later one counts."""
    found = {}
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found[(float(row["tolerance"]), row["solver"], row["start"], int(row["contacts"]))] = row
    if not found:
        sys.exit("there is nothing to plot")
    runs = {}
    for (tolerance, solver, start, _), row in sorted(found.items()):
        runs.setdefault(tolerance, {}).setdefault((solver, start), []).append(row)
    return dict(sorted(runs.items(), reverse=True))


def points(rows, measure, solved):
    return [(int(row["contacts"]), float(row[measure])) for row in rows if (row["status"] == "converged") == solved]


def exponent(rows, measure):
    """Of the power of the number of contacts that fits the solved runs; none for fewer than three."""
    solved = points(rows, measure, True)
    if len(solved) < 3:
        return None
    return numpy.polyfit(*numpy.log(numpy.array(solved)).T, 1)[0]


def draw(axes, runs, tolerance):
    for (solver, start), rows in runs.items():
        colour = COLOURS.get(solver, TEXT)
        fit = exponent(rows, "products")
        name = solver if fit is None else f"{solver}  {fit:.2f}"
        solved, missed = points(rows, "products", True), points(rows, "products", False)
        if solved:
            axes.plot(*zip(*solved), "o--" if start == "warm" else "o-", color=colour, markersize=4,
                      label=None if start == "warm" else name)
        if missed:
            axes.plot(*zip(*missed), "o", color=colour, markerfacecolor="none", markersize=7)
    axes.set(xscale="log", yscale="log", xlabel="contacts", title=f"products with N to an error of {tolerance:g}")
    axes.legend(title="power of the contacts (full lines)", fontsize=8, title_fontsize=8)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    runs = read_runs(sys.argv[1:-1])
    figure, panels = plt.subplots(1, len(runs), figsize=(5.3 * len(runs), 4.4), sharey=True, squeeze=False)
    for axes, (tolerance, of_tolerance) in zip(panels[0], runs.items()):
        draw(axes, of_tolerance, tolerance)
    figure.tight_layout()
    save_on_white(figure, sys.argv[-1])
    for tolerance, of_tolerance in runs.items():
        for (solver, start), rows in of_tolerance.items():
            fits = [exponent(rows, measure) for measure in MEASURES]
            print(f"{tolerance:g} {solver:>12} {start}", *("    –" if fit is None else f"{fit:5.2f}" for fit in fits))


main()
