"""Pictures of worlds as NumPy arrays."""

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


def save_picture(array, path):
    """Writes an (height, width, 3) array of bytes, as render() gives, as a PNG file."""
    import pathlib
    pathlib.Path(path).write_bytes(png(array))


def png(array):
    """The bytes of a PNG file of an (height, width, 3) array of bytes."""
    import struct
    import zlib

    import numpy as np
    array = np.ascontiguousarray(array)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
        raise _talus.InvalidArgument("a picture is an array of bytes of shape (height, width, 3)")
    rows, columns, _ = array.shape
    lines = np.zeros((rows, 1 + 3 * columns), np.uint8)  # each row begins with the number of its filter, 0
    lines[:, 1:] = array.reshape(rows, -1)

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)) + chunk(b"IEND", b"")


def install():
    _talus.World.render = render
    _talus.Simulation.render = render_simulation
