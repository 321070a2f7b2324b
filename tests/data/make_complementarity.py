#!/usr/bin/env python3
"""Makes the problems of this folder that no scene has: make_complementarity.py [FOLDER].

Needs the Python package (PYTHONPATH=build/python) and NumPy.
"""

import pathlib
import sys

import numpy as np

import talus

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/data")


def text(values):
    return " ".join(repr(float(value)) for value in values)


def dense(matrix):
    """Siconos' storage 0: by columns."""
    rows, columns = matrix.shape
    return f"0\n{rows}\n{columns}\n{rows} {columns}\n{text(matrix.T.ravel())}\n"


def write_lcp(name, M, q, comment):
    (FOLDER / f"{name}.dat").write_text(f"{len(q)}\n{dense(M)}{text(q)}\n{comment}\n", encoding="utf-8")


def string_over_obstacle():
    """A stretched string over a parabola, by finite differences; z is the force of the obstacle."""
    n = 30
    K = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    x = np.linspace(-1, 1, n + 2)[1:-1]
    obstacle = 0.5 - 2 * x**2
    write_lcp("lcp_string", K, -K @ obstacle, "A string over a parabola; z is its height above it.")


def murty():
    """Murty's matrix, for which principal pivoting takes 2^n steps in the worst order."""
    n = 8
    write_lcp("lcp_murty", np.eye(n) + 2 * np.tri(n, k=-1).T, -np.ones(n), "Murty 1988, chapter 6; z = (0, ..., 0, 1).")


def mixed():
    """A bead on a wire: equality unknowns beside complementarity ones."""
    A = np.array([[2.0, 1.0], [1.0, 3.0]])
    C = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, -0.5]])
    B = np.diag([1.0, 2.0, 3.0])
    rows = lambda matrix: "\n".join(text(row) for row in matrix)
    parts = [A, B, C, -C.T]
    body = "\n".join(rows(part) for part in parts)
    (FOLDER / "mlcp_small.dat").write_text(
        f"0 1 2 3\n{body}\n{text([-1.0, 0.5])}\n{text([-1.0, 0.25, -2.0])}\nA monotone mixed problem.\n", encoding="utf-8")


def squeezed_ball():
    """A ball between two plates that come closer: no impulses can keep it from being squeezed."""
    J = np.zeros((6, 6))  # rows: normal and tangents of the contacts below and above
    for row, (normal, t, o, arm) in enumerate((((0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, -1)),
                                               ((0, 0, -1), (1, 0, 0), (0, -1, 0), (0, 0, 1)))):
        for k, axis in enumerate((normal, t, o)):
            J[3 * row + k, :3] = axis
            J[3 * row + k, 3:] = np.cross(arm, axis)
    M = np.diag([1, 1, 1, 0.4, 0.4, 0.4])
    w = np.array([-0.1, 0.05, 0, -0.1, 0, 0])
    problem = talus.ContactProblem.from_global(M, J.T, f=np.zeros(6), w=w, mu=[0.5, 0.5])
    problem.save(str(FOLDER / "unsolvable" / "squeezed_ball.hdf5"))


def strong_friction():
    """Random dense W with friction beyond one: what convex methods need a fixed point for."""
    random = np.random.default_rng(7)
    contacts = 12
    H = random.normal(size=(30, 3 * contacts))
    q = random.normal(size=3 * contacts)
    q[0::3] = -np.abs(q[0::3])
    talus.ContactProblem.from_local(H.T @ H / 30, q, np.linspace(0.8, 1.5, contacts)).save(str(FOLDER / "strong_friction.hdf5"))


if __name__ == "__main__":
    for make in (string_over_obstacle, murty, mixed, squeezed_ball, strong_friction):
        make()
