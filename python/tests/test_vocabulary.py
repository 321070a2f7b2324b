"""Scene files and Python say the same by the same names. The exceptions are those listed here and in docs/howto/python.md."""

import ast
import math
import re

import pytest
import talus
from conftest import ROOT

STUBS = ast.parse((ROOT / "python/talus/__init__.pyi").read_text(encoding="utf-8"))
BALL = "bodies:\n- {name: ball, shape: {type: sphere, radius: 1}}\n"


def joint(type, more="nonsense: 1"):
    return BALL + f"joints:\n- {{type: {type}, between: [ground, ball], at: [0, 0, 0], {more}}}\n"


# What a scene with an unknown key says it allows, by the text of the scene.
SCENES = {
    "options": "nonsense: 1\n",
    "solver": "solver: {nonsense: 1}\n",
    "restitution": "restitution: {nonsense: 1}\n",
    "contact": "contact: {nonsense: 1}\n",
    "material": "materials: {m: {nonsense: 1}}\n",
    "cohesion": "materials: {m: {cohesion: {nonsense: 1}}}\n",
    "body": "bodies:\n- {nonsense: 1}\n",
    "drag": "bodies:\n- {name: a, shape: {type: sphere, radius: 1}, drag: {nonsense: 1}}\n",
    "fluid": "fluids:\n- {nonsense: 1}\n",
    "joint": [joint(type) for type in ("revolute", "prismatic", "spherical", "universal", "distance", "gear")],
    "motor": joint("revolute", "motor: {nonsense: 1}"),
    "spring": joint("revolute", "spring: {nonsense: 1}"),
    "bearing": joint("revolute", "bearing: {nonsense: 1}"),
}


def scene_keys(name, folder):
    keys = set()
    for text in SCENES[name] if isinstance(SCENES[name], list) else [SCENES[name]]:
        file = folder / "scene.yaml"
        file.write_text(text)
        with pytest.raises(talus.FileError) as raised:
            talus.load_scene(file)
        keys |= set(re.search(r"unknown key '\w+'; allowed: (.*)", str(raised.value))[1].split(", "))
    return keys


def defined(body, name):
    return [node for node in body if getattr(node, "name", None) == name]


def arguments(node):
    every = node.args.args + node.args.kwonlyargs
    return {each.arg for each in every if each.arg != "self"}


def call(name):
    """Names of the arguments of a function, a class, or Class.method of the stubs."""
    outer, _, inner = name.partition(".")
    [node] = defined(STUBS.body, outer)
    if isinstance(node, ast.ClassDef):
        [node] = defined(node.body, inner or "__init__")
    return arguments(node)


def properties(name):
    [node] = defined(STUBS.body, name)
    return {each.name for each in node.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")}


# Subject: (names in Python, what scenes alone have, what Python alone has).
PAIRS = {
    "material": (lambda: call("World.add_material"), set(), {"name"}),  # the key of the mapping `materials`
    "cohesion": (lambda: call("Cohesion"), set(), set()),
    "drag": (lambda: call("Drag"), set(), set()),
    "fluid": (lambda: call("World.add_fluid"), set(), set()),
    "spring": (lambda: call("Spring"), set(), set()),
    "bearing": (lambda: call("Bearing"), set(), set()),
    "body": (lambda: call("World.add_body"), {"shapes", "servo", "point_loads"}, {"path"}),
    "joint": (lambda: call("World.add_joint"), {"limit_spring"}, {"limit_stiffness", "limit_damping", "bushing"}),
    "motor": (lambda: call("Motor"), {"amplitude", "frequency"}, {"target", "mode", "level"}),
    "solver": (lambda: properties("StepOptions"), {"name", "options"}, None),
    "contact": (lambda: properties("StepOptions"), {"compliance"}, None),
}


@pytest.mark.parametrize("subject", PAIRS)
def test_scene_keys_and_keywords_agree(subject, tmp_path):
    names, scenes_alone, python_alone = PAIRS[subject]
    keys, keywords = scene_keys(subject, tmp_path), names()
    assert keys - keywords == scenes_alone
    if python_alone is not None:  # StepOptions has the keys of several mappings
        assert keywords - keys == python_alone


def test_every_option_of_a_step_has_its_key(tmp_path):
    """Those of the scene, of `solver`, `contact` and `restitution` together."""
    keys = set().union(*(scene_keys(name, tmp_path) for name in ("options", "solver", "contact")))
    keys |= {"solver_options"}  # solver: {options: ...}
    keys |= {"restitution_threshold", "impact_law"}  # restitution: {threshold: ..., law: ...}
    assert {"threshold", "law"} <= scene_keys("restitution", tmp_path)
    assert properties("StepOptions") - keys == {"threads"}  # --threads


SHAPES = {"sphere", "box", "capsule", "cylinder", "ellipsoid", "superellipsoid", "half_space", "open_box", "hopper", "cylinder_shell"}


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_shapes_take_the_same_numbers(shape, tmp_path):
    file = tmp_path / "scene.yaml"
    file.write_text(f"bodies:\n- {{name: a, motion: fixed, shape: {{type: {shape}, nonsense: 1}}}}\n")
    with pytest.raises(talus.FileError) as raised:
        talus.load_scene(file)
    allowed = set(re.search(r"unknown key 'nonsense'; allowed: (.*)", str(raised.value))[1].split(", "))
    assert allowed - {"type"} == call(shape)


def test_exceptions_are_documented():
    page = (ROOT / "docs/howto/python.md").read_text(encoding="utf-8")
    for subject in ("body", "joint", "motor", "solver"):
        for name in PAIRS[subject][1] | (PAIRS[subject][2] or set()):
            assert re.search(rf"`[^`]*\b{name}\b[^`]*`", page), f"{name} of {subject}"


def test_angles_of_joints_are_degrees_in_scenes_and_radians_in_python(tmp_path):
    file = tmp_path / "scene.yaml"
    file.write_text(BALL + "joints:\n- {name: hinge, type: revolute, between: [ground, ball], at: [0, 0, 0], axis: [0, 1, 0], position: 20,"
                    " limits: [-30, 45], motor: {position: 10, stiffness: 1e5, damping: 1e4}}\nstep: 1/100\n")
    world = talus.World()
    world.add_body("ball", talus.sphere(1))
    world.add_joint("revolute", "hinge", between=("ground", "ball"), axis=(0, 1, 0), position=math.radians(20),
                    limits=(math.radians(-30), math.radians(45)),
                    motor=talus.Motor(position=math.radians(10), stiffness=1e5, damping=1e4))
    ends = []
    for simulation in (talus.load_scene(file).simulation(), talus.Simulation(world, step=1 / 100)):
        assert simulation.joint_positions["hinge"] == pytest.approx(math.radians(20))
        simulation.run(until=0.5)
        ends.append(simulation.joint_positions["hinge"])
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)
    assert abs(ends[0] - math.radians(20)) > 0.01  # the motor has moved it


def test_relative_compliance_has_one_name(tmp_path):
    file = tmp_path / "scene.yaml"
    for key in ("relative_compliance", "compliance"):  # the second is that of older scenes
        file.write_text(BALL + f"contact: {{{key}: 0.03}}\n")
        assert talus.load_scene(file).simulation().options.relative_compliance == 0.03
    file.write_text(BALL + "contact: {compliance: 0.03, relative_compliance: 0.03}\n")
    with pytest.raises(talus.FileError):
        talus.load_scene(file)
