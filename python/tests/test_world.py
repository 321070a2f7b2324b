"""Worlds: building, state arrays without copies, forces, motors, errors."""

import gc
import math

import numpy as np
import pytest
import talus


def test_states_are_views_to_read_and_write(falling_ball):
    simulation, ball = falling_ball
    positions, velocities = simulation.world.positions, simulation.world.velocities
    assert not positions.flags.owndata and positions.flags.writeable
    simulation.step()
    height = positions[ball, 2]
    assert height < 0.5
    velocities[ball] = (1, 0, 0)
    positions[ball] = (0, 0, 2)
    simulation.step()
    assert positions[ball, 0] == pytest.approx(1 / 240)
    assert positions[ball, 2] < 2


def test_views_keep_the_world_alive(falling_ball):
    simulation, ball = falling_ball
    positions = simulation.world.positions
    expected = positions.copy()
    del simulation, falling_ball
    gc.collect()
    assert np.array_equal(positions, expected)


def test_arrays_made_before_a_body_was_added_keep_what_they_showed(falling_ball):
    simulation, ball = falling_ball
    positions = simulation.world.positions
    second = simulation.world.add_body("second", talus.sphere(0.1), position=(1, 0, 1))
    simulation.step()
    assert simulation.world.positions[second, 2] < 1
    assert positions.shape == (2, 3) and positions[ball, 2] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        positions[ball, 2] = 1
    simulation.world.positions[ball, 2] = 0.7
    assert simulation.world.positions[ball, 2] == 0.7


def test_orientations_are_w_x_y_z():
    world = talus.World()
    quarter = talus.axis_angle((0, 0, 1), math.pi / 2)
    body = world.add_body("box", talus.box((1, 1, 2)), orientation=quarter)
    assert world.orientations[body] == pytest.approx([math.sqrt(0.5), 0, 0, math.sqrt(0.5)])
    position, rotation = world.pose("box")
    assert position == pytest.approx([0, 0, 0]) and rotation == pytest.approx(quarter)


def test_mass_of_shapes():
    world = talus.World()
    by_density = world.add_body("a", talus.box((0.1, 0.2, 0.3)), density=500)
    by_mass = world.add_body("b", talus.box((0.1, 0.2, 0.3)), mass=7)
    given = world.add_body("c", talus.sphere(0.1), inertia=(2, (0, 0, 0), np.diag([1, 2, 3])))
    bodies = world.bodies
    assert bodies[by_density].mass == pytest.approx(3)
    assert bodies[by_mass].mass == pytest.approx(7)
    assert sorted(bodies[given].moments) == pytest.approx([1, 2, 3])
    mass, centre, inertia = talus.sphere(1).mass_properties(1)
    assert mass == pytest.approx(4 / 3 * math.pi) and inertia == pytest.approx(np.eye(3) * 0.4 * mass)
    assert centre == pytest.approx([0, 0, 0])


@pytest.mark.parametrize("make", [
    lambda: talus.sphere(1), lambda: talus.box((1, 1, 1)), lambda: talus.capsule(0.2, 1),
    lambda: talus.cylinder(0.2, 1), lambda: talus.ellipsoid((1, 2, 3)),
    lambda: talus.convex_hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
    lambda: talus.compound([(talus.sphere(1), ((0, 0, 1), (1, 0, 0, 0)))]),
])
def test_every_shape_falls(make):
    world = talus.World()
    world.add_body("it", make())
    simulation = talus.Simulation(world, step=0.01)
    simulation.step()
    assert simulation.world.velocities[0] == pytest.approx([0, 0, -0.0981])


def test_scenery_shapes():
    heights = np.zeros((3, 4))
    for shape, kind in [(talus.height_field(heights, (1, 1)), "height_field"), (talus.open_box((1, 1, 1), 0.1), "compound"),
                        (talus.cylinder_shell(1, 1, 0.1), "triangle_mesh"), (talus.hopper(0.1, 1, 1, 0.1), "triangle_mesh"),
                        (talus.half_space(), "half_space")]:
        assert shape.type == kind


