#!/usr/bin/python3
"""Plots of a reproduced experiment: reproduce_plots.py REPORT.json LOOKS

LOOKS is a JSON object from solver names to {"colour", "dashes"}. Prints a JSON object
{"figures": [{"section", "title", "caption", "svg"}]}, the SVGs ready to stand inline in a page.
"""
import json
import math
import sys
from collections import defaultdict

from page_style import LINE_STYLES, inline_svg, plt
from matplotlib.ticker import LogLocator, NullFormatter

OTHER_COLOURS = ["#2f7ed8", "#d6455d", "#1f9e77", "#c29a0c", "#a05cc5", "#e0782f", "#17a2b8", "#8a929c"]
MARKERS = ["o", "s", "^", "D"]  # One for each line style.
MOST_PANELS_IN_A_ROW = 3


def number(value):
    return value if isinstance(value, (int, float)) else math.nan


def panels_of(plot, table):
    """panel -> curve -> list of (x, y), in the order of the table."""
    column = {name: i for i, name in enumerate(table["columns"])}
    panels = defaultdict(lambda: defaultdict(list))
    for row in table["rows"]:
        x, y = number(row[column[plot["x"]]]), number(row[column[plot["y"]]])
        if not (math.isfinite(x) and math.isfinite(y)):
            continue
        if (plot["log_x"] and x <= 0) or (plot["log_y"] and y <= 0):
            continue
        panel = str(row[column[plot["panel"]]]) if plot["panel"] else ""
        panels[panel][str(row[column[plot["curve"]]])].append((x, y))
    return panels


def solver_of(curve):
    words = curve.replace(",", " ").replace("(", " ").split()
    return words[0] if words else ""


def styles_of(curves, looks):
    """A curve that is named as a solver looks as that solver does everywhere. Variants of a solver ("apgd, 10") have
    its colour and what dashes and marks are left, growing stronger from the first to the last; other curves get a
    colour by their place."""
    solvers = [solver_of(curve) if solver_of(curve) in looks else curve for curve in curves]
    taken = {(looks[curve]["colour"], looks[curve]["dashes"]) for curve in curves if curve in looks}
    styles = {}
    for i, (curve, solver) in enumerate(zip(curves, solvers)):
        look = looks.get(solver) or {"colour": OTHER_COLOURS[i % len(OTHER_COLOURS)], "dashes": i}
        colour, dash = look["colour"], look["dashes"] % len(LINE_STYLES)
        if curve not in looks:
            dashes = [(dash + k) % len(LINE_STYLES) for k in range(len(LINE_STYLES))]
            dash = next((d for d in dashes if (colour, d) not in taken), dashes[i % len(dashes)])
            taken.add((colour, dash))
        share = (solvers[:i].count(solver) + 1) / solvers.count(solver)
        styles[curve] = {"color": colour, "alpha": 0.4 + 0.6 * share, "linestyle": LINE_STYLES[dash],
                         "marker": MARKERS[dash]}
    return styles


def draw(axes, plot, curves, styles):
    for curve, points in curves.items():
        style = {**styles[curve], "markersize": 5} if plot["markers"] else {**styles[curve], "marker": None}
        axes.plot([p[0] for p in points], [p[1] for p in points], label=curve, **style)
    for log, scale, axis in ((plot["log_x"], axes.set_xscale, axes.xaxis), (plot["log_y"], axes.set_yscale, axes.yaxis)):
        if log:
            scale("log")
            axis.set_minor_formatter(NullFormatter())
            axis.set_major_locator(LogLocator(numticks=8))
    axes.set_xlabel(plot["x_label"])


def figure_of(experiment, plot, tables, looks):
    panels = panels_of(plot, tables[plot["table"]])
    names = list(dict.fromkeys(curve for curves in panels.values() for curve in curves))
    if not names:
        return None
    styles = styles_of(names, looks)
    across = 2 if len(panels) == 4 else min(len(panels), MOST_PANELS_IN_A_ROW)
    down = math.ceil(len(panels) / across)
    figure, grid = plt.subplots(down, across, figsize=(10.6, 3.6 * down), squeeze=False,
                                sharey="row")
    handles = {}
    for i, axes in enumerate(grid.flat):
        if i >= len(panels):
            axes.remove()
            continue
        panel, curves = list(panels.items())[i]
        draw(axes, plot, curves, styles)
        axes.set_title(panel, loc="left")
        if i % across == 0:
            axes.set_ylabel(plot["y_label"])
        handles.update({label: handle for handle, label in zip(*axes.get_legend_handles_labels())})
    columns = min(len(names), 4)
    lines = math.ceil(len(names) / columns)
    figure.legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(0.05, 1.0), ncol=columns,
                  handlelength=2.6, columnspacing=1.8)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.22 * lines / (3.6 * down) - 0.03))
    return {"section": experiment, "title": plot["title"], "caption": plot["caption"],
            "svg": inline_svg(figure, f"{experiment}-{plot['name']}", plot["title"])}


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: reproduce_plots.py REPORT.json LOOKS")
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    report, looks = document["report"], json.loads(sys.argv[2])
    tables = {table["name"]: table for table in report["tables"]}
    figures = [figure_of(document["experiment"], plot, tables, looks) for plot in report["plots"]]
    json.dump({"figures": [figure for figure in figures if figure]}, sys.stdout)


if __name__ == "__main__":
    main()
