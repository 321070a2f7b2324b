#!/usr/bin/python3
"""The central path and its folds: path_plot.py HISTORY.csv FILE.svg

Reads the history of fold-ip (talus solve PROBLEM --solver fold-ip --history HISTORY.csv) and draws ε and the error from step to
step along the path; full circles mark the folds, where ε turns.
"""
import csv
import re
import sys

from page_style import TEXT, plt, save_on_white

ERROR, EPSILON = "#a05cc5", "#1f9e77"


def read_path(path):
    """(iteration, ε, error, folds here) of every step along the path."""
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            epsilon = re.search(r"ε = ([0-9.e+-]+)", row["note"])
            if epsilon:
                yield int(row["iteration"]), float(epsilon[1]), float(row["error"]), "fold " in row["note"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    steps = list(read_path(sys.argv[1]))
    if not steps:
        sys.exit("the history has no steps along a central path")
    iterations, epsilons, errors, folds = zip(*steps)
    figure, axes = plt.subplots(figsize=(7.2, 4.0))
    axes.semilogy(iterations, epsilons, color=EPSILON, label="ε")
    axes.semilogy(iterations, errors, color=ERROR, linestyle="--", label="error")
    turns = [(k, epsilon) for k, epsilon, fold in zip(iterations, epsilons, folds) if fold]
    if turns:
        axes.semilogy(*zip(*turns), "o", color=TEXT, markersize=4, label="folds")
    axes.set(xlabel="steps along the path")
    axes.legend()
    figure.tight_layout()
    save_on_white(figure, sys.argv[2])
    print(f"{len(steps)} steps, {sum(folds)} folds")


main()
