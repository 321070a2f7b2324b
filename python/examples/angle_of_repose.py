"""The angle of repose of spheres: boxes of grains are tilted, avalanches run down, the slopes they leave are measured.

Where flow is known to stop: deep layers of glass beads, arctan(0.382) = 20.9° (Jop et al. 2006, doi:10.1038/nature04801, as users of
their law quote it); spheres of mu = 0.5, about 20° (Silbert et al. 2001, doi:10.1103/PhysRevE.64.051302, not checked).
"""

import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np
import talus

quick, d, h = "--quick" in sys.argv, 0.01, 1 / 300
columns, depth, layers = (14, 3, 7) if quick else (20, 3, 8)  # of grains about d wide
length, width, strips = columns * d, depth * d, np.arange(2.5, columns - 2) * d  # strips: where the slope is measured
boxes, stops, rate = (3, [32], 40 * h) if quick else (2, [30, 35], 40 * h)  # stops in degrees, rate in degrees per step


def box_of_grains(mu, seed):
    """A rough floor and four smooth walls, then the spheres."""
    world = talus.World()
    world.add_material("grain", friction=mu)
    world.add_material("smooth", friction=0)
    places = [((i + 0.5) * d, (j + 0.5) * d, -d / 2) for i, j in np.ndindex(columns, depth)]
    world.add_body("floor", [(talus.sphere(d / 2), (place, (1, 0, 0, 0))) for place in places], motion="fixed", material="grain")
    for normal, offset in [((1, 0, 0), 0), ((-1, 0, 0), -length), ((0, 1, 0), 0), ((0, -1, 0), -width)]:
        world.add_body("", talus.half_space(normal, offset), motion="fixed", material="smooth")
    random = np.random.default_rng(seed)
    for i, j, k in np.ndindex(columns, depth, layers):
        world.add_body("", talus.sphere(random.uniform(0.42, 0.5) * d), density=2500, material="grain",
                       position=(np.array([i, j, k]) + 0.5) * d, velocity=random.normal(0, 0.1, 3))
    return talus.Simulation(world, step=h, solver="nsgs", tolerance=2e-2)


def angles_of_repose(mu, seed):
    """Gravity is tilted; at every stop the grains get 0.4 s to rest, then a line is laid through the highest of every strip."""
    simulation, angles = box_of_grains(mu, seed), []
    simulation.run(until=0.2)
    for start, stop in zip([15, *stops], stops):
        for tilt in np.arange(start, stop, rate):
            simulation.world.gravity = 9.81 * np.array([np.sin(np.radians(tilt)), 0, -np.cos(np.radians(tilt))])
            simulation.step()
        simulation.run(until=simulation.time + 0.4)
        grains = simulation.world.positions[5:]
        tops = [grains[np.abs(grains[:, 0] - x) < d / 2, 2].max() for x in strips]
        angles.append(tilt - np.degrees(np.arctan(np.polyfit(strips, tops, 1)[0])))
    return angles


coefficients = [0.5] if quick else [0.05, 0.1, 0.3, 0.5, 0.8]
measured = np.array([[angle for seed in range(boxes) for angle in angles_of_repose(mu, seed)] for mu in coefficients])
plt.errorbar(coefficients, measured.mean(axis=1), measured.std(axis=1), fmt="o-", capsize=3, label=f"Talus, {measured.shape[1]} avalanches")
plt.axhspan(20, 20.9, color="tab:orange", alpha=0.4, label="glass beads 20.9°, simulated spheres 20° (see above)")
plt.gca().set(xlabel="coefficient of friction", ylabel="angle of repose, degrees", ylim=(0, None))
plt.legend(loc="lower right")
pathlib.Path("out").mkdir(exist_ok=True)
plt.savefig("out/angle_of_repose.png", dpi=150)
print(*(f"mu {mu}: {angles.mean():.1f}° ± {angles.std():.1f}°" for mu, angles in zip(coefficients, measured)), sep="\n")
