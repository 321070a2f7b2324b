"""Runs: columns, recordings, plots, views, and the server of a live view."""

import copy
import json
import os
import pathlib
import sys
import urllib.request

import numpy as np
import pytest
import talus
from conftest import SCENES
from talus import pages

needs_page = pytest.mark.skipif(not (pathlib.Path(talus._talus.__file__).parents[2] / "viewer/index.html").exists(),
                                reason="the page of the viewer was not built")


def test_run_answers_columns_of_all_steps(falling_ball):
    simulation, ball = falling_ball
    run = simulation.run(until=0.5)
    assert len(run) == simulation.steps == 120
    assert np.allclose(run["time"], np.arange(1, 121) / 240)
    assert run["contacts"][0] == 0 and run["contacts"][-1] == 1
    mass = simulation.world.bodies[ball].mass
    assert np.allclose(run["kinetic_energy"][:60], mass / 2 * (9.81 * run["time"][:60]) ** 2)
    assert not run["time"].flags.writeable
    assert "120 steps" in repr(run) and "all converged" in repr(run)
    assert "<table>" in run._repr_html_() and run.summary()["unconverged_steps"] == 0


def test_a_run_without_steps_is_empty(falling_ball):
    run = falling_ball[0].run(until=0)
    assert len(run) == 0 and run.summary() == {"steps": 0} and "no steps" in repr(run)


def test_calls_back_after_every_step_as_before(falling_ball):
    seen = []
    falling_ball[0].run(until=0.1, each=lambda report: seen.append(report.time))
    assert len(seen) == 24


def test_nothing_recorded_says_how_to_record(falling_ball):
    run = falling_ball[0].run(until=0.1)
    for call in (run.show, run.view, lambda: run.trajectory, lambda: run.sensors):
        with pytest.raises(talus.Error, match="record=True"):
            call()
    with pytest.raises(KeyError, match="there is no column 'speed'; there are step, time"):
        run["speed"]


def test_records_into_a_temporary_folder_that_goes_with_the_run(falling_ball):
    simulation, ball = falling_ball
    run = simulation.run(until=0.5, record=True)
    folder = run.folder
    with run.trajectory as trajectory:
        assert np.allclose(np.diff(trajectory.times)[:-1], 1 / 60)
        assert trajectory[-1].positions[ball, 2] == simulation.world.positions[ball, 2]
    del run
    assert not folder.exists()


def test_records_into_a_folder_that_stays(falling_ball, tmp_path):
    run = falling_ball[0].run(until=0.25, record=tmp_path / "ball")
    again = talus.Run(tmp_path / "ball")
    for name in ("time", "kinetic_energy", "contacts", "converged"):
        assert np.array_equal(run[name], again[name]), name
    assert len(again) == 60 and again.summary() == pytest.approx(run.summary())
    with pytest.raises(talus.FileError, match="no trajectory.h5"):
        talus.Run(tmp_path)


def test_a_recording_follows_single_steps_and_runs(falling_ball):
    simulation, _ = falling_ball
    simulation.run(until=0.1)
    with simulation.record(every=1) as run:
        simulation.step()
        assert simulation.run(until=0.2) is run
    assert len(run) == 24 and len(run.trajectory) == 25  # the first frame is how it lay
    simulation.step()
    assert len(run.trajectory) == 25, "after stop() nothing is recorded"


def test_recording_changes_nothing():
    plain = talus.load_scene(SCENES / "balls_in_box.yaml", ["generators.0.count=30"]).simulation()
    followed = copy.deepcopy(plain)
    plain.run(until=0.3)
    followed.run(until=0.3, record=True)
    assert np.array_equal(plain.world.positions, followed.world.positions)


def test_sensors_are_columns():
    run = talus.load_scene(SCENES / "slider_crank.yaml").simulation().run(until=0.1, record=True)
    assert len(run["slider"]) == len(run.sensors["time"]) > 40


