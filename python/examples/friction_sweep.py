"""How far a block slides, over the coefficient of friction, against the closed form v² / (2 mu g).

Writes out/friction_sweep.png.
"""

import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np
import talus

quick = "--quick" in sys.argv
speed, gravity = 2.0, 9.81


def distance(mu):
    world = talus.World(gravity=(0, 0, -gravity))
    world.add_material("surface", friction=mu)
    world.add_body("floor", talus.half_space(), motion="fixed", material="surface")
    block = world.add_body("block", talus.box((0.4, 0.4, 0.1)), position=(0, 0, 0.05), velocity=(speed, 0, 0),
                           material="surface")
    simulation = talus.Simulation(world, step=1 / 1000)
    velocity = simulation.world.velocities[block]
    while np.linalg.norm(velocity) > 1e-6:
        simulation.step()
    return simulation.world.positions[block, 0]


coefficients = np.linspace(0.1, 1.0, 4 if quick else 19)
measured = np.array([distance(mu) for mu in coefficients])
exact = speed**2 / (2 * coefficients * gravity)

figure, axes = plt.subplots(figsize=(6, 4))
fine = np.linspace(coefficients[0], coefficients[-1], 200)
axes.plot(fine, speed**2 / (2 * fine * gravity), label="v² / (2 µ g)")
axes.plot(coefficients, measured, "o", label="simulated, h = 1 ms")
axes.set(xlabel="coefficient of friction", ylabel="distance, m", title=f"A block sliding at {speed:g} m/s")
axes.legend()
pathlib.Path("out").mkdir(exist_ok=True)
figure.savefig("out/friction_sweep.png", dpi=150)
print(f"largest relative deviation: {np.max(np.abs(measured / exact - 1)):.2%}")
