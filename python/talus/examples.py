"""Scenes to begin with: `python -m talus.examples` lists them, `python -m talus.examples hourglass` shows one.

    from talus import examples

    simulation = examples.load("hourglass").simulation()
"""

import argparse
import os
import pathlib
import re
import sys
import time

from . import _talus


def folder():
    """Where the scene files are."""
    package = pathlib.Path(__file__).resolve().parent
    beside = pathlib.Path(_talus.__file__).parent
    for place in (package / "scenes", package.parents[1] / "scenes", beside / "scenes",
                  beside.parents[2] / "share/talus/scenes", beside.parents[3] / "share/talus/scenes"):
        if (place / "hourglass.yaml").exists():
            return place
    raise _talus.Error(f"the scenes that come with talus are not beside {package}")


def names():
    """The names of all examples."""
    return sorted(path.stem for path in folder().glob("*.yaml"))


def path(name):
    """The scene file of an example."""
    if name not in names():
        import difflib
        close = difflib.get_close_matches(name, names(), n=3, cutoff=0.4)
        raise _talus.InvalidArgument(f"there is no example '{name}'" +
                                     (f"; did you mean {' or '.join(close)}?" if close else "; see talus.examples.names()"))
    return folder() / f"{name}.yaml"


def story(name):
    """What the example shows, in a sentence: the first of its scene file."""
    comment = re.match(r"(?:#.*\n)+", path(name).read_text(encoding="utf-8"))
    text = " ".join(line.lstrip("# ") for line in comment[0].splitlines()) if comment else name.replace("_", " ")
    return re.split(r"(?<=[.:])\s", text)[0].rstrip(":.") + "."


def load(name, overrides=()):
    """The Scene of an example; overrides are "key.path=value"."""
    return _talus.load_scene(path(name), list(overrides))


def listing():
    """All names with their stories, as text."""
    import textwrap
    width = max(map(len, names())) + 2
    lines = [textwrap.fill(story(name), 100, initial_indent=name.ljust(width), subsequent_indent=" " * width)
             for name in names()]
    return "\n".join(lines)


class Progress:
    """A line that says how far a run is, in a terminal."""

    def __init__(self, until):
        self.until, self.shown = until, 0.0

    def __call__(self, report):
        now = time.monotonic()
        if sys.stderr.isatty() and now - self.shown > 0.2:
            self.shown = now
            sys.stderr.write(f"\r  t = {report.time:.3g} of {self.until:g} s, {report.contacts} contacts ")
            sys.stderr.flush()

    def end(self):
        """Takes the line away."""
        if sys.stderr.isatty():
            sys.stderr.write("\r" + " " * 60 + "\r")


def run(name, overrides=(), until=None, live=False, save=None, picture=None):
    """Computes an example and shows it: in the browser, while it computes (live), as a page or as a picture."""
    scene = load(name, overrides)
    simulation, until = scene.simulation(), scene.duration if until is None else until
    print(f"{name}: {story(name)}")
    progress = Progress(until)
    with simulation.record(title=scene.title) as made:
        if live:
            print(f"look: {made.live().open()}  (Ctrl-C ends it)", flush=True)
        simulation.run(until, each=progress)
    progress.end()
    print(made)
    if picture is not None:
        from .pictures import save_picture
        save_picture(simulation.render(1280, 720), picture)
        print(f"picture: {picture}")
    if save is not None:
        made.view().save(save)
        print(f"page: {save}")
    elif live:
        while True:
            time.sleep(1)  # the server goes on
    elif picture is None:
        print(f"look: {made.view().open()}")
    return made


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m talus.examples", description="Lists the examples of talus, or shows one.")
    parser.add_argument("name", nargs="?", help="of the example; without it all are listed")
    parser.add_argument("--time", type=float, metavar="T", help="simulated time, s (default: that of the scene)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change the scene, e.g. materials.grain.friction=0.3")
    parser.add_argument("--live", action="store_true", help="show it while it computes, until Ctrl-C")
    parser.add_argument("--save", metavar="FILE.html", help="write the page instead of opening it")
    parser.add_argument("--picture", metavar="FILE.png", help="write a picture of the end")
    given = parser.parse_args(arguments)
    try:
        if given.name is None:
            print(listing())
            print("\nShow one:  python -m talus.examples hourglass")
        else:
            run(given.name, given.set, given.time, given.live, given.save, given.picture)
    except KeyboardInterrupt:
        return 130
    except _talus.Error as error:
        print(f"talus: {error}", file=sys.stderr)
        return 2 if isinstance(error, _talus.InvalidArgument) else 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
