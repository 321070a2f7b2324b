"""The package itself: docstrings, stubs, examples, notebooks as they are stored, pip."""

import inspect
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import pytest
import talus
from conftest import ROOT

EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def run(*command, **options):
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(talus.__file__).parents[1]), "MPLBACKEND": "Agg"}
    environment.update(options.pop("env", {}))
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Parts of modules that users have no need of.
INTERNAL = ("install", "hint_at", "of_world", "remember_beginning", "named_by_joints", "world_html", "simulation_html",
            "numbers_or_texts", "as_camera", "render_simulation", "main")


def members():
    for name in talus.__all__:
        value = getattr(talus, name)
        yield name, value
        if inspect.isclass(value):
            for member, content in vars(value).items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", content


@pytest.mark.parametrize("name, value", members(), ids=lambda x: x if isinstance(x, str) else "")
def test_everything_has_a_docstring(name, value):
    lines = (inspect.getdoc(value) or "").splitlines()
    signature = lines and lines[0].startswith(name.split(".")[-1] + "(")
    assert "".join(lines[1:] if signature else lines).strip(), f"{name} has no docstring"


def test_help_shows_signatures_and_fits_a_terminal():
    for name, value in members():
        if inspect.isfunction(value) and hasattr(value, "__wrapped__"):
            text = str(inspect.signature(value))
            assert "_talus" not in text and "ArrayLike" not in text and "array([" not in text, (name, text)
            assert max(map(len, (inspect.getdoc(value) or "").splitlines()), default=0) <= 100, name
    parameters = inspect.signature(talus.World.add_body).parameters
    assert list(parameters)[:3] == ["self", "name", "shape"] and repr(parameters["position"].default) == "(0, 0, 0)"
    assert parameters["motion"].kind is inspect.Parameter.KEYWORD_ONLY
    assert {"world", "step", "tolerance", "solver"} <= set(inspect.signature(talus.Simulation).parameters)
    assert str(inspect.signature(talus.World.ray_cast)) == str(inspect.signature(talus.Simulation.ray_cast))


@pytest.mark.parametrize("module", ["environments", "examples", "many", "names", "pages", "pictures", "runs"])
def test_modules_in_python_have_docstrings(module):
    """help() says something about every public function, class and method; methods may inherit it."""
    import importlib
    content = importlib.import_module(f"talus.{module}")
    assert content.__doc__
    for name, value in vars(content).items():
        if name.startswith("_") or getattr(value, "__module__", None) != content.__name__ or name in INTERNAL:
            continue
        assert inspect.getdoc(value), f"{module}.{name}"
        for member in vars(value) if inspect.isclass(value) else ():
            method = getattr(value, member)
            if not member.startswith("_") and (callable(method) or isinstance(vars(value)[member], property)):
                assert inspect.getdoc(vars(value)[member]) or inspect.getdoc(method), f"{module}.{name}.{member}"


def test_the_package_runs_commands(tmp_path):
    (tmp_path / "scene.yaml").write_text("bodies:\n  - {name: ball, shape: {type: sphere, radius: 0.1}}\n")
    said = run(sys.executable, "-m", "talus", "run", "scene.yaml", "--steps", "3", "--json", cwd=tmp_path)
    assert json.loads(said)["steps"] == 3
    assert "Simulate a scene" in run(sys.executable, "-m", "talus", "--help")
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(talus.__file__).parents[1])}
    wrong = subprocess.run([sys.executable, "-m", "talus", "rnu"], capture_output=True, text=True, env=environment)
    assert wrong.returncode == 2 and "did you mean run?" in wrong.stderr


def test_a_live_run_of_the_package_starts_its_own_viewer(tmp_path):
    """The server is a process of the package, not of the bare interpreter."""
    if talus.pages.viewer_folder() is None:
        pytest.skip("the viewer page was not built")
    (tmp_path / "scene.yaml").write_text("bodies:\n  - {name: ball, shape: {type: sphere, radius: 0.1}}\n")
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(talus.__file__).parents[1])}
    live = subprocess.Popen([sys.executable, "-m", "talus", "run", "scene.yaml", "--steps", "3", "--live"], cwd=tmp_path,
                            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment)
    try:
        address = next((found[0] for line in live.stderr if (found := re.search(r"http://\S+", line))), None)
        import urllib.request
        assert "<html" in urllib.request.urlopen(address, timeout=60).read().decode()
    finally:
        live.send_signal(signal.SIGINT)
        live.communicate()
    assert live.returncode in (0, 130)


def test_stubs_are_those_of_the_module():
    made = run(sys.executable, ROOT / "python" / "tools" / "make_stubs.py")
    assert made == (ROOT / "python" / "talus" / "__init__.pyi").read_text(), "run python/tools/make_stubs.py again"


