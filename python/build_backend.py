"""How pip builds the package (PEP 517 and 660 hooks): CMake compiles and installs it, the rest is zipping.

TALUS_BUILD_DIR names a build folder to use; build-wheel in the checkout otherwise.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def version():
    return re.search(r"project\(talus VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def metadata():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return (f"Metadata-Version: 2.1\nName: talus\nVersion: {version()}\n"
            "Summary: Rigid multibody dynamics with hard contact and dry friction\n"
            "License: BSD-3-Clause\nRequires-Python: >=3.9\nRequires-Dist: numpy\nRequires-Dist: scipy\n"
            f"Description-Content-Type: text/markdown\n\n{readme}")


# The command `talus`; and Gymnasium finds the environments of installed packages by the second part.
ENTRY_POINTS = """\
[console_scripts]
talus = talus.__main__:main

[gymnasium.envs]
__root__ = talus.environments:register_all
"""


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: talus\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def cmake(*arguments):
    if shutil.which("cmake") is None:
        raise SystemExit("building talus needs cmake and the Debian packages listed in packages.txt")
    subprocess.run(["cmake", *map(str, arguments)], check=True)


def build_folder():
    """A folder in which the extension module is up to date."""
    folder = pathlib.Path(os.environ.get("TALUS_BUILD_DIR", ROOT / "build-wheel"))
    if not (folder / "CMakeCache.txt").exists():
        cmake("-S", ROOT, "-B", folder, "-G", "Ninja", "-DBUILD_TESTING=OFF", f"-DPython3_EXECUTABLE={sys.executable}")
    cmake("--build", folder, "--target", "talus_python", "viewer")
    return folder


def add(wheel, records, name, content):
    wheel.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(content)}")


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without this pip would compile all to learn the name and the version, and then once more."""
    info = pathlib.Path(metadata_directory) / f"talus-{version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata(), encoding="utf-8")
    (info / "WHEEL").write_text(wheel_text())
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"talus-{version()}.dist-info"
    name = f"talus-{version()}-{tag()}.whl"
    records = []
    with tempfile.TemporaryDirectory() as stage, zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w") as wheel:
        folder = build_folder()
        cmake("--install", folder, "--component", "python", "--prefix", stage)
        [package] = (path.parent for path in pathlib.Path(stage).rglob("talus/__init__.py"))
        files = {f"talus/{path.relative_to(package)}": path for path in package.rglob("*") if path.is_file()}
        files |= {f"talus/scenes/{path.relative_to(ROOT / 'scenes')}": path for path in (ROOT / "scenes").rglob("*") if path.is_file()}
        files |= {f"talus/viewer/{path.name}": path for path in (folder / "viewer").glob("index.html")}
        files |= {f"talus/plots/{path.name}": path for path in (ROOT / "apps/plots").glob("*.py")}
        for target, path in sorted(files.items()):
            add(wheel, records, target, path.read_bytes())
        add(wheel, records, f"{info}/METADATA", metadata().encode())
        add(wheel, records, f"{info}/WHEEL", wheel_text().encode())
        add(wheel, records, f"{info}/entry_points.txt", ENTRY_POINTS.encode())
        add(wheel, records, f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
        wheel.writestr(f"{info}/RECORD", "\n".join([*records, f"{info}/RECORD,,"]) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files of the last commit."""
    name = f"talus-{version()}"
    target = pathlib.Path(sdist_directory) / f"{name}.tar.gz"
    subprocess.run(["git", "archive", f"--prefix={name}/", "-o", str(target), "HEAD"], cwd=ROOT, check=True)
    return target.name
