"""Simulations: steps, reports, contacts, states, scenes, recorded files."""

import gc
import threading

import numpy as np
import pytest
import talus
from conftest import SCENES


def test_a_ball_comes_to_rest_and_its_contact_carries_it(falling_ball):
    simulation, ball = falling_ball
    reports = []
    simulation.run(until=1, each=reports.append)
    assert len(reports) == 240 == simulation.steps
    assert all(report.converged and report.status == "converged" for report in reports)
    assert simulation.world.positions[ball, 2] == pytest.approx(0.1 - 0.01 * 9.81 / 240**2, abs=1e-8)
    [contact] = simulation.contacts
    weight = simulation.world.bodies[ball].mass * 9.81
    force = contact.impulse[2] / simulation.options.step
    assert contact.bodies == (0, ball) and force == pytest.approx(weight, rel=1e-6)
    assert simulation.contacts.impulses[0] == pytest.approx(contact.impulse)
    assert simulation.contacts.normals[0] == pytest.approx([0, 0, 1])
    assert simulation.contacts.gaps[0] == pytest.approx(contact.gap)
    assert simulation.contacts.bodies.tolist() == [[0, ball]]
    assert simulation.contacts.points[0] == pytest.approx(contact.point)
    with pytest.raises(IndexError):
        simulation.contacts[1]


def test_options_by_keyword_and_wrong_ones():
    world = talus.World()
    simulation = talus.Simulation(world, step=0.01, solver="nsgs", friction="polyhedron:6", law="associated")
    options = simulation.options
    assert (options.step, options.solver, options.friction, options.law) == (0.01, "nsgs", "polyhedron:6", "associated")
    simulation.set_options(solver_options={}, tolerance=1e-6)
    assert simulation.options.tolerance == 1e-6
    with pytest.raises(talus.InvalidArgument, match="until is nan"):
        simulation.run(until=float("nan"))
    with pytest.raises(TypeError, match="has no option 'stepp'; did you mean 'step'"):
        talus.Simulation(world, stepp=1)
    with pytest.raises(talus.InvalidArgument, match="known: "):
        talus.Simulation(world, solver="magic")
    with pytest.raises(talus.InvalidArgument):
        talus.Simulation(world, step=-1)


def test_formulations_bring_their_law_and_solver():
    world = talus.World()
    options = talus.StepOptions(formulation="eom-relaxed", friction="cylinder")
    assert (options.law, options.solver, options.friction) == ("associated", "path", "prism:8")
    assert talus.StepOptions(formulation="dual", solver="apgd").solver == "apgd"
    options.formulation = "dual"
    assert (options.law, options.solver, options.solver_options) == ("coulomb", "conic-ip", {"model": "dual"})
    options.formulation = ""
    assert options.formulation == "" and options.solver == "conic-ip"
    with pytest.raises(talus.InvalidArgument, match="is solved by path, not by apgd"):
        talus.Simulation(world, solver="apgd", formulation="eom")
    with pytest.raises(talus.InvalidArgument, match="has the law coulomb, not associated"):
        talus.Simulation(world, formulation="eom", law="associated")
    simulation = talus.Simulation(world, formulation="eom")
    with pytest.raises(talus.InvalidArgument, match="is solved by path, not by nsgs"):
        simulation.set_options(solver="nsgs")
    with pytest.raises(talus.InvalidArgument, match="known: " + ", ".join(talus.formulation_names())):
        talus.StepOptions(formulation="magic")


class CountingGradient(talus.ConvexSolver):
    """Projected gradient that counts how often it was asked."""

    info = talus.SolverInfo("counting-gradient")

    def __init__(self):
        super().__init__()
        self.runs = 0

    def minimise(self, problem, z, monitor):
        self.runs += 1
        step, u = 1 / (1.05 * problem.largest_eigenvalue()), problem.velocity(z)
        while monitor.proceed(z, u):
            problem.project_step(z, step, u, out=z)
            problem.velocity(z, out=u)


def test_a_solver_written_in_python_steps_a_simulation(falling_ball):
    simulation, ball = falling_ball
    solver = CountingGradient()
    simulation.set_options(solver=solver)
    simulation.run(until=0.5)
    assert solver.runs > 10 and simulation.report.converged
    assert simulation.world.positions[ball, 2] == pytest.approx(0.1 - 0.01 * 9.81 / 240**2, abs=1e-8)
    simulation.set_options(tolerance=1e-6)
    assert simulation.options.solver is solver
    simulation.set_options(solver="apgd")
    before = solver.runs
    simulation.step()
    assert simulation.options.solver == "apgd" and solver.runs == before


def test_a_simulation_keeps_its_solver_alive_and_passes_its_exceptions_on(falling_ball):
    class Failing(talus.Solver):
        info = talus.SolverInfo("failing")

        def run(self, problem, z, monitor):
            raise ZeroDivisionError("mine")

    simulation, _ = falling_ball
    simulation.set_options(solver=Failing())
    gc.collect()
    with pytest.raises(ZeroDivisionError, match="mine"):
        simulation.run(until=1)
    simulation.set_options(solver=talus.make_solver("admm"))
    assert simulation.step().converged and simulation.options.solver.info.name == "admm"
    with pytest.raises(TypeError):
        simulation.set_options(solver=3)


