#!/usr/bin/python3
"""Plot of a parameter study: sweep_plots.py SWEEP.csv VARIED

The first VARIED columns are what was varied. Prints a JSON object {"figures": [{"section", "title", "caption", "svg"}]}
with one figure: the finding, the sensors, the largest penetration and the kinetic energy at the end over the first of
them, a line for each combination of the others.
"""
import csv
import io
import json
import sys

try:
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("matplotlib is not installed (Debian: apt-get install python3-matplotlib)")

plt.rcParams.update({
    "font.size": 10, "axes.grid": True, "grid.color": "#dddddd", "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "legend.frameon": False, "lines.linewidth": 1.4, "svg.hashsalt": "talus",
})
STYLES = ["o-", "s--", "^-.", "D:", "v-", "x--"]
MOST_PLOTS = 8


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def main():
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    varied = int(sys.argv[2])
    shown = [i for i, name in enumerate(head) if i >= varied and (name == "finding" or name.startswith("sensor:"))]
    shown = shown[:MOST_PLOTS - 2] + [head.index("penetration_max"), head.index("kinetic_energy")]
    lines = {}
    for row in rows:
        lines.setdefault(tuple(row[1:varied]), []).append(row)
    places = [number(row[0]) for row in rows]
    words = None if None not in places else list(dict.fromkeys(row[0] for row in rows))
    figure, axes = plt.subplots(len(shown), 1, figsize=(7, 1 + 1.9 * len(shown)), sharex=True, squeeze=False)
    for axis, column in zip(axes[:, 0], shown):
        for k, (others, points) in enumerate(lines.items()):
            label = ", ".join(f"{name.rsplit('.', 1)[-1]} {value}" for name, value in zip(head[1:varied], others))
            x = [words.index(row[0]) if words else number(row[0]) for row in points]
            axis.plot(x, [number(row[column]) for row in points], STYLES[k % len(STYLES)], markersize=4, label=label)
        axis.set_ylabel(head[column].removeprefix("sensor:").replace("_", " "))
    if words:
        axes[-1, 0].set_xticks(range(len(words)), words)
    axes[-1, 0].set_xlabel(head[0])
    if varied > 1:
        axes[0, 0].legend(fontsize=8, ncol=2)
    figure.align_ylabels()
    figure.tight_layout()
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    json.dump({"figures": [{"section": "sweep", "title": "Parameter study", "caption": f"{len(rows)} runs.",
                            "svg": text.getvalue()}]}, sys.stdout)


main()
