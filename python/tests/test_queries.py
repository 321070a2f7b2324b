"""Rays, distances and pictures; their formulas are tested in tests/query."""

import struct
import zlib

import numpy as np
import pytest
import talus


@pytest.fixture
def world():
    world = talus.World()
    world.add_body("floor", talus.half_space(), motion="fixed")
    world.add_body("ball", talus.sphere(0.5), position=(0, 0, 2))
    world.add_body("box", talus.box((1, 1, 1)), position=(3, 0, 0.5))
    return world


def test_ray_meets_the_nearest_body(world):
    hit = world.ray_cast((0, 0, 5), (0, 0, -2))
    assert hit.body == 1 and hit.shape == 0 and hit.distance == pytest.approx(2.5)
    assert np.allclose(hit.point, (0, 0, 2.5)) and np.allclose(hit.normal, (0, 0, 1)) and "body 1" in repr(hit)
    assert world.ray_cast((0, 0, 5), (0, 0, -1), ignore="ball").body == 0
    assert world.ray_cast((0, 0, 5), (0, 0, -1), max_distance=2) is None
    assert world.ray_cast((0, 0, 5), (0, 0, 1)) is None
    with pytest.raises(talus.InvalidArgument, match="length 0"):
        world.ray_cast((0, 0, 5), (0, 0, 0))
    with pytest.raises(talus.InvalidArgument, match="no body named 'bal'"):
        world.ray_cast((0, 0, 5), (0, 0, 1), ignore="bal")


def test_many_rays_are_single_rays(world):
    angles = np.linspace(0, 2 * np.pi, 200)
    directions = np.column_stack([np.cos(angles), np.sin(angles), np.full(200, -0.1)])
    hits = world.ray_cast_many((0.2, 0, 1.8), directions, ignore="ball")
    for k in range(200):
        hit = world.ray_cast((0.2, 0, 1.8), directions[k], ignore="ball")
        assert hit.body == hits["body"][k] and hit.distance == hits["distance"][k]
        assert np.array_equal(hit.normal, hits["normal"][k]) and np.array_equal(hit.point, hits["point"][k])
    up = world.ray_cast_many(np.zeros((2, 3)) + (9, 9, 1), [(0, 0, 1), (0, 0, -1)])
    assert up["body"].tolist() == [-1, 0] and np.isinf(up["distance"][0]) and np.isnan(up["point"][0]).all()
    with pytest.raises(talus.InvalidArgument, match="3 origins and 2 directions"):
        world.ray_cast_many(np.zeros((3, 3)), np.ones((2, 3)))


def test_closest_points(world):
    near = world.closest("ball", "box")
    assert near.distance == pytest.approx(np.hypot(2.5, 1) - 0.5)
    assert np.allclose(near.point_a + near.distance * near.normal, near.point_b) and near.shapes == (0, 0)
    back = world.closest("box", "ball")
    assert back.distance == pytest.approx(near.distance) and np.allclose(back.normal, -near.normal)
    assert world.closest_to((0, 0, 3), "ball").distance == pytest.approx(0.5)
    assert world.closest_to((0, 0, 2), "ball").distance == pytest.approx(-0.5)
    with pytest.raises(talus.InvalidArgument, match="two bodies"):
        world.closest("box", "box")


def test_simulations_answer_for_their_world(world):
    simulation = talus.Simulation(world)
    simulation.run(until=0.3)
    height = simulation.world.positions[1, 2]
    assert simulation.ray_cast((0, 0, 5), (0, 0, -1)).distance == pytest.approx(4.5 - height)
    assert simulation.closest("ball", "floor").distance == pytest.approx(height - 0.5)
    assert np.array_equal(simulation.render(32, 24), simulation.world.render(32, 24))


def test_pictures_are_arrays(world):
    every = world.render(80, 60, mode="all")
    assert every["rgb"].shape == (60, 80, 3) and every["rgb"].dtype == np.uint8
    assert every["depth"].shape == every["segmentation"].shape == (60, 80)
    assert set(np.unique(every["segmentation"])) == {0, 1, 2}
    camera = talus.Camera((0, -10, 2), (0, 0, 2), field_of_view=20)
    body = world.render(61, 61, camera=camera, mode="segmentation")
    depth = world.render(61, 61, camera=camera, mode="depth")
    assert body[30, 30] == 1 and depth[30, 30] == pytest.approx(9.5, rel=1e-6)
    # the ball's outline: half its width in pixels is tan(asin(r / d)) / tan(10°) of half the picture
    assert np.sum(body[30] == 1) == pytest.approx(61 * np.tan(np.arcsin(0.05)) / np.tan(np.radians(10)), abs=1.01)
    assert np.array_equal(body == 1, (depth < 10.0)), "the ball alone is as near"


