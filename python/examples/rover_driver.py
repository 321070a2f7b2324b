"""A rover and a tracked vehicle cross a bed of stones, each with a driver that keeps it in its lane.

Ten times a second a driver looks where its vehicle is and where it heads, and sets the speeds of the left and the right
motors. --quick: the rover alone, over the two blocks of scenes/rover.yaml. Writes out/rover_driver.png.
"""

import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np
import talus
from talus import examples

quick = "--quick" in sys.argv


class Driver:
    def __init__(self, simulation, body, left, right, speed, max_effort):
        self.simulation, self.body = simulation, simulation.world.find_body(body)
        self.left, self.right, self.speed, self.max_effort = left, right, speed, max_effort
        self.start = np.array(simulation.world.positions[self.body])
        self.log = []  # time, offset from the lane, largest torque of a motor

    def drive(self):
        world, efforts = self.simulation.world, self.simulation.motor_efforts
        offset = world.positions[self.body, 1] - self.start[1]
        w, x, y, z = world.orientations[self.body]
        heading = np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))
        turn = np.arctan(-offset / 0.4) - heading  # towards a point of the lane 0.4 m ahead
        for joints, side in ((self.left, -1), (self.right, 1)):
            speed = self.speed * min(self.simulation.time, 1) * (1 + side * np.clip(1.5 * turn, -0.5, 0.5))
            for joint in joints:
                world.set_motor(joint, talus.Motor(speed=speed, max_effort=self.max_effort))
        torques = [abs(efforts[joint]) for joint in self.left + self.right]
        self.log.append((self.simulation.time, offset, max(torques)))


simulation = examples.load("rover" if quick else "rover_on_rubble").simulation()
port, starboard = ([f"{side} {which} motor" for which in ("front", "middle", "rear")] for side in ("port", "starboard"))
drivers = {"rover": Driver(simulation, "rover", port, starboard, 3, 25)}
if not quick:
    drivers["crawler"] = Driver(simulation, "crawler", ["left drive"], ["right drive"], 4, 60)
while simulation.time < (2.5 if quick else 5):
    for driver in drivers.values():
        driver.drive()
    simulation.run(until=simulation.time + 0.1)

figure, (above, below) = plt.subplots(2, sharex=True, figsize=(7, 5))
for name, driver in drivers.items():
    times, offsets, torques = np.transpose(driver.log)
    above.plot(times, 1e3 * offsets)
    below.plot(times, torques)
    way, off = simulation.world.positions[driver.body, 0] - driver.start[0], 1e3 * np.max(np.abs(offsets))
    print(f"{name}: {way:.2f} m in {simulation.time:.1f} s, at most {off:.0f} mm off its lane, {max(torques):.0f} N m")
above.set(ylabel="off the lane, mm", title=f"Drivers of {' and '.join(drivers)} keep to their lanes")
below.set(ylabel="largest torque, N m", xlabel="time, s")
pathlib.Path("out").mkdir(exist_ok=True)
figure.savefig("out/rover_driver.png", dpi=150)
