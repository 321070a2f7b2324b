"""What the tests of the Python package share."""

import pathlib

import numpy as np
import pytest
import talus

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "scenes"
DATA = ROOT / "tests" / "data"


@pytest.fixture
def falling_ball():
    """A simulation of a ball 0.4 m above a floor, and the ball's number."""
    world = talus.World()
    world.add_body("floor", talus.half_space(), motion="fixed")
    ball = world.add_body("ball", talus.sphere(0.1), position=(0, 0, 0.5))
    return talus.Simulation(world), ball


@pytest.fixture
def stack_problem():
    """The contact problem of a step in a small stack of boxes."""
    world = talus.World()
    world.add_body("floor", talus.half_space(), motion="fixed")
    for i in range(3):
        world.add_body(f"box {i}", talus.box((0.2, 0.2, 0.2)), position=(0.01 * i, 0, 0.1 + 0.2 * i), velocity=(0.3, 0, 0))
    return talus.Simulation(world).next_problem()


def random_local(seed, contacts=4, friction="cone"):
    """A random local problem, all contacts approaching, whose matrix is symmetric positive definite."""
    random = np.random.default_rng(seed)
    q = random.standard_normal(3 * contacts)
    q[::3] = -np.abs(q[::3])
    root = random.standard_normal((3 * contacts, 3 * contacts + 2))
    return talus.ContactProblem.from_local(
        root @ root.T, q, random.uniform(0.1, 0.9, contacts), friction=friction)
