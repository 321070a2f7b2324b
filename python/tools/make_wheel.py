#!/usr/bin/env python3
"""Makes a wheel that needs nothing but Python and NumPy: libraries that other machines may not have go into it.

    TALUS_BUILD_DIR=build python/tools/make_wheel.py FOLDER

The extension module and its libraries, found by their entries NEEDED, are copied into the wheel with names of
their own (a hash of the content is added), and look for each other beside themselves. The tag of the wheel,
manylinux_2_N, follows from the newest symbols of the C and C++ libraries that any of them uses (PEP 600).
Needs patchelf and objdump.
"""

import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import build_backend  # noqa: E402

# Every system that a tag manylinux_2_N names has these.
OF_THE_SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libresolv.so.2",
                 "libutil.so.1", "ld-linux-x86-64.so.2", "libstdc++.so.6", "libgcc_s.so.1"}
# The C library of the first release of GCC's libstdc++ with these symbols, as distributions ship them together.
GLIBC_OF_GLIBCXX = [((3, 4, 25), (2, 28)), ((3, 4, 28), (2, 31)), ((3, 4, 29), (2, 34)), ((3, 4, 30), (2, 35)),
                    ((3, 4, 32), (2, 38)), ((3, 4, 33), (2, 39))]
LARGEST = 40 * 2**20


def output(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def needed(library):
    return [name for name in output("patchelf", "--print-needed", library).split() if name not in OF_THE_SYSTEM]


def libraries_of(module):
    """The libraries to ship, name -> path, those of libraries included."""
    paths = dict(re.findall(r"^\s*(\S+) => (\S+)", output("ldd", module), re.MULTILINE))
    found, waiting = {}, needed(module)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        if not paths.get(name, "").startswith("/"):
            raise SystemExit(f"{name}, which {module} needs, was not found on this machine")
        found[name] = pathlib.Path(paths[name]).resolve()
        waiting += needed(found[name])
    return found


def newest(files, prefix):
    versions = [tuple(map(int, version.split("."))) for file in files
                for version in re.findall(rf"\b{prefix}_([\d.]+)\b", output("objdump", "-T", file))]
    return max(versions, default=(0,))


def oldest_glibc(files):
    """The oldest C library with which all files work, as (2, N)."""
    cxx = newest(files, "GLIBCXX")
    by_cxx = [glibc for version, glibc in GLIBC_OF_GLIBCXX if version >= cxx]
    if not by_cxx:
        raise SystemExit(f"GLIBCXX_{'.'.join(map(str, cxx))} is not in the table of {__file__}")
    return max(newest(files, "GLIBC")[:2], by_cxx[0])


def ship_libraries(package):
    """Copies libraries beside the module in the folder `package`, and answers all of these files."""
    [module] = package.glob("_talus*.so")
    found = libraries_of(module)
    folder = package / "libs"
    folder.mkdir()
    names = {}
    for name, path in found.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
        stem, _, rest = name.partition(".so")
        names[name] = f"{stem}-{digest}.so{rest}"
        shutil.copyfile(path, folder / names[name])
    renamed = [folder / name for name in names.values()]
    for file, home in [(module, "$ORIGIN/libs"), *((library, "$ORIGIN") for library in renamed)]:
        changes = [["--replace-needed", name, names[name]] for name in needed(file)]
        if file is not module:
            changes.append(["--set-soname", file.name])
        # One change a call: patchelf 0.14 mixes up the names of several.
        for change in [*changes, ["--set-rpath", home]]:
            output("patchelf", *change, file)
    return [module, *renamed]


def make_wheel(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        plain = scratch / build_backend.build_wheel(scratch)
        stage = scratch / "stage"
        with zipfile.ZipFile(plain) as wheel:
            wheel.extractall(stage)
        files = ship_libraries(stage / "talus")
        major, minor = oldest_glibc(files)
        old = build_backend.tag()
        tag = old.replace("linux_x86_64", f"manylinux_{major}_{minor}_x86_64")
        [info] = stage.glob("*.dist-info")
        (info / "WHEEL").write_text((info / "WHEEL").read_text().replace(old, tag))
        (info / "RECORD").unlink()
        target = folder / plain.name.replace(old, tag)
        partial = scratch / target.name
        records = []
        with zipfile.ZipFile(partial, "w") as wheel:
            for path in sorted(path for path in stage.rglob("*") if path.is_file()):
                build_backend.add(wheel, records, str(path.relative_to(stage)), path.read_bytes())
            record = f"{info.name}/RECORD"
            wheel.writestr(record, "\n".join([*records, f"{record},,"]) + "\n")
        if partial.stat().st_size > LARGEST:
            raise SystemExit(f"the wheel has {partial.stat().st_size / 2**20:.0f} MB, more than 40")
        shutil.copyfile(partial, target.with_suffix(".part"))
        target.with_suffix(".part").rename(target)
    return target


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for tool in ("patchelf", "objdump"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is missing: apt-get install patchelf binutils")
    wheel = make_wheel(pathlib.Path(sys.argv[1]))
    print(f"{wheel} ({wheel.stat().st_size / 2**20:.1f} MB)")


if __name__ == "__main__":
    main()
