#!/usr/bin/env python3
"""The gallery: scenes as pages that play anywhere. gallery.py BUILD [NAMES] simulates all scenes, or these.

Every scene is simulated by `talus run` and written as one page by `talus view --html` into BUILD/gallery; a page that is
newer than its scene stays. `--pictures` also draws them by `talus render` and writes docs/images/gallery, small.
`--page` writes docs/gallery.md. BUILD/talus is the program, unless TALUS_PROGRAM names it.
"""

import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Scene: what to see, options of run, of the page, of the picture.
SCENES = {
    "rover_on_rubble": ("a rover and a tracked vehicle, which a load cart pulls back, on 3200 stones", "--time 3.5", "--every 4 --no-contacts",
                        "--time 2.4 --zoom 1.8 --no-joints"),
    "excavator": ("an excavator digs, and weighs what is in its bucket; a scale agrees", "", "--every 2 --no-contacts", "--time 5.2 --zoom 1.3 --no-joints"),
    "hourglass": ("a thousand grains; the flow does not slow down as the funnel empties", "", "--every 2 --no-contacts", "--time 0.8 --zoom 1.25"),
    "dominoes": ("a thousand dominoes: four waves run outwards at the same speed", "", "--every 2 --no-contacts",
                 "--time 3 --zoom 1.5 --colour speed"),
    "masonry_arch": ("the thrust line of an arch without mortar lies inside its stones", "--time 0.5", "--every 4",
                     "--time 0.2 --thrust --colour pressure --theme dark"),
    "rotating_drum": ("grains ride up with the wall and slide down at a steady slope", "", "--every 2 --no-contacts", "--time 2.5 --zoom 1.3"),
    "tracked_vehicle": ("two tracks of 40 shoes climb a kerb; the lower run lies still on the ground", "", "--every 2 --no-contacts",
                        "--time 1.9 --zoom 1.8 --no-joints"),
    "rover": ("a rocker-bogie rover: its body rises by half of what its wheels do", "", "--no-contacts", "--time 2.6 --zoom 1.7"),
    "gripper": ("the block hangs between two fingers by friction alone and does not creep", "", "", "--time 3 --zoom 1.2"),
    "card_house": ("fifteen cards, held up by dry friction; with a friction of 0.2 they come down", "", "--every 4", "--time 0.5 --zoom 1.1"),
    "walking_toy": ("a toy with two stiff legs walks downhill without a motor", "", "", "--time 3.2 --zoom 2"),
    "balls_in_box": ("a hundred and fifty balls come to rest, and none sinks into another", "", "--every 2 --no-contacts",
                     "--time 0.35 --zoom 1.3 --colour speed"),
    "dome": ("five rings of blocks: a dome needs no keystone", "", "", "--time 0.4 --zoom 1.15"),
    "jenga": ("a block is drawn out of a tower, which stays", "", "", "--time 1.6"),
    "cam_follower": ("cam and follower, coupled by contact alone: the stroke is twice the eccentricity", "", "--every 4", "--time 0.5"),
    "column_collapse": ("a column of grains spreads to a flat cone within half a second", "", "--no-contacts", "--time 0.75 --zoom 2 --colour speed"),
    "silo_discharge": ("as many grains leave the silo per second, however high the level", "", "--no-contacts", "--time 0.9 --zoom 1.8"),
    "conveyor": ("a gate sorts parcels by weight, and scales tell that it did", "", "--every 2 --no-contacts", "--time 6 --zoom 1.2"),
    "escapement": ("a clock: the balance lets one tooth pass at a time", "", "--every 8", "--time 1 --camera top"),
    "gears_from_mesh": ("two gears from a mesh that is cut into convex parts", "", "--every 4 --no-contacts", "--time 0.7"),
    "chain": ("twenty links are let go and wrap around a post", "", "--every 2", "--time 0.8 --zoom 1.4"),
    "floating_blocks": ("buoyancy, drag and wind: how deep a block lies tells its density", "", "--every 2", "--time 2.5 --zoom 1.2"),
}


def story(scene):
    """(title, the opening comment of a scene)."""
    text = (ROOT / f"scenes/{scene}.yaml").read_text(encoding="utf-8")
    comment = " ".join(line.lstrip("# ").strip() for line in re.match(r"(?:#.*\n)*", text)[0].splitlines())
    return re.search(r"^title: (.*)", text, re.MULTILINE)[1], comment


def commands(scene, folder="out"):
    _, run, page, picture = SCENES[scene]
    joined = lambda *parts: " ".join(part for part in parts if part)  # noqa: E731
    return [joined(f"run scenes/{scene}.yaml", run, f"--out {folder}/{scene}"),
            joined(f"view {folder}/{scene} --html {folder}/{scene}.html", page),
            joined(f"render {folder}/{scene} --out {folder}/{scene}.png --size 960x600 --no-label", picture)]