def test_bodies_that_overlap_are_found_and_part_gently():
    world = talus.World()
    world.add_body("floor", talus.half_space(), motion="fixed")
    for x in (0, 0.8):
        world.add_body(f"ball {x}", talus.sphere(0.5), position=(x, 0, 0.5))
    [overlap] = world.overlaps()
    assert overlap.bodies == (1, 2) and overlap.depth == pytest.approx(0.2)
    assert world.overlaps(share=0.5) == []
    with pytest.raises(talus.InvalidArgument, match="share is -1"):
        world.overlaps(share=-1)
    simulation = talus.Simulation(world)
    assert simulation.options.recovery_speed < 0
    gentle = simulation.step()
    assert gentle.restitution_scale == 1
    at_once = talus.Simulation(world, recovery_speed=float("inf")).step()
    assert gentle.kinetic_energy < 0.1 * at_once.kinetic_energy


def test_restoring_repeats_bit_for_bit():
    simulation = talus.load_scene(SCENES / "sliding_box.yaml").simulation()
    for _ in range(5):
        simulation.step()
    state = simulation.state()
    simulation.run(until=simulation.time + 0.1)
    first = simulation.state()
    simulation.restore(state)
    simulation.run(until=simulation.time + 0.1)
    assert simulation.state() == first


def test_a_simulation_is_stepped_by_one_thread_at_a_time(falling_ball):
    simulation, _ = falling_ball
    simulation.world.add_force(lambda *arguments: simulation.step())
    with pytest.raises(RuntimeError, match="being stepped already"):
        simulation.step()


def test_stepping_releases_the_interpreter():
    """A force that waits for another Python thread would never return if stepping held the interpreter."""
    world = talus.World()
    world.add_body("ball", talus.sphere(0.1))
    simulation = talus.Simulation(world)
    entered, answered = threading.Event(), threading.Event()

    def wait(*arguments):
        entered.set()
        assert answered.wait(timeout=30)

    simulation.world.add_force(wait)
    worker = threading.Thread(target=simulation.step)
    worker.start()
    assert entered.wait(timeout=30)
    answered.set()
    worker.join(timeout=30)
    assert not worker.is_alive() and simulation.steps == 1


def test_scene_with_overrides_and_its_errors(tmp_path):
    scene = talus.load_scene(str(SCENES / "incline.yaml"), ["step=0.002"])
    assert scene.options.step == 0.002 and len(scene.world) > 0 and scene.duration > 0
    assert scene.simulation(solver="nsgs").options.solver == "nsgs" != scene.simulation().options.solver
    with pytest.raises(talus.FileError, match="nowhere.yaml") as caught:
        talus.load_scene("nowhere.yaml")
    assert isinstance(caught.value, OSError)
    with pytest.raises(talus.FileError, match=r"mine.yaml:2: .*unknown key 'bodys'"):
        talus.parse_scene("title: x\nbodys: []\n", path="mine.yaml")


def test_recorder_and_trajectory(falling_ball, tmp_path):
    simulation, ball = falling_ball
    with talus.Recorder(tmp_path, simulation, title="ball", every=10, formats=["trajectory", "csv"]) as recorder:
        simulation.run(until=0.25, each=lambda report: recorder.record())
    with pytest.raises(ValueError, match="closed"):
        recorder.record()
    assert not (tmp_path / "checkpoint.h5").exists()
    assert (tmp_path / "steps.csv").read_text().count("\n") == 61
    with talus.Trajectory(tmp_path / "trajectory.h5") as trajectory:
        assert len(trajectory) == 7 and trajectory.bodies == 2
        assert trajectory.times[-1] == pytest.approx(0.25)
        heights = [frame.positions[ball, 2] for frame in trajectory]
        last = trajectory[-1]
    assert heights == sorted(heights, reverse=True)
    assert np.array_equal(last.velocities, simulation.world.velocities)
    assert np.array_equal(last.orientations, simulation.world.orientations)
    with pytest.raises(ValueError, match="closed"):
        trajectory[0]


def test_a_recorder_without_a_scene_begins_anew(falling_ball, tmp_path):
    simulation, _ = falling_ball
    for _ in range(2):
        simulation.step()
        with talus.Recorder(tmp_path, simulation, every=1) as recorder:
            simulation.step()
            recorder.record()
        with talus.Trajectory(tmp_path / "trajectory.h5") as trajectory:
            assert [frame.step for frame in trajectory] == [simulation.steps - 1, simulation.steps]
        assert (tmp_path / "steps.csv").read_text().count("\n") == 2


def test_files_are_finished_when_the_block_raises(falling_ball, tmp_path):
    simulation, _ = falling_ball
    with pytest.raises(ZeroDivisionError):
        with talus.Recorder(tmp_path, simulation, every=1) as recorder:
            simulation.step()
            recorder.record()
            1 / 0
    assert len(talus.Trajectory(tmp_path / "trajectory.h5")) == 2


def test_checkpoints_go_on_where_they_were(tmp_path):
    scene = talus.load_scene(SCENES / "sliding_box.yaml")
    simulation = scene.simulation()
    simulation.run(until=0.1)
    path = tmp_path / "saved.h5"
    talus.save_checkpoint(path, scene, simulation)
    again_scene, again = talus.load_checkpoint(path)
    assert again_scene.title == scene.title and again.state() == simulation.state()
    simulation.step()
    again.step()
    assert again.state() == simulation.state()
    path.write_bytes(b"no")
    with pytest.raises(talus.FileError):
        talus.load_checkpoint(path)


def test_unknown_formats_are_refused(falling_ball, tmp_path):
    simulation, _ = falling_ball
    with pytest.raises(talus.InvalidArgument, match="known: trajectory, csv, paraview"):
        talus.Recorder(tmp_path, simulation, formats=["movie"])


def test_a_force_cannot_resize_its_arrays(falling_ball):
    simulation, _ = falling_ball

    def shrinks(world, time, forces, torques):
        torques.resize((0, 3), refcheck=False)

    simulation.world.add_force(shrinks)
    with pytest.raises(talus.InvalidArgument, match="torques must hold"):
        simulation.step()
