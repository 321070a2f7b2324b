#!/usr/bin/env python3
"""Checks the files of packaging/ against the rest of the checkout: they cannot be run by the tests, which have neither
Docker nor conda. Versions, files, libraries, options and commands that they name must be those of the build.
Usage: check_packaging.py SOURCE_ROOT"""
import pathlib
import re
import subprocess
import sys
import tempfile

# What find_package() and its like of CMakeLists.txt are called by conda-forge.
CONDA_NAMES = {"Eigen3": "eigen", "TBB": "tbb-devel", "fmt": "fmt", "nlohmann_json": "nlohmann_json", "CLI11": "cli11",
               "Qhull": "qhull", "HDF5": "hdf5", "yaml-cpp": "yaml-cpp", "ZLIB": "zlib", "pugixml": "pugixml",
               "PkgConfig": "pkg-config", "cpp-httplib": "cpp-httplib", "METIS": "metis", "hwy": "libhwy", "pybind11": "pybind11"}

# The same in packages.txt. libc6-dev, which g++ needs, has what is left.
DEBIAN_NAMES = {"Eigen3": "libeigen3-dev", "TBB": "libtbb-dev", "fmt": "libfmt-dev", "nlohmann_json": "nlohmann-json3-dev",
                "CLI11": "libcli11-dev", "Qhull": "libqhull-dev", "HDF5": "libhdf5-dev", "yaml-cpp": "libyaml-cpp-dev",
                "ZLIB": "zlib1g-dev", "pugixml": "libpugixml-dev", "PkgConfig": "pkg-config",
                "cpp-httplib": "libcpp-httplib-dev", "METIS": "libmetis-dev", "hwy": "libhwy-dev", "pybind11": "pybind11-dev"}


def read(path):
    return path.read_text(encoding="utf-8")


def libraries(root):
    """All that the build looks for, by the names of CMake."""
    text = read(root / "CMakeLists.txt")
    found = set(re.findall(r"find_package\((\S+)", text)) | set(re.findall(r"IMPORTED_TARGET ([\w-]+)", text))
    found |= {name for name in re.findall(r"find_library\((\w+)_LIBRARY", text)}
    found |= set(re.findall(r"find_package\((pybind11)", read(root / "python/CMakeLists.txt")))
    if any("#include <hwy/" in read(path) for path in (root / "src").rglob("*.h")) or \
            any("#include <hwy/" in read(path) for path in (root / "src").rglob("*.cpp")):
        found.add("hwy")
    return found


def options(root):
    return set(re.findall(r"^(?:option|set)\((TALUS_\w+)", read(root / "CMakeLists.txt"), re.MULTILINE))


def check_conda(root, version):
    text = read(root / "packaging/conda/meta.yaml")
    given = re.search(r'set version = "([^"]+)"', text)
    if not given or given[1] != version:
        yield f"packaging/conda/meta.yaml: version {given and given[1]}, CMakeLists.txt has {version}"
    listed = set(re.findall(r"^    - ([\w-]+)", text, re.MULTILINE))
    for library in libraries(root):
        name = CONDA_NAMES.get(library)
        if name is None:
            yield f"{pathlib.Path(__file__).name}: the library {library} of CMakeLists.txt has no conda name in the table"
        elif name not in listed:
            yield f"packaging/conda/meta.yaml: {name} (for {library}) is missing"
    for name in listed & set(CONDA_NAMES.values()):
        if name not in {CONDA_NAMES.get(library) for library in libraries(root)}:
            yield f"packaging/conda/meta.yaml: {name} is not needed any more"
    metadata = read(root / "python/build_backend.py")
    for name in re.findall(r"Requires-Dist: (\w+)", metadata):
        if name not in listed:
            yield f"packaging/conda/meta.yaml: {name}, which the package needs, is missing"
    licence = re.search(r"License: (\S+?)\\n", metadata)[1]
    if f"license: {licence}\n" not in text:
        yield f"packaging/conda/meta.yaml: the licence is {licence}"
    minimum = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", read(root / "CMakeLists.txt"))[1]
    if f"cmake >={minimum}\n" not in text:
        yield f"packaging/conda/meta.yaml: CMakeLists.txt needs cmake >={minimum}"
    yield from check_commands(root, "packaging/conda/meta.yaml", re.findall(r"^    - talus (\S+)", text, re.MULTILINE))


def check_commands(root, name, commands):
    known = set(re.findall(r'add_subcommand\(\s*"([\w-]+)"', "".join(read(path) for path in (root / "apps/talus").rglob("*.cpp"))))
    for command in commands:
        if not command.startswith("-") and command not in known:
            yield f"{name}: talus has no command {command}"


def check_packages(root):
    """packages.txt has what the build looks for, each once, and nothing that it does not."""
    listed = [line for line in read(root / "packages.txt").splitlines() if line and not line.startswith("#")]
    for name in listed:
        if not re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", name) or listed.count(name) > 1:
            yield f"packages.txt: {name!r} is no name of a package, or is there twice"
    wanted = {DEBIAN_NAMES.get(library, f"(the package of {library}, which the table of this test lacks)") for library in libraries(root)}
    for name in sorted(wanted - set(listed)):
        yield f"packages.txt: {name} is missing"
    for name in sorted((set(listed) & set(DEBIAN_NAMES.values())) - wanted):
        yield f"packages.txt: {name} is not needed any more"
    # On Debian, names that do not exist show.
    known = subprocess.run(["sh", "-c", "command -v apt-cache >/dev/null && apt-cache pkgnames || true"], capture_output=True, text=True)
    names = set(known.stdout.split())
    for name in listed:
        if "libc6" in names and name not in names:
            yield f"packages.txt: Debian has no package {name}"


