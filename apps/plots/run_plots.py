#!/usr/bin/python3
"""Plot of a run: run_plots.py STEPS.csv

Prints a JSON object {"figures": [{"section", "title", "caption", "svg"}]} with one figure: energy, contacts and
the errors of solver and penetration over the simulated time, as an SVG file of its own.
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
    "font.size": 10, "axes.grid": True, "grid.color": "#dddddd", "axes.spines.top": False,
    "axes.spines.right": False, "axes.axisbelow": True, "legend.frameon": False, "lines.linewidth": 1.4,
    "svg.hashsalt": "talus",
})


def read_columns(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        sys.exit("there are no steps to plot")
    names = ["time", "contacts", "kinetic_energy", "potential_energy", "error", "max_penetration"]
    columns = {name: [float(row[name]) for row in rows] for name in names}
    columns["missed"] = [float(row["time"]) for row in rows if row["status"] != "converged"]
    return columns


def draw(columns):
    time = columns["time"]
    figure, (energy, contacts, error, depth) = plt.subplots(4, 1, figsize=(8, 9), sharex=True)
    rest = columns["potential_energy"][0]
    potential = [value - rest for value in columns["potential_energy"]]
    energy.plot(time, columns["kinetic_energy"], label="kinetic")
    energy.plot(time, potential, label="potential (0 at the first step)")
    energy.plot(time, [k + p for k, p in zip(columns["kinetic_energy"], potential)], "k--", label="sum")
    energy.set_ylabel("energy [J]")
    energy.legend(ncol=3)
    contacts.plot(time, columns["contacts"])
    contacts.set_ylabel("contacts")
    plot_positive(error, time, columns["error"])
    for missed in columns["missed"]:
        error.axvline(missed, color="tab:red", linewidth=0.6)
    error.set_ylabel("error of the solve")
    plot_positive(depth, time, columns["max_penetration"])
    depth.set_ylabel("penetration [m]")
    depth.set_xlabel("time [s]")
    figure.align_ylabels()
    figure.tight_layout()
    return figure


def plot_positive(axes, time, values):
    """On a logarithmic axis where there is something to show on it."""
    points = [(t, v) for t, v in zip(time, values) if v > 0]
    if points:
        axes.semilogy(*zip(*points), ".", markersize=2.5)


def main():
    columns = read_columns(sys.argv[1])
    text = io.StringIO()
    draw(columns).savefig(text, format="svg", metadata={"Date": None})
    missed = len(columns["missed"])
    caption = f"{missed} of {len(columns['time'])} steps missed their tolerance." if missed else \
        "Every step met its tolerance."
    json.dump({"figures": [{"section": "run", "title": "Run", "caption": caption, "svg": text.getvalue()}]},
              sys.stdout)


main()
