"""What users of MuJoCo, PyBullet and Drake look for: names of joints in arrays, keyframes, forces of contacts, the
content of a model, and hints at the names used here."""

import copy
import pickle

import numpy as np
import pytest
import talus
from conftest import SCENES
from talus import names


@pytest.fixture
def arm():
    world = talus.World()
    world.add_body("upper", talus.box((0.1, 0.1, 0.5)), mass=2, position=(0, 0, -0.25))
    world.add_body("lower", talus.box((0.1, 0.1, 0.5)), mass=1, position=(0, 0, -0.75))
    world.add_joint("revolute", "shoulder", between=("ground", "upper"), axis=(0, 1, 0), motor=talus.Motor(speed=0.0, max_effort=5))
    world.add_joint("revolute", "elbow", between=("upper", "lower"), at=(0, 0, -0.5), axis=(0, 1, 0))
    return talus.Simulation(world)


def test_joint_arrays_have_names(arm):
    arm.joint_positions = {"elbow": 0.3}
    positions = arm.joint_positions
    assert positions["elbow"] == pytest.approx(0.3) and positions["shoulder"] == 0 and positions.names == ("shoulder", "elbow")
    assert np.allclose(positions[["elbow", "shoulder"]], (0.3, 0)) and positions[1] == positions["elbow"]
    assert positions.to_dict() == {"shoulder": 0.0, "elbow": pytest.approx(0.3)}
    arm.joint_velocities = {"shoulder": 2.0}
    assert arm.joint_velocities["shoulder"] == pytest.approx(2)
    arm.given_efforts = {"elbow": 4.0}
    assert arm.given_efforts["elbow"] == 4 and arm.given_efforts["shoulder"] == 0
    arm.motor_targets = {"shoulder": 1.0}
    assert arm.motor_targets["shoulder"] == 1
    arm.step()
    assert abs(arm.motor_efforts["shoulder"]) <= 5 + 1e-9
    with pytest.raises(KeyError, match="did you mean elbow"):
        positions["elbw"]


def test_named_arrays_are_arrays():
    array = talus.NamedArray([1.0, 2.0, 3.0], ["a", "b", "c"])
    assert (2 * array)["b"] == 4 and array[1:].names == () and array.sum() == 6 and isinstance(array, np.ndarray)
    for again in (pickle.loads(pickle.dumps(array)), copy.deepcopy(array)):
        assert again["c"] == 3 and again.names == array.names


def test_joint_state(arm):
    arm.step()
    state = arm.joint_state("shoulder")
    assert state["effort"] == arm.motor_efforts[0] and state["velocity"] == arm.joint_velocities[0]
    assert np.linalg.norm(state["force"]) == pytest.approx(3 * 9.81, rel=1e-6), "what hangs on it"


def test_contacts_have_forces_and_names():
    world = talus.World()
    world.add_body("floor", talus.half_space(), motion="fixed")
    world.add_body("box", talus.box((0.2, 0.2, 0.2)), mass=3, position=(0, 0, 0.1), force=(5.0, 0, 0))
    simulation = talus.Simulation(world)
    simulation.run(until=0.2)
    contacts = simulation.contacts
    assert set(map(frozenset, contacts.names)) == {frozenset(["floor", "box"])}
    sign = [1 if contact.names[1] == "box" else -1 for contact in contacts]
    total = sum(s * contact.force for s, contact in zip(sign, contacts))
    assert np.allclose(total, (-5, 0, 3 * 9.81), atol=1e-3)
    assert np.allclose(sum(contact.normal_force for contact in contacts), 3 * 9.81, atol=1e-3)
    for contact, force in zip(contacts, contacts.forces):
        assert np.allclose(contact.force, force)
        assert np.allclose(contact.normal_force * contact.normal + contact.friction_force, contact.force)
        assert contact.normal @ contact.friction_force == pytest.approx(0, abs=1e-9)
    assert "'floor'" in repr(contacts[0]) and "floor" in contacts._repr_html_()


def test_forces_of_recorded_frames_need_the_step():
    run = talus.load_scene(SCENES / "sliding_box.yaml").simulation().run(until=0.1, record=True)
    contacts = run.trajectory[-1].contacts
    with pytest.raises(talus.InvalidArgument, match="divide the impulses"):
        contacts.forces


def test_keyframes_and_reset(arm):
    arm.joint_positions = {"shoulder": 1.0}
    arm.save_keyframe("raised")
    arm.run(until=0.3)
    moved = arm.world.positions.copy()
    arm.reset("raised")
    assert arm.joint_positions["shoulder"] == pytest.approx(1.0) and arm.time == 0
    arm.run(until=0.3)
    assert np.array_equal(arm.world.positions, moved), "bit for bit"
    arm.reset()
    assert arm.time == 0 and arm.joint_positions["shoulder"] == 0 and list(arm.keyframes) == ["raised"]
    with pytest.raises(talus.InvalidArgument, match="there is no keyframe 'low'; there are: raised"):
        arm.reset("low")