def test_stubs_are_valid_python():
    compile((ROOT / "python" / "talus" / "__init__.pyi").read_text(), "__init__.pyi", "exec")


def test_objects_without_constructor_are_refused(tmp_path):
    """In a process of its own, which would crash."""
    said = run(sys.executable, pathlib.Path(__file__).with_name("touch_uninitialised.py"), cwd=tmp_path)
    classes, constructible = map(int, re.match(r"(\d+) classes, (\d+) with constructors", said).groups())
    assert classes > constructible > 5


def test_there_are_six_short_examples():
    assert len(EXAMPLES) == 6
    for example in EXAMPLES:
        assert len(example.read_text().splitlines()) < 60, example.name


# What an example measures: a number in its output and the bounds it has to lie in.
MEASURED = {
    "angle_of_repose": (r"mu 0.5: ([\d.]+)°", 19, 29),
    "friction_sweep": (r"deviation: ([\d.]+)%", 0, 2),
    "control_loop": (r"largest angle ([\d.]+)°", 1, 20),
    "rover_driver": (r"at most ([\d.]+) mm off", 1, 80),
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(example, tmp_path):
    said = run(sys.executable, example, "--quick", cwd=tmp_path)
    assert list((tmp_path / "out").rglob("*.png")), "the example makes a plot"
    if example.stem in MEASURED:
        pattern, least, most = MEASURED[example.stem]
        assert least <= float(re.search(pattern, said)[1]) <= most, said


def test_there_are_four_notebooks():
    assert len(NOTEBOOKS) == 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(path):
    """Outputs hold pages of megabytes; the site makes them anew."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs"), cell["source"]


ON_A_PROCESSOR = """
import builtins, io, platform
real = builtins.open
def open_other(name, *rest, **named):
    return io.StringIO("processor : 0\\nflags : FLAGS\\n") if name == "/proc/cpuinfo" else real(name, *rest, **named)
builtins.open = open_other
platform.machine = lambda: "x86_64"
"""


@pytest.mark.parametrize("architecture, flags, missing", [
    ("x86-64-v3", "sse2 ssse3 sse4_2 popcnt", "avx2, fma, bmi1, bmi2"),
    ("x86-64-v3", "ssse3 sse4_2 popcnt avx2 bmi1 bmi2", "fma"),
    ("x86-64-v2", "sse2", "ssse3, sse4_2, popcnt"),
    ("x86-64-v3", "ssse3 sse4_2 popcnt avx2 fma bmi1 bmi2", ""),
    ("x86-64-v2", "ssse3 sse4_2 popcnt", ""),
    ("x86-64", "sse2", ""),
])
def test_older_processors_are_refused_before_the_module_is_loaded(architecture, flags, missing, tmp_path):
    """In a copy of the package's sources without the module: it is what would be loaded next."""
    package = tmp_path / "talus"
    package.mkdir()
    for name in ("__init__.py", "_processor.py"):
        shutil.copy(ROOT / "python" / "talus" / name, package / name)
    (package / "_architecture.py").write_text(f'ARCHITECTURE = "{architecture}"\n')
    code = ON_A_PROCESSOR.replace("FLAGS", flags) + "import talus"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    if missing:
        assert last.startswith(f"ImportError: this processor lacks {missing}, which this package was compiled for"), last
    else:
        assert "cannot import name '_calls'" in last, last


def test_pip_learns_name_and_version_without_compiling(tmp_path):
    """A build folder that cannot be made would stop anything that compiles."""
    made = run(sys.executable, "-c", "import build_backend as b; print(b.prepare_metadata_for_build_wheel('.'))", cwd=tmp_path,
               env={"PYTHONPATH": str(ROOT / "python"), "TALUS_BUILD_DIR": "/dev/null/none"}).strip()
    assert made == f"talus-{talus.__version__}.dist-info"
    text = (tmp_path / made / "METADATA").read_text(encoding="utf-8")
    assert f"Name: talus\nVersion: {talus.__version__}\n" in text
    assert sorted(path.name for path in (tmp_path / made).iterdir()) == ["METADATA", "WHEEL"]


def test_pip_installs_a_checkout_offline(tmp_path):
    """Into a folder of its own, from the build at hand; --no-index keeps pip from the network."""
    if shutil.which("cmake") is None or subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode:
        pytest.skip("pip is missing (python3-pip)")
    build = pathlib.Path(talus.__file__).parents[2]
    if not (build / "CMakeCache.txt").exists():
        pytest.skip("the package under test is not in a build folder")
    run(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", tmp_path, ROOT,
        env={"TALUS_BUILD_DIR": str(build)})
    where = run(sys.executable, "-c", "import talus; print(talus.__file__)", env={"PYTHONPATH": str(tmp_path)},
                cwd=tmp_path)
    assert str(tmp_path) in where
