"""Pickles, copies, many simulations, and how objects look."""

import copy
import pickle

import numpy as np
import pytest
import talus
from conftest import SCENES

COPIES = {"pickle": lambda value: pickle.loads(pickle.dumps(value)), "deepcopy": copy.deepcopy}


def pile(friction=0.5):
    world = talus.World()
    world.add_material("stone", friction=friction)
    world.add_body("floor", talus.half_space(), motion="fixed", material="stone")
    place = np.array([0.0, 0.0, 0.1])
    for i in range(4):
        world.add_body(f"box {i}", talus.box((0.2, 0.2, 0.2)), position=place, material="stone",
                       orientation={"axis": (0, 0, 1), "angle": 5 * i})
        place += (0.02, 0, 0.2)  # the world keeps what was given
    world.add_body("bob", talus.sphere(0.1), position=(1, 0, 1))
    world.add_joint("revolute", "hinge", between=("ground", "bob"), at=(1, 0, 1.5), axis=(0, 1, 0),
                    motor=talus.Motor(speed=1.0, max_effort=5))
    return world


def last_x(simulation):
    return simulation.world.positions[4, 0]


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
def test_copies_of_a_simulation_go_on_bit_for_bit(duplicate):
    simulation = talus.Simulation(pile(), step=1 / 200, tolerance=1e-7)
    simulation.add_sensor("scale", "contact_force", body="floor")
    simulation.motor_targets = {"hinge": 2.0}
    simulation.run(until=0.1)
    simulation.world.set_load("box 3", (1, 0, 0))
    simulation.world.set_load("box 3", (2, 0, 0))
    simulation.world.add_body("late", talus.sphere(0.05), position=(-1, 0, 0.2))
    simulation.world.remove_body("box 2")
    twice = duplicate(duplicate(simulation))
    for each in (simulation, twice):
        each.run(until=0.3)
    assert twice.state() == simulation.state()
    assert np.array_equal(twice.sensor("scale"), simulation.sensor("scale"))
    assert repr(twice.options) == repr(simulation.options)


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
def test_copies_of_a_scene_and_of_its_simulation(duplicate):
    scene = talus.load_scene(SCENES / "slider_crank.yaml")
    simulation, other = scene.simulation(), duplicate(scene).simulation()
    simulation.run(until=0.05)
    other.run(until=0.05)
    assert other.state() == simulation.state()
    branch = duplicate(duplicate(simulation))
    for each in (simulation, branch):
        each.run(until=0.1)
    assert branch.state() == simulation.state() and list(branch.sensors) == list(simulation.sensors)
    alone = talus.Simulation(simulation.world)
    assert not alone.sensors and not duplicate(alone).sensors


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
def test_copies_of_problems_options_states_and_reports(duplicate, stack_problem):
    again = duplicate(stack_problem)
    assert again.model == stack_problem.model == "rigid"
    assert np.array_equal(talus.solve(again).x, talus.solve(stack_problem).x)
    options = talus.StepOptions(formulation="dual-relaxed", tolerance=1e-5, solver_options={})
    assert repr(duplicate(options)) == repr(options)
    simulation = talus.Simulation(pile())
    simulation.step()
    assert duplicate(simulation.state()) == simulation.state()
    assert repr(duplicate(simulation.report)) == repr(simulation.report)
    assert np.array_equal(duplicate(simulation.contacts).impulses, simulation.contacts.impulses)


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
def test_copies_of_worlds_with_cut_meshes_and_superellipsoids(duplicate):
    world = talus.World()
    found = talus.decompose(talus.cylinder_shell(0.2, 0.1, 0.05, segments=16), parts=8)
    world.add_body("ring", found.shape)
    world.add_body("piece", found.hulls[3], position=(1, 0, 0))
    world.add_body("pebble", talus.superellipsoid((0.1, 0.2, 0.3), (4, 3)), position=(2, 0, 0))
    del found
    copied = duplicate(world)
    assert [body.mass for body in copied.bodies] == [body.mass for body in world.bodies]
    again = duplicate(copied)
    assert [body.mass for body in again.bodies] == [body.mass for body in world.bodies]


def test_functions_must_be_picklable():
    world = pile()
    world.add_force(lambda world, time, forces, torques: None)
    with pytest.raises(Exception, match="lambda"):
        pickle.dumps(world)
    assert len(copy.deepcopy(world)) == len(world)


