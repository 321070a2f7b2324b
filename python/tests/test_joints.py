"""Springs, friction, servos and efforts in joints, and the forces one can read."""

import math

import numpy as np
import pytest

import talus


def rail(**keywords):
    """A block of 2 kg on a rail along x, without gravity."""
    world = talus.World(gravity=(0, 0, 0))
    world.add_body("block", talus.box((0.1, 0.1, 0.1)), mass=2)
    world.add_joint("prismatic", "rail", between=("ground", "block"), axis=(1, 0, 0), **keywords)
    return world


def test_spring_swings_as_implicit_euler_does():
    k, h = 200.0, 1e-2
    simulation = talus.Simulation(rail(spring=talus.Spring(k, rest=-0.1)), step=h)
    z = 0.1 + 0j
    for _ in range(50):
        simulation.step()
        z /= 1 + 1j * math.sqrt(k / 2) * h
    assert simulation.joint_positions[0] + 0.1 == pytest.approx(z.real, abs=1e-10)
    assert simulation.joint_names == ["rail"]


def test_efforts_are_numbers_functions_and_tables():
    for effort in (3.0, lambda t: 3.0, [(0, 3), (1, 3)]):
        simulation = talus.Simulation(rail(effort=effort), step=1e-2)
        simulation.run(until=0.1)
        assert simulation.joint_velocities == pytest.approx([0.15])
    simulation.world.set_effort("rail", -3.0)
    simulation.run(until=0.2)
    assert simulation.world.joint_velocity("rail") == pytest.approx(0, abs=1e-12)


def test_friction_armature_and_soft_limits():
    simulation = talus.Simulation(rail(effort=3.0, friction=1.0, armature=2.0), step=1e-2)
    simulation.run(until=1)
    assert simulation.joint_velocities == pytest.approx([0.5])
    efforts = simulation.joint_efforts("rail")
    assert efforts["friction"] == pytest.approx(-1)
    assert efforts["armature"] == pytest.approx(-1)
    soft = talus.Simulation(rail(effort=3.0, limits=(-1, 0.1), limit_stiffness=100, limit_damping=20), step=1e-2)
    soft.run(until=10)
    assert soft.joint_positions == pytest.approx([0.13], abs=1e-6)


def test_bearings_rub_in_proportion_to_their_load():
    world = talus.World()
    world.add_body("block", talus.box((0.1, 0.1, 0.1)), mass=2)
    world.add_joint("prismatic", "rail", between=("ground", "block"), axis=(1, 0, 0),
                    bearing=talus.Bearing(0.25), effort=2 * 9.81 * 0.5)
    simulation = talus.Simulation(world, step=1e-2)
    simulation.run(until=1)
    assert simulation.joint_velocities == pytest.approx([9.81 * 0.25])
    assert simulation.joint_efforts("rail")["friction"] == pytest.approx(-2 * 9.81 * 0.25)


def test_servos_and_their_tables():
    motor = talus.Motor(position=0.2, stiffness=300, damping=60)
    simulation = talus.Simulation(rail(motor=motor, effort=3.0), step=1e-2)
    simulation.run(until=5)
    assert simulation.joint_positions == pytest.approx([0.21], abs=1e-6)
    assert simulation.motor_efforts == pytest.approx([-3], abs=1e-4)
    driven = talus.Simulation(rail(motor=talus.Motor(target=[(0, 0), (1, 2)])), step=1e-2)
    driven.run(until=0.5)
    assert driven.joint_velocities == pytest.approx([1.0])


@pytest.mark.parametrize("strength", [[(0, 0), (1, 4)], lambda time: 4 * time, talus.Formula("4*t")])
def test_the_strength_of_a_motor_changes_in_time(strength):
    motor = talus.Motor(speed=9, max_effort=strength)
    simulation = talus.Simulation(rail(motor=motor), step=1e-2)
    simulation.run(until=1)
    mass = simulation.world.masses["block"]
    assert simulation.joint_velocities == pytest.approx([2.02 / mass], rel=1e-9)
    with pytest.raises(talus.NonFiniteState, match="must not be negative"):
        talus.Simulation(rail(motor=talus.Motor(speed=9, max_effort=lambda time: -1.0))).step()


