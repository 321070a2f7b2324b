"""A pendulum on a cart, kept upright by a controller that reads the state and sets the motor.

The cart's motor is force-limited; at t = 2 s the pole gets a push. Writes out/control_loop.png.
"""

import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np
import talus

quick = "--quick" in sys.argv
duration = 3.0 if quick else 6.0
length, h = 1.0, 1 / 500

world = talus.World()
world.add_body("cart", talus.box((0.4, 0.2, 0.1)), mass=2)
pole = world.add_body("pole", talus.capsule(0.03, length), mass=0.5, position=(0, 0, length / 2),
                      angular_velocity=(0, 0.1, 0))
rail = world.add_joint("prismatic", "rail", between=("ground", "cart"), axis=(1, 0, 0))
hinge = world.add_joint("revolute", "hinge", between=("cart", "pole"), axis=(0, 1, 0))

simulation = talus.Simulation(world, step=h)
world = simulation.world
# Feedback u = -K (x, ẋ, angle, rate) on the acceleration of the cart.
gains = np.array([-2.0, -4.0, -60.0, -16.0])
times, angles, places, speed = [], [], [], 0.0

while simulation.time < duration:
    angle, place = world.joint_coordinate(hinge), world.joint_coordinate(rail)
    rate, cart_speed = world.angular_velocities[pole, 1], world.velocities[0, 0]
    speed = cart_speed - h * gains @ (place, cart_speed, angle, rate)
    world.set_motor(rail, talus.Motor(speed=speed, max_effort=60))
    push = 2.0 <= simulation.time < 2.05
    world.set_load(pole, force=(15 if push else 0, 0, 0))
    simulation.step()
    times.append(simulation.time)
    angles.append(np.degrees(angle))
    places.append(place)

figure, (above, below) = plt.subplots(2, sharex=True, figsize=(7, 5))
above.plot(times, angles)
above.set(ylabel="angle of the pole, degrees", title="A pole balanced by a cart")
below.plot(times, places)
below.set(ylabel="place of the cart, m", xlabel="time, s")
pathlib.Path("out").mkdir(exist_ok=True)
figure.savefig("out/control_loop.png", dpi=150)
print(f"largest angle {np.max(np.abs(angles)):.1f}°, at the end {angles[-1]:.2f}°")
