"""Sensors, forces on groups, recorded forces, and joint arrays that can be set."""

import math

import numpy as np
import pytest

import talus

G = 9.81


def pile():
    world = talus.World()
    world.add_body("floor", talus.half_space(), motion="fixed")
    world.add_body("block 1", talus.box((0.4, 0.4, 0.2)), mass=3, position=(0, 0, 0.1))
    world.add_body("block 2", talus.box((0.2, 0.2, 0.2)), mass=1, position=(0, 0, 0.3))
    return talus.Simulation(world, step=1e-2)


def arm():
    """Two links of length 1 along x that turn about y."""
    world = talus.World(gravity=(0, 0, 0))
    before = "ground"
    for i in range(2):
        world.add_body(f"link {i}", talus.box((1, 0.1, 0.1)), position=(i + 0.5, 0, 0))
        world.add_joint("revolute", f"hinge {i}", between=(before, f"link {i}"), at=(i, 0, 0), axis=(0, 1, 0))
        before = f"link {i}"
    return talus.Simulation(world, step=1e-3)


def test_groups_and_sensors():
    simulation = pile()
    simulation.add_sensor("scale", "contact_force", body="floor")
    simulation.add_sensor("pile", "contact_force", body="block*", other="floor")
    simulation.add_sensor("between", "contact_force", body=[2], other=["block 1"])
    simulation.add_sensor("apart", "distance", between=("block 1", "block 2"))
    simulation.add_sensor("energy", "energy")
    simulation.add_sensor("stress", "stress", box=((-0.2, -0.2, 0.1), (0.2, 0.2, 0.3)))
    simulation.add_sensor("flow", "flux", point=(0, 0, 1), normal=(0, 0, 1))
    simulation.run(until=0.2)
    readings = simulation.sensors
    assert readings["scale"][2] == pytest.approx(-4 * G, abs=1e-4)
    assert readings["pile"][2] == pytest.approx(4 * G, abs=1e-4)
    assert readings["between"][2] == pytest.approx(G, abs=1e-4)
    assert readings["apart"] == pytest.approx(0.2, abs=1e-5)
    assert simulation.sensor("flow") == 0
    assert readings["energy"].shape == (3,) and readings["stress"].shape == (6,)
    assert simulation.sensor_columns[0] == ("scale.force_x", "N")
    assert simulation.contact_force(["block 1", "block 2"])[0] == pytest.approx([0, 0, 4 * G], abs=1e-4)
    assert simulation.contact_force(["block 1"], ["block 2"])[0] == pytest.approx([0, 0, -G], abs=1e-4)
    for wrong in (lambda: simulation.add_sensor("scale", "energy"), lambda: simulation.add_sensor("x", "smell"),
                  lambda: simulation.add_sensor("x", "contact_force", body="nobody"), lambda: simulation.sensor("x"),
                  lambda: simulation.contact_force([])):
        with pytest.raises(talus.InvalidArgument):
            wrong()
    with pytest.raises(TypeError, match="unknown key 'bodies'"):
        simulation.add_sensor("x", "contact_force", bodies=["floor"])


def test_scenes_bring_their_sensors_and_recorders_write_them(tmp_path):
    scene = talus.parse_scene("""
step: 1/200
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: block, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [0, 0, 0.1], mass: 2}
  - {name: bob, shape: {type: sphere, radius: 0.1}, position: [3, 0, 1], mass: 3}
joints:
  - {name: weld, type: fixed, between: [ground, bob], at: [3, 0, 1]}
sensors:
  - {name: scale, type: contact_force, body: floor}
""")
    simulation = scene.simulation()
    simulation.add_sensor("weld", "joint_force", joint="weld")
    with talus.Recorder(tmp_path / "run", simulation, scene, every=1) as recorder:
        for _ in range(20):
            simulation.step()
            recorder.record()
    header, *lines = (tmp_path / "run/sensors.csv").read_text().splitlines()
    last = dict(zip(header.split(","), map(float, lines[-1].split(","))))
    assert last["scale.force_z"] == pytest.approx(-2 * G, abs=1e-4)
    assert last["weld.force_z"] == pytest.approx(3 * G, abs=1e-4)
    with talus.Trajectory(tmp_path / "run/trajectory.h5") as trajectory:
        frame = trajectory[-1]
    assert frame.contact_forces[1] == pytest.approx([0, 0, 2 * G], abs=1e-4)
    assert frame.joint_forces[0] == pytest.approx([0, 0, 3 * G], abs=1e-4)
    assert frame.contact_torques.shape == (3, 3) and frame.joint_torques.shape == (1, 3)
    assert frame.joint_positions == frame.joint_velocities == frame.motor_efforts == pytest.approx([0])
    assert simulation.joint_forces()[0].shape == (1, 3)


def test_joint_arrays_can_be_set():
    simulation = arm()
    simulation.joint_positions = [0.3, -0.5]
    tip = simulation.world.positions[1]
    angles = (0.3, 0.3 - 0.5)
    expected = [math.cos(angles[0]) + 0.5 * math.cos(angles[1]), 0, -math.sin(angles[0]) - 0.5 * math.sin(angles[1])]
    assert tip == pytest.approx(expected, abs=1e-12)
    simulation.joint_positions = {"hinge 1": 0.2}
    assert simulation.joint_positions == pytest.approx([0.3, 0.2])
    simulation.joint_velocities = np.array([1.0, np.nan])
    assert simulation.joint_velocities == pytest.approx([1.0, 0.0])
    simulation.joint_velocities = {"hinge 0": 0.0}
    simulation.given_efforts = {"hinge 1": 0.25}
    assert simulation.given_efforts == pytest.approx([0, 0.25])
    simulation.step()
    assert simulation.joint_velocities[1] > 0
    for wrong in ([1.0], {"knee": 0.1}, [np.inf, 0], {"hinge 0": np.nan}):
        with pytest.raises(talus.InvalidArgument):
            simulation.joint_positions = wrong


def test_motor_targets_can_be_set():
    world = talus.World(gravity=(0, 0, 0))
    world.add_body("block", talus.box((0.1, 0.1, 0.1)), mass=2)
    world.add_joint("prismatic", "rail", between=("ground", "block"), axis=(1, 0, 0), motor=talus.Motor(position=0.1))
    simulation = talus.Simulation(world, step=1e-2)
    simulation.motor_targets = [0.05]
    simulation.run(until=0.5)
    assert simulation.joint_positions == pytest.approx([0.05], abs=1e-9)
    world.add_body("other", talus.sphere(0.1))
    world.add_joint("revolute", "free", between=("ground", "other"), at=(0, 0, 0), axis=(0, 1, 0))
    free = talus.Simulation(world)
    with pytest.raises(talus.InvalidArgument, match="no motor"):
        free.motor_targets = {"free": 1.0}