def talus(program, command):
    done = subprocess.run([str(program), *command.split()], cwd=ROOT, capture_output=True, text=True)
    if done.returncode not in (0, 3):  # 3: a step missed its tolerance, which plots on the page show
        raise RuntimeError(f"talus {command} failed with {done.returncode}: {done.stderr.strip()}")


def make(scene, build, program, with_picture=False):
    """Runs what is missing; the path of the page. Throws RuntimeError that says what failed."""
    folder = build / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    page_file, picture = folder / f"{scene}.html", folder / f"{scene}.png"
    changed = (ROOT / f"scenes/{scene}.yaml").stat().st_mtime
    if all(path.exists() and path.stat().st_mtime > changed for path in [page_file, *([picture] if with_picture else [])]):
        return page_file
    run, view, render = commands(scene, str(folder))
    shutil.rmtree(folder / scene, ignore_errors=True)
    for command in [run, view, *([render] if with_picture else [])]:
        talus(program, command)
    shutil.rmtree(folder / scene)
    if with_picture:
        thumbnail(scene, picture)
    print(f"{scene}: {page_file.stat().st_size / 1e6:.1f} MB", flush=True)
    return page_file


def thumbnail(scene, picture):
    """480 pixels wide, few colours; ffmpeg also draws the films of `talus render`."""
    target = ROOT / f"docs/images/gallery/{scene}.png"
    colours = "scale=480:300:flags=lanczos,split[a][b];[a]palettegen=max_colors=160[p];[b][p]paletteuse=dither=sierra2_4a"
    subprocess.run(["ffmpeg", "-y", "-loglevel", "error", "-i", picture, "-vf", colours, target], check=True)


def card(scene):
    """A card of the site; its picture leads to the page that plays the run."""
    title, words = story(scene)
    return (f'<a class="card" href="gallery/{scene}.html"><img src="images/gallery/{scene}.png" alt="" loading="lazy">'
            f"<b>{html.escape(title)}</b><span>{html.escape(words)}</span></a>")


OPENING = """# Gallery

<!-- made by docs/site/gallery.py --page -->

Twenty-two scenes of `scenes/`. The first lines of each scene say what to see in it, and many have a
[finding](scene.md#finding), a number that their sensors show.

"""
OPENING_OF_SITE = "Every picture leads to a page that plays the run in the browser, without a server.\n\n"
CLOSING = """
## The commands

Two commands simulate a scene and show it; a third one draws its picture:

```sh
./talus run scenes/card_house.yaml --steps 30 --out out/card_house
./talus view out/card_house --html out/card_house.html
./talus render out/card_house --out out/card_house.png --size 800x500
```

These are the commands of the pictures and pages above. `python3 docs/site/gallery.py build` runs
them all but the last of each three; `--pictures` adds those.

```text
{commands}
```

## All scenes

```text
./talus scenes
```

runs every scene of `scenes/` to its end, and lists time, most contacts in a step, largest error,
steps that missed their tolerance, median and slowest step with their ratio, and the
[finding](scene.md#finding). It ends with exit code 3 if a step misses or a finding lies outside
its range. Names of files run these only; `--steps N` makes at most N steps of each.
"""


def wrapped(command, width=94):
    """With its options on further lines where it is too long."""
    lines = [""]
    for part in re.split(r" (?=--)", f"./talus {command}"):
        if lines[-1] and len(lines[-1]) + 1 + len(part) > width:
            lines.append("   ")
        lines[-1] += (" " if lines[-1] else "") + part
    return " \\\n".join(lines)


def table():
    """Two scenes in a row, as GitHub shows them."""
    names, text = list(SCENES), "| | |\n|---|---|\n"
    for pair in zip(names[::2], names[1::2]):
        text += "| " + " | ".join(f"![{story(scene)[0]}](images/gallery/{scene}.png)" for scene in pair) + " |\n"
        text += "| " + " | ".join(f"`{scene}`: {SCENES[scene][0]}" for scene in pair) + " |\n"
    return text


def page(playable=False):
    """The text of docs/gallery.md, or that of the site, where pictures lead to pages that play."""
    shown = OPENING_OF_SITE + '<div class="gallery">\n' + "\n".join(map(card, SCENES)) + "\n</div>\n" if playable else table()
    listing = "\n".join(wrapped(command) for scene in SCENES for command in commands(scene))
    return OPENING + shown + CLOSING.replace("{commands}", listing)


def main():
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    if "--page" in sys.argv:
        (ROOT / "docs/gallery.md").write_text(page(), encoding="utf-8")
    if not names:
        return 0
    build = pathlib.Path(names[0]).resolve()
    program = pathlib.Path(os.environ.get("TALUS_PROGRAM", build / "talus"))
    for scene in names[1:] or SCENES:
        make(scene, build, program, "--pictures" in sys.argv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
