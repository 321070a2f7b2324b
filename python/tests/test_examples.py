"""python -m talus.examples: the list, the stories, and one of them run to the viewer."""

import os
import pathlib
import subprocess
import sys

import pytest
import talus
from conftest import SCENES
from talus import examples


def call(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(talus.__file__).parents[1])}
    return subprocess.run([sys.executable, "-m", "talus.examples", *map(str, arguments)], capture_output=True, text=True,
                          env=environment, **options)


def test_all_scenes_are_examples_with_a_story():
    assert set(examples.names()) == {path.stem for path in SCENES.glob("*.yaml")}
    for name in examples.names():
        story = examples.story(name)
        assert 15 < len(story) < 250 and story.endswith(".") and story[0].isupper(), (name, story)


def test_list():
    said = call()
    assert said.returncode == 0
    listed = [line.split()[0] for line in said.stdout.splitlines() if line and not line.startswith((" ", "Show"))]
    assert listed == examples.names()
    assert all(len(line) <= 100 for line in said.stdout.splitlines())


def test_load():
    scene = examples.load("sliding_box", ["duration=0.25"])
    assert scene.duration == 0.25 and len(scene.world) > 1
    with pytest.raises(talus.InvalidArgument, match="did you mean hourglass"):
        examples.load("hourglas")


def test_runs_into_pictures_and_pages(tmp_path):
    said = call("sliding_box", "--time", "0.1", "--picture", "end.png", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert (tmp_path / "end.png").read_bytes()[:4] == b"\x89PNG" and "all converged" in said.stdout
    if not (pathlib.Path(talus._talus.__file__).parents[2] / "viewer/index.html").exists():
        pytest.skip("the page of the viewer was not built")
    said = call("sliding_box", "--time", "0.1", "--set", "step=1/100", "--save", "box.html", cwd=tmp_path)
    assert said.returncode == 0 and "10 steps" in said.stdout, said
    assert 'id="talus-model"' in (tmp_path / "box.html").read_text(encoding="utf-8")


def test_says_what_is_wrong():
    said = call("hourglas")
    assert said.returncode == 2 and "did you mean hourglass" in said.stderr and "Traceback" not in said.stderr
    said = call("incline", "--set", "no.such=1")
    assert said.returncode == 2 and "Traceback" not in said.stderr