def test_force_callback_acts_and_sees_the_world():
    world = talus.World(gravity=(0, 0, 0))
    body = world.add_body("b", talus.sphere(0.1), mass=2)
    seen = []

    def spring(now, time, forces, torques):
        seen.append((time, now.positions[body, 0]))
        forces[body] = (4, 0, 0)
        torques[body] = (0, 0, 1)

    world.add_force(spring)
    simulation = talus.Simulation(world, step=0.1)
    simulation.run(until=0.3)
    assert simulation.world.velocities[body] == pytest.approx([0.6, 0, 0])
    assert simulation.world.angular_velocities[body, 2] > 0
    assert [time for time, _ in seen] == pytest.approx([0, 0.1, 0.2])


def test_an_error_in_a_force_leaves_the_simulation_as_it_was(falling_ball):
    simulation, ball = falling_ball
    before = simulation.state()

    def broken(world, time, forces, torques):
        raise KeyError("mine")

    simulation.world.add_force(broken)
    with pytest.raises(KeyError, match="mine"):
        simulation.step()
    assert simulation.state() == before


def test_growing_inside_a_force_is_refused(falling_ball):
    simulation, _ = falling_ball
    simulation.world.add_force(lambda world, *rest: world.add_body("no", talus.sphere(1)))
    with pytest.raises(BufferError, match="being stepped"):
        simulation.step()


def test_a_non_finite_force_names_the_body(falling_ball):
    simulation, ball = falling_ball

    def wild(world, time, forces, torques):
        forces[ball, 0] = math.nan

    simulation.world.add_force(wild)
    with pytest.raises(talus.NonFiniteState, match="ball"):
        simulation.step()


def test_motor_and_coordinates():
    world = talus.World(gravity=(0, 0, 0))
    world.add_body("arm", talus.box((1, 0.1, 0.1)), position=(0.5, 0, 0))
    hinge = world.add_joint("revolute", "hinge", between=("ground", "arm"), axis=(0, 0, 1), motor=talus.Motor(speed=2))
    simulation = talus.Simulation(world, step=0.01)
    simulation.run(until=0.5)
    assert simulation.world.joint_coordinate("hinge") == pytest.approx(1, abs=1e-6)
    simulation.world.set_motor(hinge, talus.Motor(target=lambda time: -1.0, mode="position"))
    simulation.run(until=0.6)
    assert simulation.world.joint_coordinate(hinge) == pytest.approx(-1, abs=1e-6)
    simulation.world.set_motor(hinge, None)


def test_kinematic_paths():
    world = talus.World()
    world.add_body("path", talus.sphere(0.1), motion="kinematic", path=lambda t: ((t, 0, 0), (1, 0, 0, 0)))
    world.add_body("drive", talus.sphere(0.1), motion="kinematic", drive=lambda t: ((0, 1, 0), (0, 0, 0)), position=(5, 0, 0))
    simulation = talus.Simulation(world, step=0.1)
    simulation.run(until=1)
    assert simulation.world.positions == pytest.approx(np.array([[1, 0, 0], [5, 1, 0]]))


@pytest.mark.parametrize("call, text", [
    (lambda w: w.add_body("a", talus.sphere(-1)), "radius"),
    (lambda w: w.add_body("a", talus.sphere(1), motion="loose"), "unknown motion 'loose'"),
    (lambda w: w.add_body("a", talus.sphere(1), mass=1, density=1), "one of density, mass"),
    (lambda w: w.add_body("a", talus.sphere(1), material="wood"), "no material named 'wood'"),
    (lambda w: w.add_joint("revolute", between=("ground", "nobody")), "no body named 'nobody'"),
    (lambda w: w.add_joint("hinge"), "hinge"),
    (lambda w: w.pose(7), "there is no body 7"),
    (lambda w: w.add_material("ice", friction=-1), "friction"),
    (lambda w: talus.Motor(speed=1, position=1), "one of speed, position"),
    (lambda w: talus.axis_angle((0, 0, 0), 1), "axis"),
    (lambda w: w.set_pose(0, ((0, 0, 0), (0, 0, 0, 0))), "quaternion"),
])
def test_wrong_arguments_are_value_errors(call, text):
    with pytest.raises(talus.InvalidArgument, match=text) as caught:
        call(talus.World())
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, talus.Error)


