"""Pictures of worlds as NumPy arrays."""

import pathlib
import struct
import zlib

import numpy as np

from . import _talus

MODES = {"rgb": "rgb", "depth": "depth", "segmentation": "body"}


def as_camera(world, camera, aspect):
    """A Camera from what render() takes."""
    if isinstance(camera, _talus.Camera):
        return camera
    directions = {"iso": (1, -1.6, 0.9), "front": (0, -1, 0.15), "side": (1, 0, 0.15), "top": (0, -0.001, 1)}
    if camera is None:
        camera = "iso"
    if isinstance(camera, str):
        if camera not in directions:
            raise _talus.InvalidArgument(f"unknown camera '{camera}'; known: {', '.join(directions)}, or a talus.Camera")
        return world.camera(aspect, directions[camera])
    raise TypeError("camera is a talus.Camera or one of iso, front, side and top")


def render(self, width=640, height=480, *, camera=None, mode="rgb", samples=2, shadows=True, colours="body", grid=0.0):
    """A picture of how everything lies now, as an array with the top row first.

    mode "rgb": (height, width, 3) bytes; "depth": (height, width) distances along the lines of sight in metres,
    inf for the sky; "segmentation": (height, width) numbers of bodies, -1 for the sky; "all": a dict of the
    three. camera is a Camera, or one of iso, front, side and top, which show everything. samples² rays are cast
    per pixel; colours are by body or material; grid is the distance of the lines on planes (m), chosen unless
    told. Needs neither a graphics card nor a browser, and gives the same bytes everywhere.
    """
    if mode not in (*MODES, "all"):
        raise _talus.InvalidArgument(f"unknown mode '{mode}'; known: {', '.join(MODES)}, all")
    camera = as_camera(self, camera, width / height if min(width, height) > 0 else 1)
    if mode in ("depth", "segmentation"):
        samples, shadows = 1, False
    made = self._draw(camera, width, height, samples, shadows, colours, grid)
    pictures = {name: made[key] for name, key in MODES.items()}
    return pictures if mode == "all" else pictures[mode]


def render_simulation(self, *args, **kwargs):
    return self.world.render(*args, **kwargs)


render_simulation.__doc__ = render.__doc__


def animate(self, until, path, *, fps=30, speed=1.0, width=640, height=480, camera=None, **settings):
    """Steps until the time `until` and writes an animated PNG, which browsers play: `fps` pictures per second, at
    `speed` times real time. The camera stays where it is; settings are those of render(). Answers the Run."""
    if not (fps > 0 and speed > 0):
        raise _talus.InvalidArgument(f"fps is {fps} and speed {speed}: both must be positive")
    camera = as_camera(self.world, camera, width / height if min(width, height) > 0 else 1)
    made, begin = [], self.time

    def draw_when_due(_report):
        while self.time - begin >= len(made) * speed / fps - 1e-9:
            made.append(self.render(width, height, camera=camera, **settings))

    draw_when_due(None)
    run = self.run(until, each=draw_when_due)
    save_animation(made, path, fps)
    return run


def save_picture(array, path):
    """Writes an (height, width, 3) array of bytes, as render() gives, as a PNG file."""
    pathlib.Path(path).write_bytes(png([array], None))


def save_animation(pictures, path, fps=30):
    """Writes pictures of one size, as render() gives them, as an animated PNG file that plays for ever."""
    pictures = list(pictures)
    if not pictures:
        raise _talus.InvalidArgument("an animation needs at least one picture")
    if not 0 < fps <= 1000:
        raise _talus.InvalidArgument(f"fps is {fps}, it must lie between 0 and 1000")
    pathlib.Path(path).write_bytes(png(pictures, fps))


def packed(array, shape):
    """The rows of a picture as PNG files hold them: each after the number of its filter. Here 2, the differences to the
    row above, which makes flat colours small."""
    array = np.ascontiguousarray(array)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
        raise _talus.InvalidArgument("a picture is an array of bytes of shape (height, width, 3)")
    if array.shape != shape:
        raise _talus.InvalidArgument(f"pictures of an animation have one size, not {shape[1]} x {shape[0]} and "
                                     f"{array.shape[1]} x {array.shape[0]}")
    rows = array.reshape(len(array), -1)
    lines = np.full((len(rows), 1 + rows.shape[1]), 2, np.uint8)
    lines[:, 1:] = rows
    lines[1:, 1:] -= rows[:-1]
    return zlib.compress(lines.tobytes(), 9)


def png(pictures, fps):
    """The bytes of a PNG file; of an animated one (APNG) with a number of pictures per second."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    shape = np.shape(pictures[0])
    data = [packed(picture, shape) for picture in pictures]
    rows, columns, _ = shape
    text = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0))
    if fps is None:
        return text + chunk(b"IDAT", data[0]) + chunk(b"IEND", b"")
    text += chunk(b"acTL", struct.pack(">II", len(data), 0))
    number = 0  # of the chunks that belong to the animation
    for k, content in enumerate(data):
        text += chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, columns, rows, 0, 0, round(1000 / fps), 1000, 0, 0))
        text += chunk(b"IDAT", content) if k == 0 else chunk(b"fdAT", struct.pack(">I", number + 1) + content)
        number += 1 if k == 0 else 2
    return text + chunk(b"IEND", b"")


def install():
    _talus.World.render = render
    _talus.Simulation.render, _talus.Simulation.animate = render_simulation, animate
