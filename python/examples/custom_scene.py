"""A scene made in Python: boxes and balls drop into a bowl of sand-coloured terrain.

Writes out/custom_scene/: a trajectory for `talus view`, and heights.png.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
import talus

quick = "--quick" in sys.argv
folder = "out/custom_scene"

# A bowl as a height field, 4 m wide.
x = np.linspace(-2, 2, 41)
heights = 0.15 * (x[None, :] ** 2 + x[:, None] ** 2)
world = talus.World()
stone = world.add_material("stone", friction=0.6)
world.add_body("bowl", talus.height_field(heights, spacing=(0.1, 0.1)), motion="fixed", position=(-2, -2, 0), material=stone)

random = np.random.default_rng(7)
for i in range(12 if quick else 40):
    shape = talus.sphere(0.12) if i % 2 else talus.box((0.2, 0.2, 0.2))
    position = (*random.uniform(-0.8, 0.8, 2), 0.8 + 0.3 * i)
    world.add_body(f"stone {i}", shape, position=position, orientation=random.standard_normal(4), density=2500, material=stone)

simulation = talus.Simulation(world, step=1 / 200, tolerance=1e-6)
times, tops, contacts = [], [], []
with talus.Recorder(folder, simulation, title="stones in a bowl", every=4) as recorder:

    def after(report):
        recorder.record()
        times.append(report.time)
        tops.append(simulation.world.positions[1:, 2].max())
        contacts.append(report.contacts)

    simulation.run(until=0.5 if quick else 3, each=after)

figure, (above, below) = plt.subplots(2, sharex=True, figsize=(7, 5))
above.plot(times, tops)
above.set_ylabel("highest stone, m")
below.plot(times, contacts)
below.set(ylabel="contacts", xlabel="time, s")
figure.savefig(f"{folder}/heights.png", dpi=150)
print(f"{folder}: trajectory.h5, heights.png; worst error {simulation.report.error:.1e}")