def test_a_sphere_with_moduli_sinks_by_hertz_overlap():
    world = talus.World()
    world.set_material("default", friction=0.5, young=1e7, poisson=0.25)
    world.add_body("floor", talus.half_space(), motion="fixed")
    ball = world.add_body("ball", talus.sphere(0.1), mass=2, position=[0, 0, 0.1])
    simulation = talus.Simulation(world, step=1 / 240)
    for _ in range(500):
        simulation.step()
    modulus = 1e7 / (2 * (1 - 0.25**2))
    overlap = ((3 * 2 * 9.81 / (4 * modulus)) ** 2 / 0.1) ** (1 / 3)
    assert simulation.world.positions[ball][2] == pytest.approx(0.1 - overlap, abs=1e-9)
    with pytest.raises(ValueError, match="both young"):
        world.add_material("both", young=1e7, stiffness=1e6)


@pytest.mark.parametrize("rule, mu", [("average", 0.5), ("geometric_mean", 0.4), ("minimum", 0.2), ("maximum", 0.8), ("product", 0.16)])
def test_rules_combine_the_coefficients_of_two_materials(rule, mu):
    world = talus.World()
    world.add_material("ice", friction=0.2)
    world.add_material("rubber", friction=0.8, restitution=0.1, stiffness=1e6)
    world.set_material_rules(friction=rule)
    assert world.materials == {"default": (0.5, 0, 0), "ice": (0.2, 0, 0), "rubber": (0.8, 0.1, 1e6)}
    world.add_body("floor", talus.half_space(), motion="fixed", material="ice")
    world.add_body("ball", talus.sphere(0.1), position=(0, 0, 0.1), material="rubber")
    assert talus.Simulation(world).next_problem().mu == pytest.approx([mu])
    with pytest.raises(talus.InvalidArgument, match="average"):
        world.set_material_rules(restitution="magic")


def test_a_ball_hangs_by_cohesion():
    for cohesion, hangs in ((9.9, True), (9.7, False), (talus.Cohesion(force=9.9, heals=False), True)):
        world = talus.World(gravity=(0, 0, -9.8))
        world.add_material("glue", cohesion=cohesion)
        world.add_body("ceiling", talus.half_space((0, 0, -1)), motion="fixed", material="glue")
        world.add_body("ball", talus.sphere(0.1), mass=1, position=(0, 0, -0.1), material="glue")
        simulation = talus.Simulation(world, impact_law="poisson")
        assert simulation.options.impact_law == "poisson"
        simulation.run(until=0.5)
        assert (abs(simulation.world.positions[1][2] + 0.1) < 1e-5) == hangs
        if hangs:
            assert simulation.contact_force("ball")[0] == pytest.approx([0, 0, 9.8])
    with pytest.raises(talus.InvalidArgument):
        world.add_material("odd", cohesion=-1)


def test_a_ball_with_rolling_friction_rests_on_a_slope():
    world = talus.World()
    world.gravity = (0.5, 0, -9.8)  # tan 2.9 degrees: below rolling / radius
    world.add_material("felt", friction=0.5, rolling=0.06, spinning=0.01)
    world.add_body("floor", talus.half_space(), motion="fixed", material="felt")
    world.add_body("ball", talus.sphere(1), position=(0, 0, 1), material="felt")
    simulation = talus.Simulation(world)
    problem = simulation.next_problem()
    assert (problem.dimension, problem.friction) == (6, "rolling")
    assert problem.rolling == pytest.approx([0.06]) and problem.spinning == pytest.approx([0.01])
    simulation.run(until=1)
    assert abs(simulation.world.velocities).max() < 1e-9
    world.set_material("felt", friction=0.5, rolling=0.02)
    simulation = talus.Simulation(world)
    simulation.run(until=1)
    assert simulation.world.velocities[1][0] > 0.1