@pytest.mark.parametrize("processes", [False, True], ids=["threads", "processes"])
def test_many_simulations_give_what_one_gives(processes):
    parameters, seen = [0.1, 0.9], []
    got = talus.simulate_many(parameters, make=pile, measure=last_x, until=0.1, jobs=2, processes=processes,
                              progress=lambda done, total: seen.append((done, total)))
    expected = []
    for friction in parameters:
        simulation = talus.Simulation(pile(friction))
        simulation.run(until=0.1)
        expected.append(last_x(simulation))
    assert got == expected and seen == [(1, 2), (2, 2)]


def test_many_simulations_show_a_bar(capsys):
    talus.simulate_many([3, 4], make=pile, measure=last_x, until=0.02, jobs=1, progress=True)
    said = capsys.readouterr().err
    assert said.startswith("\r[....") and "1 of 2, " in said and " s left" in said and said.endswith("\n")
    assert "[" + "#" * 30 + "] 2 of 2" in said


def test_the_bar_estimates_from_what_is_done():
    import io

    from talus.many import Bar
    now = [0.0]
    bar = Bar(io.StringIO(), clock=lambda: now[0])
    now[0] = 6.0
    bar(3, 9)
    assert "[##########....................] 3 of 9, 12 s left" in bar.stream.getvalue()


def test_many_simulations_refuse_what_they_cannot_run():
    with pytest.raises(TypeError, match="until"):
        talus.simulate_many([pile()])
    with pytest.raises(TypeError, match="not int"):
        talus.simulate_many([3], until=1)
    with pytest.raises(ValueError, match="jobs is 0"):
        talus.simulate_many([], jobs=0)
    with pytest.raises(ZeroDivisionError) as failure:
        talus.simulate_many([3, 0], make=lambda number: pile() if number else 1 / number, until=0.01, jobs=1)
    assert any("of item 1, 0" in note for note in getattr(failure.value, "__notes__", ["of item 1, 0"]))


@pytest.mark.parametrize("call, message", [
    (lambda: talus.World().add_body("a", kind="fixed"), "World.add_body() has no argument 'kind'; it is called 'motion'"),
    (lambda: talus.World().add_body("a", possition=(0, 0, 1)), "did you mean 'position'"),
    (lambda: talus.sphere("big"), "sphere(): radius takes a number, not 'big'"),
    (lambda: talus.sphere(), "sphere(): radius is missing"),
    (lambda: talus.box(1), "box(): size takes 3 numbers, not 1"),
    (lambda: talus.World().add_body("a", 3), "World.add_body(): shape takes a talus.Shape, not 3"),
    (lambda: talus.World().add_body("a", talus.sphere(1), position=(1, 2)),
     "World.add_body(): position takes 3 numbers, not (1, 2)"),
    (lambda: talus.World().add_body("a", talus.sphere(1), mass=[]), "World.add_body(): mass takes a number, not []"),
    (lambda: talus.Spring(stifness=1), "did you mean 'stiffness'"),
    (lambda: talus.Simulation(pile(), dt=0.1), "it is called 'step'"),
    (lambda: talus.StepOptions(tolerence=0.1), "did you mean 'tolerance'"),
    (lambda: talus.Simulation(pile(), tolerance="x"), "Simulation(): tolerance takes a number, not 'x'"),
])
def test_wrong_arguments_get_one_short_sentence(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert message in str(caught.value) and len(str(caught.value)) < 200 and "\n" not in str(caught.value)


@pytest.mark.parametrize("orientation", [{}, {"axis": (0, 0, 0), "angle": 3}, {"euler": (1, 2)}, {"angle": 3}])
def test_wrong_orientations_are_refused(orientation):
    with pytest.raises(ValueError, match="an orientation has"):
        talus.World().add_body("a", talus.sphere(1), orientation=orientation)


def test_objects_say_what_they_are():
    simulation = talus.Simulation(pile(), step=0.005)
    simulation.step()
    assert repr(simulation.options) == "talus.StepOptions(step=0.005)"
    assert f"{len(simulation.contacts)} contacts" in repr(simulation.contacts)
    assert "after 1 steps" in repr(simulation.state())
    for shown in (simulation.options, simulation.report, simulation.contacts):
        assert shown._repr_html_().startswith("<table>")