def check_file_names(root, version):
    """Names of packages on the pages have the version of the build."""
    for page in sorted((root / "docs/howto").glob("*.md")):
        for given in re.findall(r"talus[-_](\d+\.\d+\.\d+)", read(page)):
            if given != version:
                yield f"{page.relative_to(root)}: version {given}, CMakeLists.txt has {version}"


def check_launcher(root):
    """Commands of the launcher that pages name exist there."""
    text = read(root / "talus")
    known = set(re.findall(r"^([a-z][a-z-]*)\)$", text, re.MULTILINE)) | {"help"}
    commands = set(re.findall(r'add_subcommand\(\s*"([\w-]+)"', "".join(read(path) for path in (root / "apps/talus").rglob("*.cpp"))))
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    for page in pages:
        for command in sorted(set(re.findall(r"\./talus ([a-z][a-z-]+)", read(page)))):
            if command not in known | commands:
                yield f"{page.relative_to(root)}: ./talus has no command {command}"


def check_docker(root):
    name = "packaging/docker/Dockerfile"
    text = read(root / name)
    stages = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    if not stages or set(stages) != {"debian:12"}:
        yield f"{name}: stages must begin with debian:12, for which packages.txt is"
    if "$(grep -v '^#' /source/packages.txt)" not in text:
        yield f"{name}: packages to build with must come from packages.txt"
    for source in re.findall(r"^COPY (?!--from)(\S+)", text, re.MULTILINE):
        if not (root / source).exists():
            yield f"{name}: COPY {source}: there is no such file"
    for command in re.findall(r"docker run [^\n]* talus (\w\S*)", text):
        yield from check_commands(root, name, [command])
    for scene in re.findall(r"/opt/talus/(scenes/\S+\.yaml)", text):
        if not (root / scene).exists():
            yield f"{name}: {scene}: there is no such file"
    if "CMD" not in text or 'ENTRYPOINT ["talus"]' not in text:
        yield f"{name}: it must start talus"


def check_docker_context(root):
    """What git ignores stays out of the image, too."""
    left_out = read(root / ".dockerignore").split()
    for line in read(root / ".gitignore").split():
        name = line.strip("/") if line.startswith("/") else f"**/{line.rstrip('/')}"
        if name not in left_out:
            yield f".dockerignore: {name}, which git ignores, is missing"
    for source in re.findall(r"^COPY (?!--from)(\S+)", read(root / "packaging/docker/Dockerfile"), re.MULTILINE):
        if source in left_out:
            yield f".dockerignore: {source} is copied by the Dockerfile"


def check_release(root):
    """The commands of docs/howto/release.md give notes for the changelog as it is."""
    changes, page = read(root / "CHANGELOG.md"), read(root / "docs/howto/release.md")
    headings = re.findall(r"^## .*", changes, re.MULTILINE)
    if headings.count("## Unreleased") > 1 or any(re.match(r"## Unreleased.", each) for each in headings):
        yield "CHANGELOG.md: one part at most is \"## Unreleased\""
        return
    commands = "\n".join(line.strip() for line in page.splitlines() if re.match(r" *(version=|sed|awk)", line))
    with tempfile.TemporaryDirectory() as folder:
        for name in ("CMakeLists.txt", "CHANGELOG.md"):
            (pathlib.Path(folder) / name).write_text(read(root / name), encoding="utf-8")
        done = subprocess.run(["bash", "-euc", commands], cwd=folder, capture_output=True, text=True)
        notes = pathlib.Path(folder) / "notes.md"
        if done.returncode != 0 or not notes.exists():
            yield f"docs/howto/release.md: its commands fail: {done.stderr}"
        elif "## Unreleased" in headings and notes.read_text(encoding="utf-8").strip() != part(changes, "## Unreleased"):
            yield "docs/howto/release.md: its commands do not give the part of CHANGELOG.md"
        elif not notes.read_text(encoding="utf-8").strip():
            yield "CHANGELOG.md: the notes of the release are empty"


def part(text, heading):
    """What stands below a heading of the second rank."""
    return re.split(r"^## ", text.partition(heading + "\n")[2], maxsplit=1, flags=re.MULTILINE)[0].strip()


def check_options(root):
    for name in ("packaging/docker/Dockerfile", "packaging/conda/meta.yaml"):
        for option in re.findall(r"-D(TALUS_\w+)", read(root / name)):
            if option not in options(root):
                yield f"{name}: there is no option {option}"


def violations(root):
    version = re.search(r"project\(talus VERSION ([\d.]+)", read(root / "CMakeLists.txt"))[1]
    yield from check_conda(root, version)
    yield from check_packages(root)
    yield from check_file_names(root, version)
    yield from check_launcher(root)
    yield from check_docker(root)
    yield from check_docker_context(root)
    yield from check_release(root)
    yield from check_options(root)
    if f"version: {version}\n" not in read(root / "CITATION.cff"):
        yield f"CITATION.cff: the version of CMakeLists.txt is {version}"


if __name__ == "__main__":
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