def test_reset_after_scenes_checkpoints_and_copies(arm, tmp_path):
    scene = talus.load_scene(SCENES / "sliding_box.yaml")
    simulation = scene.simulation()
    simulation.run(until=0.1)
    talus.save_checkpoint(tmp_path / "c.h5", scene, simulation)
    _, restored = talus.load_checkpoint(tmp_path / "c.h5")
    restored.run(until=0.2)
    restored.reset()
    assert restored.time == simulation.time
    simulation.reset()
    assert simulation.time == 0
    arm.save_keyframe("here")
    arm.run(until=0.1)
    for again in (copy.deepcopy(arm), pickle.loads(pickle.dumps(arm))):
        again.reset("here")
        assert again.time == 0
        again.run(until=0.1)
        assert np.array_equal(again.world.positions, arm.world.positions)
        again.reset()
        assert again.time == 0


def test_model():
    scene = talus.load_scene(SCENES / "slider_crank.yaml")
    model = scene.world.model()
    assert model.counts == {"bodies": 3, "dynamic": 3, "fixed": 0, "kinematic": 0, "shapes": 3, "joints": 4,
                            "materials": len(scene.world.materials)}
    assert model.total_mass == 9 and model.masses["rod"] == 3 and model.moments["rod"].shape == (3,)
    assert model.joint_types == ["revolute", "revolute", "revolute", "prismatic"]
    assert model.joint_bodies[0] == ("ground", "crank") and "slider pin" in str(model) and "slider pin" in model._repr_html_()
    assert scene.world.masses["slider"] == 4 and scene.world.body_names == ["crank", "rod", "slider"]
    assert scene.world.joint_names == model.joint_names == scene.simulation().joint_names
    assert "<table>" in scene.world._repr_html_() and "<table>" in scene.simulation()._repr_html_()


def test_long_models_are_cut():
    world = talus.World()
    for _ in range(60):
        world.add_body(shape=talus.sphere(0.1))
    assert "and 20 more" in str(world.model()) and "and 40 more" in world._repr_html_()


def test_names_of_other_programs_are_hinted_at(arm):
    with pytest.raises(AttributeError, match="here it is joint_positions"):
        arm.qpos
    with pytest.raises(AttributeError, match="here it is restore"):
        arm.set_state
    with pytest.raises(AttributeError, match="did you mean"):
        arm.joint_position
    with pytest.raises(AttributeError, match="here it is type"):
        arm.world.joints[0].kind
    assert not hasattr(arm, "no such thing") and getattr(arm, "qvel", None) is None


def test_the_package_hints_at_names_of_other_programs():
    with pytest.raises(AttributeError, match=r"here it is talus.load\(path\)"):
        talus.MjModel
    with pytest.raises(AttributeError, match="did you mean sphere"):
        talus.spher
    assert not hasattr(talus, "__no_such_thing__") and talus.environments.CartPole
    for name, hint in names.MODULES.items():
        assert not hasattr(talus, name), name
        thing = talus
        for part in hint.partition("(")[0].partition(",")[0].partition(" ")[0].split("."):
            thing = getattr(thing, part)


def test_simulations_hint_at_their_world(arm):
    with pytest.raises(AttributeError, match="has it: world.gravity"):
        arm.gravity


def test_things_look_as_they_were_made():
    for text in ("talus.sphere(0.1)", "talus.box((1, 2, 3))", "talus.Motor(speed=1.0)", "talus.Drag()", "talus.Formula('t')",
                 "talus.clump([(talus.sphere(0.1), ((0, 0, 0), (1, 0, 0, 0)))])", "talus.Spring(stiffness=2, damping=0, rest=0)"):
        assert repr(eval(text)) == repr(copy.deepcopy(eval(text))) == text
    assert repr(talus.convex_hull(np.random.default_rng(1).normal(size=(40, 3)))) == "talus.convex_hull(<40 entries>)"
    assert repr(talus.make_solver("nsgs")) == "<talus.Solver nsgs>"


def test_hints_name_what_exists():
    """Each hint begins with an attribute of the class, of its world, or says that it is something else."""
    import re
    kinds = {name: getattr(talus, name) for name in names.ELSEWHERE}
    for kind, hints in names.ELSEWHERE.items():
        for name, hint in hints.items():
            assert not hasattr(kinds[kind], name), (kind, name)
            for word in re.findall(r"^(?:world\.)?(\w+)", hint):
                where = talus.World if hint.startswith("world.") else kinds[kind]
                known = hasattr(where, word) or word in ("len", "the", "differences", "options", "Simulation", "world")
                assert known, (kind, name, hint)


def test_joint_types_have_the_name_that_scenes_use():
    world = talus.World()
    world.add_body("a", talus.sphere(0.1))
    world.add_joint(type="fixed", between=("ground", "a"))
    assert world.joints[0].type == "fixed" and world.bodies[0].shapes[0][0].type == "sphere"
    with pytest.raises(TypeError, match="no argument 'kind'; it is called 'type'"):
        world.add_joint(kind="fixed", between=("ground", "a"))
