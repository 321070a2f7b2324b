#!/usr/bin/python3
"""Accuracy against time of the race with other engines: peer_plots.py RACE.csv FOLDER

Reads the table that peers_bench --csv writes and draws one SVG file per scene into FOLDER: milliseconds per step
against penetration, drift and, where the true motion is known, its error. Down and left is better; the line joins
the contenders that no other beats in both.
"""
import csv
import os
import re
import sys

try:
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.backends.backend_agg
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("matplotlib is not installed (Debian: apt-get install python3-matplotlib)")

plt.rcParams.update({"font.size": 9, "axes.grid": True, "grid.color": "#dddddd", "axes.axisbelow": True,
                     "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "talus"})
COLOURS = {"talus": "tab:red", "bullet": "tab:blue", "ode": "tab:green", "mujoco": "tab:purple"}
MEASURES = [("penetration", "deepest overlap [m]"), ("drift", "farthest drift [m]"),
            ("truth_error", "relative error of the true motion")]
SMALLEST = 1e-12


def read_scenes(path):
    scenes = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            scenes.setdefault(row["scene"], []).append(row)
    if not scenes:
        sys.exit("there is nothing to plot")
    return scenes


def pareto_front(points):
    front = []
    for time, value in sorted(points):
        if not front or value < front[-1][1]:
            front.append((time, value))
    return front


def draw_measure(axes, rows, measure, label):
    """The labels of the points, to be placed once the axes have their final size."""
    points = [(float(row["milliseconds"]), max(float(row[measure]), SMALLEST), row) for row in rows]
    labels = []
    for time, value, row in points:
        axes.plot(time, value, "o", markersize=5, color=COLOURS.get(row["engine"], "k"))
        labels.append(axes.annotate(row["engine"] + " " + row["setting"], (time, value), fontsize=6, xytext=(5, -2),
                                    textcoords="offset points"))
        labels[-1].set_in_layout(False)
    front = pareto_front([(time, value) for time, value, _ in points])
    axes.plot([p[0] for p in front], [p[1] for p in front], color="#999999", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("ms per step")
    axes.set_ylabel(label)
    axes.margins(x=0.2, y=0.08)
    return labels


def place(labels, axes, renderer):
    """Gives each label the first place around its point that is inside the axes and free of other labels."""
    taken, room = [], axes.get_window_extent(renderer)
    for label in sorted(labels, key=lambda each: each.xy):
        for y in (-2, 5, -9, 12, -16, 19, -23, 26):
            for x, side in ((5, "left"), (-5, "right")):
                label.set_position((x, y))
                label.set_horizontalalignment(side)
                box = label.get_window_extent(renderer)
                if room.x0 <= box.x0 and box.x1 <= room.x1 + 20 and not any(box.overlaps(other) for other in taken):
                    break
            else:
                continue
            break
        taken.append(box)


def draw(scene, rows, folder):
    measures = [m for m in MEASURES if all(row[m[0]] for row in rows)]
    figure, panels = plt.subplots(1, len(measures), figsize=(5 * len(measures), 4), squeeze=False)
    labels = [draw_measure(axes, rows, *measure) for axes, measure in zip(panels[0], measures)]
    figure.suptitle(scene)
    figure.tight_layout()
    renderer = matplotlib.backends.backend_agg.FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    for axes, its_labels in zip(panels[0], labels):
        place(its_labels, axes, renderer)
    name = re.sub(r"[^a-z0-9]+", "_", scene.lower()).strip("_") + ".svg"
    figure.savefig(os.path.join(folder, name), metadata={"Date": None})
    plt.close(figure)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    os.makedirs(sys.argv[2], exist_ok=True)
    for scene, rows in read_scenes(sys.argv[1]).items():
        draw(scene, rows, sys.argv[2])


if __name__ == "__main__":
    main()
