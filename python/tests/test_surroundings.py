"""Wind, fluids, drag, loads, removal of bodies, formulas, clumps and decomposed meshes."""

import math

import numpy as np
import pytest

import talus


def test_drag_leads_to_the_terminal_velocity():
    world = talus.World()
    world.add_body("thing", talus.sphere(0.1), mass=2, drag=talus.Drag(quadratic=0.5))
    simulation = talus.Simulation(world, step=0.1)
    simulation.run(until=100)
    assert simulation.world.velocities[0, 2] == pytest.approx(-math.sqrt(2 * 9.81 / 0.5), abs=1e-9)


def test_wind_is_a_vector_or_a_function():
    for wind in ((1, 2, 0), lambda place, time: (1, 2, 0)):
        world = talus.World(gravity=(0, 0, 0))
        world.add_body("thing", talus.sphere(0.1), mass=2)
        world.set_drag("thing", talus.Drag(linear=5))
        world.set_wind(wind)
        simulation = talus.Simulation(world, step=0.1)
        simulation.run(until=20)
        assert simulation.world.velocities[0] == pytest.approx([1, 2, 0], abs=1e-6)


def test_winds_and_loads_are_finite():
    world = talus.World()
    world.add_body("thing", talus.sphere(0.1))
    with pytest.raises(ValueError, match="finite"):
        world.set_wind((1, 2, math.nan))
    with pytest.raises(ValueError, match="finite"):
        world.add_point_load("thing", (math.inf, 0, 0))


def test_half_a_ball_floats_above_the_level():
    for level in (1.0, [(0, 1.0), (5, 1.0)], lambda time: 1.0):
        world = talus.World()
        world.add_fluid(density=1000, level=level, viscosity=20, name="oil")
        world.add_body("ball", talus.sphere(0.1), density=500, position=(0, 0, 1.05))
        simulation = talus.Simulation(world, step=1 / 200)
        simulation.run(until=5)
        assert simulation.world.positions[0, 2] == pytest.approx(1, abs=1e-3)


def test_point_loads_follow_the_body():
    world = talus.World(gravity=(0, 0, 0))
    world.add_body("bar", talus.box((1, 0.2, 0.2)), mass=3)
    world.add_point_load("bar", lambda time: (0, 6, 0), point=(0.5, 0, 0), axes="body")
    simulation = talus.Simulation(world, step=1e-3)
    simulation.step()
    assert simulation.world.velocities[0] == pytest.approx([0, 2e-3, 0])
    assert simulation.world.angular_velocities[0, 2] > 0
    with pytest.raises(ValueError, match="axes"):
        world.add_point_load("bar", (1, 0, 0), axes="bar")


def test_bodies_are_removed():
    world = talus.World()
    world.add_body("floor", talus.half_space(), motion="fixed")
    world.add_body("low", talus.box((0.2, 0.2, 0.2)), position=(0, 0, 0.1))
    world.add_body("high", talus.box((0.2, 0.2, 0.2)), position=(0, 0, 0.3))
    world.add_body("late", talus.sphere(0.1), position=(3, 0, 0.1), remove_at=0.5)
    simulation = talus.Simulation(world, step=1 / 200)
    simulation.run(until=0.1)
    simulation.world.remove_body("low")
    state = simulation.state()
    simulation.run(until=1)
    assert simulation.world.positions[2, 2] == pytest.approx(0.1, abs=1e-4)
    assert simulation.world.removed_bodies == [1, 3]
    assert simulation.world.bodies[1].removed
    end = simulation.world.positions.copy()
    simulation.restore(state)
    assert simulation.world.removed_bodies == [1]
    simulation.run(until=1)
    assert np.array_equal(end, simulation.world.positions)
    with pytest.raises(ValueError):
        simulation.world.remove_body("nobody")


def test_formulas():
    assert talus.Formula("2*t^2 + 1")(3) == 19
    assert talus.Formula("x*y", ["x", "y"])(3, 4) == 12
    with pytest.raises(ValueError, match="column 3"):
        talus.Formula("2*foo")


def test_clumps_have_the_mass_of_their_union():
    here = (1, 0, 0, 0)
    ball = talus.sphere(0.5)
    clump = talus.clump([(ball, ((0, 0, 0), here)), (ball, ((0.6, 0, 0), here))])
    lens = math.pi * (2 + 0.6) * (1 - 0.6) ** 2 / 12
    volume, parts, error = clump.union_volume
    assert volume == pytest.approx(math.pi / 3 - lens)
    assert parts == pytest.approx(math.pi / 3)
    assert error == 0
    assert clump.mass_properties(10)[0] == pytest.approx(10 * volume)
    assert ball.union_volume is None


def test_meshes_are_decomposed():
    ring = talus.cylinder_shell(0.2, 0.1, 0.05, segments=16)
    parts = talus.decompose(ring, parts=16)
    assert 8 <= parts.parts <= 16
    assert parts.hull_volume == pytest.approx(parts.volume * (1 + parts.volume_error))
    assert parts.shape.mass_properties(1)[0] == pytest.approx(parts.volume)
    assert sum(hull.mass_properties(1)[0] for hull in parts.hulls) == pytest.approx(parts.hull_volume)
    assert f"{parts.parts} parts" in repr(parts)
    with pytest.raises(ValueError, match="triangle mesh"):
        talus.decompose(talus.sphere(1))