def test_pictures_do_not_depend_on_threads_or_time(world):
    assert np.array_equal(world.render(50, 40), world.render(50, 40))


def test_shadows_and_colours(world):
    lit, dark = world.render(60, 40, shadows=False), world.render(60, 40)
    assert dark.sum() < lit.sum() and np.all(dark <= lit)
    assert not np.array_equal(lit, world.render(60, 40, shadows=False, colours="material"))


@pytest.mark.parametrize("arguments, message", [
    ({"mode": "xray"}, "known: rgb, depth, segmentation, all"), ({"width": 0}, "1 to 8192"), ({"samples": 9}, "1 to 8"),
    ({"camera": "left"}, "known: iso, front, side, top"), ({"colours": "speed"}, "body or material"),
    ({"camera": talus.Camera((0, 0, 0))}, "apart from its target"), ({"grid": -1.0}, "at least 0"),
    ({"camera": talus.Camera((0, 1, 0), field_of_view=180)}, "between 0 and 180")])
def test_wrong_pictures_are_refused(world, arguments, message):
    with pytest.raises(talus.InvalidArgument, match=message):
        world.render(**{"width": 8, "height": 8, **arguments})


def unpacked(data, columns, rows):
    """A picture from the data of a PNG file whose rows hold the differences to the row above (filter 2)."""
    lines = np.frombuffer(zlib.decompressobj().decompress(data), np.uint8).reshape(rows, 1 + 3 * columns)
    assert np.all(lines[:, 0] == 2)
    return np.cumsum(lines[:, 1:], axis=0, dtype=np.uint8).reshape(rows, columns, 3)


def chunks(content):
    """(name, content) of the chunks of a PNG file; their sums are checked."""
    place = 8
    while place < len(content):
        [length] = struct.unpack(">I", content[place:place + 4])
        name, inside = content[place + 4:place + 8], content[place + 8:place + 8 + length]
        assert struct.unpack(">I", content[place + 8 + length:place + 12 + length])[0] == zlib.crc32(name + inside)
        yield name.decode(), inside
        place += 12 + length


def test_animation(world, tmp_path):
    simulation = talus.Simulation(world)
    camera = simulation.world.camera(4 / 3)
    run = simulation.animate(0.5, tmp_path / "fall.png", fps=10, width=40, height=30)
    assert len(run) == 120
    found = list(chunks((tmp_path / "fall.png").read_bytes()))
    assert [name for name, _ in found] == ["IHDR", "acTL", "fcTL", "IDAT"] + 5 * ["fcTL", "fdAT"] + ["IEND"]
    assert struct.unpack(">II", found[1][1]) == (6, 0)
    numbers = [struct.unpack(">I", inside[:4])[0] for name, inside in found if name in ("fcTL", "fdAT")]
    assert numbers == list(range(11)), "chunks of the animation are numbered"
    assert struct.unpack(">HH", found[2][1][20:24]) == (100, 1000), "a tenth of a second for each"
    assert np.array_equal(unpacked(found[3][1], 40, 30), world.render(40, 30, camera=camera))
    assert np.array_equal(unpacked(found[-2][1][4:], 40, 30), simulation.render(40, 30, camera=camera))


def test_animations_that_cannot_be_are_refused(world, tmp_path):
    with pytest.raises(talus.InvalidArgument, match="at least one"):
        talus.save_animation([], tmp_path / "a.png")
    with pytest.raises(talus.InvalidArgument, match="one size, not 8 x 6 and 6 x 8"):
        talus.save_animation([world.render(8, 6), world.render(6, 8)], tmp_path / "a.png")
    with pytest.raises(talus.InvalidArgument, match="both must be positive"):
        talus.Simulation(world).animate(1, tmp_path / "a.png", speed=0)
    assert not (tmp_path / "a.png").exists()


def test_png(world, tmp_path):
    picture = world.render(40, 30)
    talus.save_picture(picture, tmp_path / "a.png")
    content = (tmp_path / "a.png").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (40, 30)
    begin = content.index(b"IDAT") + 4
    assert np.array_equal(unpacked(content[begin:], 40, 30), picture)
    with pytest.raises(talus.InvalidArgument, match="array of bytes"):
        talus.save_picture(picture.astype(float), tmp_path / "b.png")
