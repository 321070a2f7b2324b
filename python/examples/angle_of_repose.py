"""The angle of repose of spheres: a filled box loses a side wall, grains flow off the edge, a slope stays.

Literature, glass beads: arctan(mu_s) = 20.9 degrees (Jop, Forterre and Pouliquen 2006); spheres with mu = 0.5, simulated,
come to rest near 20 degrees (Silbert et al. 2001). Writes out/angle_of_repose.png.
"""

import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np
import talus

quick, d = "--quick" in sys.argv, 0.01
columns, depth, layers, duration = (8, 2, 5, 0.15) if quick else (24, 4, 14, 2.0)
length, width = columns * d, depth * d


def settled_heap(mu):
    """Positions of the spheres that are left above the floor."""
    world = talus.World()
    world.add_material("grain", friction=mu)
    world.add_material("smooth", friction=0)
    floor = talus.compound([(talus.sphere(d / 2), (((i + 0.5) * d, (j + 0.5) * d, -d / 2), (1, 0, 0, 0)))
                            for i in range(columns) for j in range(depth)])
    world.add_body("rough floor", floor, kind="fixed", material="grain")
    for normal, offset in [((1, 0, 0), 0), ((0, 1, 0), 0), ((0, -1, 0), -width)]:
        world.add_body("", talus.half_space(normal, offset), kind="fixed", material="smooth")
    world.add_body("catch", talus.half_space((0, 0, 1), -0.3), kind="fixed", material="grain")
    # The gate waits until the grains lie, then rises.
    world.add_body("gate", talus.box((d, 2 * width, 3 * length)), kind="kinematic", material="smooth",
                   path=lambda t: ((length + d / 2, width / 2, max(0, t - 0.15)), (1, 0, 0, 0)))
    random, first = np.random.default_rng(1), len(world)
    for i, j, k in np.ndindex(columns - 1, depth, layers):
        jitter = random.uniform(-0.04, 0.04, 3) * d
        world.add_body("", talus.sphere(0.47 * d), density=2500, material="grain",
                       position=np.array([i + 0.6, j + 0.5, k + 0.6]) * d + jitter)
    simulation = talus.Simulation(world, step=1 / 1000, tolerance=1e-3, envelope=0.05 * d)
    simulation.run(until=duration)
    grains = simulation.world.positions[first:].copy()
    return grains[grains[:, 2] > 0]


def slope(heap):
    """Degrees, from a line through the highest grain of every column two diameters wide, ends left out."""
    bins = np.arange(d, length - d, 2 * d)
    tops = [heap[(heap[:, 0] >= x) & (heap[:, 0] < x + 2 * d), 2].max(initial=0) for x in bins]
    return np.degrees(np.arctan(-np.polyfit(bins + d, tops, 1)[0]))


coefficients = [0.5] if quick else [0.1, 0.2, 0.3, 0.5, 0.7]
angles = [slope(settled_heap(mu)) for mu in coefficients]
plt.plot(coefficients, angles, "o-", label="Talus")
plt.axhspan(20, 20.9, alpha=0.4, label="glass beads 20.9°, simulated spheres 20° (see above)")
plt.gca().set(xlabel="coefficient of friction", ylabel="angle of repose, degrees")
plt.legend()
pathlib.Path("out").mkdir(exist_ok=True)
plt.savefig("out/angle_of_repose.png", dpi=150)
print("  ".join(f"mu {mu}: {angle:.1f}°" for mu, angle in zip(coefficients, angles)))