def test_plots(falling_ball):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    run = falling_ball[0].run(until=0.4)
    figure = run.plot()
    assert [place.get_ylabel() for place in figure.axes] == ["energy (J)", "contacts", "error", "max penetration (m)"]
    assert figure.axes[-1].get_xlabel() == "time (s)"
    figure = run.plot("contacts", ["kinetic_energy", "elastic_energy"])
    assert len(figure.axes) == 2 and len(figure.axes[1].lines) == 2
    with pytest.raises(talus.InvalidArgument, match="1 plots and 2 axes"):
        run.plot("contacts", axes=pyplot.subplots(2)[1])
    pyplot.close("all")


@needs_page
def test_a_view_is_a_page_of_its_own(falling_ball, tmp_path):
    run = falling_ball[0].run(until=0.4, record=True)
    view = run.view(height=300)
    html = view._repr_html_()
    assert html.startswith("<iframe srcdoc=") and "height: 300px" in html and 'title="' in html
    assert '"' not in html[len('<iframe srcdoc="'):html.index('" style=')], "the page is escaped"
    view.save(tmp_path / "page.html")
    assert 'id="talus-frames-0"' in (tmp_path / "page.html").read_text(encoding="utf-8")
    with pytest.raises(talus.InvalidArgument, match="every"):
        run.view(every=0)


@needs_page
def test_large_runs_leave_frames_out(falling_ball, monkeypatch):
    run = falling_ball[0].run(until=0.4, record=True)
    whole = len(run.view().page)
    monkeypatch.setattr(pages, "LARGEST_PAGE", 200)
    assert len(run.view().page) < whole


@needs_page
def test_live_view_follows_the_run(falling_ball):
    simulation, _ = falling_ball
    run = simulation.record()
    view = run.live()
    assert view._repr_html_().startswith('<iframe src="http://127.0.0.1:')

    def extent():
        run.folder  # waits for the files
        with urllib.request.urlopen(view.address + "extent", timeout=20) as answer:
            return json.load(answer)

    before = extent()
    simulation.run(until=0.5)
    after = extent()
    assert before["growing"] and after["growing"] and after["frames"] > before["frames"]
    run.stop()
    assert not extent()["growing"]
    with pytest.raises(talus.Error, match="live"):
        view.save("page.html")


@needs_page
@pytest.mark.parametrize("what", ["simulation", "recording", "world"])
def test_show_opens_the_browser_outside_of_notebooks(falling_ball, what, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(pages.webbrowser, "open", opened.append)
    simulation, _ = falling_ball
    if what == "recording":
        simulation.record()
        simulation.step()
    (simulation.world if what == "world" else simulation).show()
    assert len(opened) == 1 and opened[0].startswith("file://") and opened[0] in capsys.readouterr().err
    os.unlink(opened[0].removeprefix("file://"))


@needs_page
def test_show_displays_in_a_notebook(falling_ball, monkeypatch):
    shown = []
    shell = type("Shell", (), {"kernel": object()})()
    ipython = type(sys)("IPython")
    ipython.get_ipython = lambda: shell
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    display = type(sys)("IPython.display")
    display.display = shown.append
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    falling_ball[0].show()
    assert len(shown) == 1 and shown[0]._repr_html_().startswith("<iframe")


def test_without_a_page_the_message_says_what_is_missing(falling_ball, monkeypatch, tmp_path):
    monkeypatch.setattr(pages._talus, "__file__", str(tmp_path / "a/b/c/d/e/_talus.so"))
    with pytest.raises(talus.Error, match="nodejs and npm"):
        falling_ball[0].run(until=0.1, record=True).view()


def test_recordings_have_the_title_of_the_scene(tmp_path):
    simulation = talus.load_scene(SCENES / "sliding_box.yaml").simulation()
    simulation.run(until=0.02, record=tmp_path / "run")
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "run/trajectory.h5", "r") as file:
        assert file.attrs["title"] in ("sliding box", b"sliding box")