def test_objects_of_joints_and_materials_show_their_numbers():
    assert repr(talus.Bearing(0.1, radius=0.02)) == "talus.Bearing(0.1, radius=0.02)"
    assert repr(talus.Cohesion(force=3)) == "talus.Cohesion(force=3)"
    motor = talus.Motor(position=0.2, stiffness=3, max_effort=5)
    assert (motor.mode, motor.target, motor.stiffness, motor.max_effort) == ("position", 0.2, 3, 5)
    assert "position" in repr(motor)


def test_free_springs_and_bushings_hold_weights():
    world = talus.World()
    world.add_body("bob", talus.sphere(0.1), mass=2, position=(0, 0, -1))
    world.add_body("block", talus.sphere(0.1), mass=2, position=(5, 0, 0))
    world.add_joint("spring", between=("ground", "bob"), at=(0, 0, 0), second_at=(0, 0, -1), spring=talus.Spring(1000, 200))
    mount = talus.Bushing((1e3, 1e3, 1e3), (200, 200, 200), (10, 10, 10), (1, 1, 1))
    world.add_joint("bushing", "mount", between=("ground", "block"), at=(5, 0, 0), bushing=mount)
    simulation = talus.Simulation(world, step=1e-2)
    simulation.run(until=10)
    sag = 2 * 9.81 / 1000
    assert simulation.world.positions[:, 2] == pytest.approx([-1 - sag, -sag], abs=1e-8)
    force, torque = simulation.joint_force("mount")
    assert np.linalg.norm(force) == pytest.approx(2 * 9.81, abs=1e-6)
    assert torque == pytest.approx([0, 0, 0], abs=1e-6)


def test_contact_forces_of_bodies_and_pairs():
    world = talus.World()
    world.add_body("floor", talus.half_space(), motion="fixed")
    world.add_body("lower", talus.box((0.4, 0.4, 0.2)), mass=3, position=(0, 0, 0.1))
    world.add_body("upper", talus.box((0.2, 0.2, 0.2)), mass=1, position=(0, 0, 0.3))
    simulation = talus.Simulation(world, step=1e-2)
    simulation.run(until=0.2)
    assert simulation.contact_force("floor")[0] == pytest.approx([0, 0, -4 * 9.81], abs=1e-5)
    assert simulation.contact_force("lower", "upper")[0] == pytest.approx([0, 0, -9.81], abs=1e-5)
    forces, torques = simulation.contact_forces()
    assert forces.shape == torques.shape == (3, 3)
    assert forces[2] == pytest.approx([0, 0, 9.81], abs=1e-5)
    with pytest.raises(talus.InvalidArgument, match="nobody"):
        simulation.contact_force("nobody")
    with pytest.raises(talus.InvalidArgument, match="stiffness"):
        world.add_joint("revolute", between=("floor", "lower"), spring=talus.Spring(-1))


def test_descriptions_keep_scenes_bit_for_bit():
    scene = talus.parse_scene("""
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: ball, shape: {type: sphere, radius: 0.1}, position: [0.1, 0, 0.3]}
joints:
  - {name: band, type: spring, between: [floor, ball], at: [0, 0, 0], second_at: [0.1, 0, 0.3], spring: {stiffness: 90}}
""")
    again = talus.scene_from_description(scene.description)
    assert again.description == scene.description
    first, second = scene.simulation(), again.simulation()
    first.run(until=0.3)
    second.run(until=0.3)
    assert first.state() == second.state()
    with pytest.raises(talus.FileError, match="d.json:1"):
        talus.scene_from_description("{}", path="d.json")


def test_a_motor_on_a_torque_speed_curve_settles_where_its_effort_is_the_load():
    # 12 N at rest, 3 m/s without load; friction of 4 N leaves two thirds of the speed.
    simulation = talus.Simulation(rail(motor=talus.Motor(curve=(12, 3)), friction=4.0), step=1e-2)
    simulation.run(until=10)
    assert simulation.joint_velocities == pytest.approx([2])
    half = talus.Simulation(rail(motor=talus.Motor(curve=(12, 3), level=0.5)), step=1e-2)
    half.run(until=10)
    assert half.joint_velocities == pytest.approx([1.5])
    with pytest.raises(talus.InvalidArgument, match="one of speed"):
        talus.Motor(curve=(12, 3), speed=1)
    with pytest.raises(talus.InvalidArgument, match="goes without"):
        talus.Motor(curve=(12, 3), max_effort=5)
    with pytest.raises(talus.InvalidArgument, match="above 0"):
        talus.Motor(curve=(12, 0))
