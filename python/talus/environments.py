"""Environments for reinforcement learning, with the interface of Gymnasium: reset, step, action and observation spaces.

    from talus import environments

    env = environments.CartPole()
    observation, info = env.reset(seed=1)
    for _ in range(100):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        if terminated or truncated:
            observation, info = env.reset()

Nothing but NumPy is needed. Where the package gymnasium is installed, environments derive from gymnasium.Env, their
spaces are those of gymnasium, and gymnasium.make("Talus/CartPole-v0") finds them. Own environments derive from
Environment and define make(), observe(), act(), reward() and, where needed, scatter() and is_over().
"""

import numpy as np

from . import _talus
from .names import remember_beginning

try:
    import gymnasium
except ImportError:
    gymnasium = None


class Box:
    """Arrays between two bounds: the space of actions or observations, as gymnasium.spaces.Box."""

    def __init__(self, low, high, shape=None, dtype=np.float64, seed=None):
        self.dtype = np.dtype(dtype)
        self.shape = tuple(shape) if shape is not None else np.broadcast(low, high).shape
        self.low = np.array(np.broadcast_to(low, self.shape), self.dtype)
        self.high = np.array(np.broadcast_to(high, self.shape), self.dtype)
        if not np.all(self.low <= self.high):
            raise _talus.InvalidArgument("the lower bounds of a Box must not lie above the upper ones")
        self._random = np.random.default_rng(seed)

    def seed(self, seed=None):
        """Makes samples repeat."""
        self._random = np.random.default_rng(seed)

    def sample(self):
        """A random member: uniform between finite bounds, exponential above or below one, normal without."""
        below, above = np.isfinite(self.low), np.isfinite(self.high)
        made = self._random.normal(size=self.shape)
        both = self._random.uniform(np.where(below & above, self.low, 0), np.where(below & above, self.high, 1))
        beyond = self._random.exponential(size=self.shape)
        made = np.where(below & above, both, made)
        made = np.where(below & ~above, np.where(below, self.low, 0) + beyond, made)
        return np.where(~below & above, np.where(above, self.high, 0) - beyond, made).astype(self.dtype)

    def contains(self, x):
        """Whether x has the shape and lies within the bounds."""
        x = np.asarray(x)
        return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))

    __contains__ = contains

    def __eq__(self, other):
        return isinstance(other, Box) and self.shape == other.shape and np.array_equal(self.low, other.low) and \
            np.array_equal(self.high, other.high)

    def __repr__(self):
        return f"Box({self.low.min() if self.low.size else ''}, {self.high.max() if self.high.size else ''}, {self.shape}, {self.dtype})"


def make_box(low, high, shape=None):
    """A space between two bounds: gymnasium.spaces.Box where gymnasium is installed, else the Box of this module."""
    if gymnasium is None:
        return Box(low, high, shape)
    low, high = np.asarray(low, float), np.asarray(high, float)
    shape = shape if shape is not None else np.broadcast(low, high).shape
    return gymnasium.spaces.Box(np.broadcast_to(low, shape).copy(), np.broadcast_to(high, shape).copy(), dtype=np.float64)


class Environment(gymnasium.Env if gymnasium is not None else object):
    """Base of environments. A derived class defines

    - make() -> Simulation: called once; reset() goes back to its start.
    - observe() -> array: what an agent sees.
    - act(action): sets efforts, targets or loads for the next steps.
    - reward(action) -> float: of the step just made.
    - is_over() -> bool: whether the episode ends here, for a fall or a success. False unless defined.
    - scatter(random): changes the state after a reset, with a NumPy generator. Nothing unless defined.

    and the attributes actions and observations: pairs of bounds. `steps` time steps make one step of the
    environment, and an episode is cut off after `length` of these. Equal seeds give equal episodes, bit for bit.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 60}
    actions = (-1.0, 1.0)
    observations = None  # bounds, or None: -inf to inf in the shape of observe()
    steps = 4
    length = 500

    def __init__(self, render_mode=None, width=480, height=360, camera=None, **settings):
        if render_mode not in (None, "rgb_array"):
            raise _talus.InvalidArgument(f"unknown render_mode '{render_mode}'; known: rgb_array")
        for name, value in settings.items():
            if name.startswith("_") or not hasattr(type(self), name) or callable(getattr(type(self), name)):
                raise TypeError(f"{type(self).__name__}() has no argument '{name}'")
            setattr(self, name, value)
        self.render_mode, self._picture = render_mode, (width, height, camera)
        self.simulation = self.make()
        remember_beginning(self.simulation)
        self._motors = np.array(self.simulation.motor_targets)
        self._efforts = np.array(self.simulation.given_efforts)
        self._random = np.random.default_rng()
        self._count = 0
        self.action_space = make_box(*self.actions)
        bounds = self.observations or (-np.inf, np.inf)
        self.observation_space = make_box(*bounds, shape=np.shape(self.observe()))

    def make(self):
        """The simulation of the environment, as it is at the start: to be defined."""
        raise NotImplementedError(f"{type(self).__name__} must define make()")

    def observe(self):
        """What an agent sees, an array: to be defined."""
        raise NotImplementedError(f"{type(self).__name__} must define observe()")

    def act(self, action):
        """Sets efforts, targets or loads for the next steps: to be defined."""
        raise NotImplementedError(f"{type(self).__name__} must define act()")

    def reward(self, action):
        """Of the step just made, a number: to be defined."""
        raise NotImplementedError(f"{type(self).__name__} must define reward()")

    def scatter(self, random):
        """Changes the state after a reset, with a NumPy generator."""

    def is_over(self):
        """Whether the episode ends here."""
        return False

    def info(self):
        """Further numbers for step() and reset() to hand out."""
        return {"time": self.simulation.time, "converged": bool(self.simulation.report.converged)}

    @property
    def unwrapped(self):
        """This environment itself."""
        return self

    @property
    def dt(self):
        """Simulated time of a step of the environment, s."""
        return self.steps * self.simulation.options.step

    def reset(self, *, seed=None, options=None):
        """Goes back to the start, scattered at random, and returns (observation, info). A seed makes all later
        episodes repeat."""
        if gymnasium is not None:
            super().reset(seed=seed)
        if seed is not None:
            self._random = np.random.default_rng(seed)
            self.action_space.seed(seed)
        self.simulation.reset()
        self.simulation.given_efforts = self._efforts
        self.simulation.motor_targets = self._motors
        self.scatter(self._random)
        self._count = 0
        return self.observe(), self.info()

    def step(self, action):
        """Acts and goes on by `steps` time steps: (observation, reward, terminated, truncated, info). Actions beyond
        the bounds of action_space are taken as these."""
        action = np.asarray(action, dtype=float)
        if action.shape != self.action_space.shape or not np.all(np.isfinite(action)):
            raise _talus.InvalidArgument(f"an action is {self.action_space.shape} finite numbers, not {action!r}")
        action = np.clip(action, self.action_space.low, self.action_space.high)
        self.act(action)
        for _ in range(self.steps):
            self.simulation.step()
        self._count += 1
        return (self.observe(), float(self.reward(action)), bool(self.is_over()), self._count >= self.length, self.info())

    def render(self):
        """A picture as an (height, width, 3) array of bytes, with render_mode="rgb_array"."""
        if self.render_mode is None:
            return None
        width, height, camera = self._picture
        return self.simulation.render(width, height, camera=camera or self.camera(width / height), samples=1)

    def camera(self, aspect):
        """Where pictures are taken from, unless told: so that everything is seen at the start."""
        if not hasattr(self, "_camera"):
            self._camera = self.simulation.world.camera(aspect)
        return self._camera

    def close(self):
        """Nothing is left open."""


class CartPole(Environment):
    """A pole on a cart that is to stay upright. The cart runs on a rail between two bumpers, which it hits, as does the
    pole when it falls far enough: contacts with friction and rebound, no fixed end of the episode at a position.

    Action: force on the cart, N. Observation: place of the cart (m), angle of the pole from upright (rad), and how
    fast both change. Reward: 1 upright, less by angle, place and force. The episode ends when the pole has fallen
    beyond 60°.
    """

    actions = (np.array([-40.0]), np.array([40.0]))
    room = 1.2  # of the cart to either side, m
    fall = np.pi / 3

    def make(self):
        world = _talus.World()
        world.add_material("rubber", friction=0.7, restitution=0.4)
        world.add_body("cart", _talus.box((0.3, 0.2, 0.1)), mass=1.5, material="rubber")
        world.add_body("pole", _talus.capsule(0.025, 0.8), mass=0.3, position=(0, 0, 0.4), material="rubber")
        for side, name in ((-1, "left bumper"), (1, "right bumper")):
            world.add_body(name, _talus.box((0.1, 0.3, 0.3)), motion="fixed", material="rubber",
                           position=(side * (self.room + 0.2), 0, 0.05))
        world.add_joint("prismatic", "rail", between=("ground", "cart"), axis=(1, 0, 0))
        world.add_joint("revolute", "hinge", between=("cart", "pole"), axis=(0, 1, 0))
        return _talus.Simulation(world, step=1 / 240, threads=1)

    def scatter(self, random):
        self.simulation.joint_positions = {"rail": random.uniform(-0.2, 0.2), "hinge": random.uniform(-0.1, 0.1)}
        self.simulation.joint_velocities = {"rail": 0.0, "hinge": random.uniform(-0.2, 0.2)}

    def observe(self):
        return np.concatenate([self.simulation.joint_positions, self.simulation.joint_velocities])

    def act(self, action):
        self.simulation.given_efforts = {"rail": float(action[0])}

    def reward(self, action):
        place, angle = self.simulation.joint_positions
        return 1 - (angle / self.fall) ** 2 - 0.1 * place**2 - 1e-4 * float(action @ action)

    def is_over(self):
        return abs(self.simulation.joint_positions["hinge"]) > self.fall


class Gripper(Environment):
    """Two fingers on a hand that are to take a block from the table by dry friction, and to lift it to a height.

    Action: three numbers from -1 to 1: speed of the hand up, force of the fingers inwards, speed of the hand
    along the table. Observation: height, place and opening of the hand and how fast they change (6), block relative
    to the hand (3), its velocity (3), and the contact force of each finger (2). Reward: closeness of the hand, grip
    and height of the block. The episode ends when the block is held 0.2 m above the table.
    """

    actions = (-np.ones(3), np.ones(3))
    steps = 8
    length = 250
    goal = 0.2  # height of the block over its start, m
    squeeze = 25.0  # N

    def make(self):
        world = _talus.World()
        world.add_material("rubber", friction=0.6)
        world.add_body("table", _talus.half_space(), motion="fixed", material="rubber")
        world.add_body("block", _talus.box((0.06, 0.06, 0.08)), mass=0.5, position=(0, 0, 0.04), material="rubber")
        world.add_body("trolley", _talus.box((0.1, 0.1, 0.05)), mass=3, mask=0, position=(0, 0, 0.6))
        world.add_body("hand", _talus.box((0.22, 0.06, 0.03)), mass=1, mask=0, position=(0, 0, 0.22))
        for name, x in (("left finger", -0.08), ("right finger", 0.08)):
            world.add_body(name, _talus.box((0.02, 0.05, 0.12)), mass=0.1, position=(x, 0, 0.145), material="rubber")
        world.add_joint("prismatic", "rail", between=("ground", "trolley"), at=(0, 0, 0.6), axis=(1, 0, 0),
                        limits=(-0.3, 0.3), motor=_talus.Motor(speed=0.0, max_effort=200))
        world.add_joint("prismatic", "lift", between=("trolley", "hand"), at=(0, 0, 0.22), axis=(0, 0, 1),
                        limits=(-0.1, 0.3), motor=_talus.Motor(speed=0.0, max_effort=200))
        world.add_joint("prismatic", "left", between=("hand", "left finger"), at=(-0.08, 0, 0.145), axis=(1, 0, 0),
                        limits=(0, 0.06), friction=0.5)
        world.add_joint("prismatic", "right", between=("hand", "right finger"), at=(0.08, 0, 0.145), axis=(-1, 0, 0),
                        limits=(0, 0.06), friction=0.5)
        return _talus.Simulation(world, step=1 / 240, threads=1)

    def scatter(self, random):
        world = self.simulation.world
        world.positions[world.find_body("block"), 0] += random.uniform(-0.02, 0.02)

    def _block(self):
        return self.simulation.world.find_body("block")

    def observe(self):
        simulation, world, block = self.simulation, self.simulation.world, self._block()
        joints = simulation.joint_positions, simulation.joint_velocities
        hand = [(values["lift"], values["rail"], values["left"] + values["right"]) for values in joints]
        place = world.positions[block] - world.positions[world.find_body("hand")]
        forces = [np.linalg.norm(simulation.contact_force(finger, "block")[0]) for finger in ("left finger", "right finger")]
        return np.concatenate([*hand, place, world.velocities[block], forces])

    def act(self, action):
        self.simulation.motor_targets = {"lift": 0.4 * action[0], "rail": 0.3 * action[2]}
        self.simulation.given_efforts = {"left": self.squeeze * action[1], "right": self.squeeze * action[1]}

    def height(self):
        """Of the block over the table, m."""
        return float(self.simulation.world.positions[self._block(), 2]) - 0.04

    def reward(self, action):
        world = self.simulation.world
        away = world.positions[world.find_body("hand")] - world.positions[self._block()] - (0, 0, 0.1)
        grip = min(float(self.observe()[-2:].min()), 5.0) / 5
        return -float(np.linalg.norm(away)) + 0.5 * grip + 5 * min(self.height(), self.goal)

    def is_over(self):
        return self.height() >= self.goal


class Hopper(Environment):
    """A planar leg of three links that is to hop forward over rough friction without falling.

    Action: torques of hip, knee and ankle as shares of the largest, -1 to 1. Observation: height and tilt of the
    trunk, the three angles, and how fast trunk and joints move (forward, up, tilt, angles). Reward: forward speed,
    1 for being upright, less by torques. The episode ends when the trunk is low or tilts.
    """

    actions = (-np.ones(3), np.ones(3))
    torques = np.array([80.0, 80.0, 40.0])
    steps = 4
    length = 1000
    joints = ("hip", "knee", "ankle")

    def make(self):
        world = _talus.World()
        world.add_material("sole", friction=0.9)
        world.add_body("floor", _talus.half_space(), motion="fixed", material="sole")
        world.add_body("trunk", _talus.capsule(0.06, 0.4), mass=4, position=(0, 0, 1.3), material="sole")
        world.add_body("thigh", _talus.capsule(0.05, 0.4), mass=3, position=(0, 0, 0.85), material="sole")
        world.add_body("shank", _talus.capsule(0.045, 0.4), mass=2, position=(0, 0, 0.4), material="sole")
        world.add_body("foot", _talus.box((0.36, 0.1, 0.06)), mass=1, position=(0.06, 0, 0.08), material="sole")
        for name, upper, lower, z, limits in (("hip", "trunk", "thigh", 1.08, (-1.2, 0.6)), ("knee", "thigh", "shank", 0.62, (0.0, 2.2)),
                                              ("ankle", "shank", "foot", 0.12, (-0.8, 0.8))):
            world.add_joint("revolute", name, between=(upper, lower), at=(0, 0, z), axis=(0, 1, 0), limits=limits, armature=0.05,
                            spring=_talus.Spring(stiffness=2.0, damping=1.0))
        world.confine_to_plane((0, 1, 0))
        return _talus.Simulation(world, step=1 / 480, threads=1)

    def scatter(self, random):
        noise = dict(zip(self.joints, random.uniform(-0.02, 0.02, 3)))
        noise["knee"] = abs(noise["knee"])
        self.simulation.joint_positions = noise
        self.simulation.world.positions[1:, 2] += 0.005  # nothing begins inside the floor

    def _tilt(self):
        w, _, y, _ = self.simulation.world.orientations[self.simulation.world.find_body("trunk")]
        return 2 * np.arctan2(y, w)

    def observe(self):
        world = self.simulation.world
        trunk = world.find_body("trunk")
        vx, _, vz = world.velocities[trunk]
        turning = world.angular_velocities[trunk, 1]
        return np.concatenate([[world.positions[trunk, 2], self._tilt()], self.simulation.joint_positions,
                               [vx, vz, turning], self.simulation.joint_velocities])

    def act(self, action):
        self.simulation.given_efforts = dict(zip(self.joints, (self.torques * action).tolist()))

    def reward(self, action):
        world = self.simulation.world
        return float(world.velocities[world.find_body("trunk"), 0]) + 1 - 1e-3 * float(action @ action)

    def is_over(self):
        height = self.simulation.world.positions[self.simulation.world.find_body("trunk"), 2]
        return bool(height < 0.8 or abs(self._tilt()) > 0.7)


ENVIRONMENTS = {"CartPole": CartPole, "Gripper": Gripper, "Hopper": Hopper}


def make(name, **settings):
    """The environment of a name, "CartPole", "Gripper" or "Hopper"; gymnasium.make("Talus/CartPole-v0") is the same
    where gymnasium is installed."""
    if name not in ENVIRONMENTS:
        raise _talus.InvalidArgument(f"unknown environment '{name}'; known: {', '.join(ENVIRONMENTS)}")
    return ENVIRONMENTS[name](**settings)


def register_all():
    """Tells gymnasium of the environments; done on import, and by gymnasium itself where talus is installed by pip."""
    if gymnasium is None:
        return
    for name, kind in ENVIRONMENTS.items():
        known = f"Talus/{name}-v0"
        if known not in gymnasium.envs.registration.registry:
            gymnasium.register(id=known, entry_point=f"talus.environments:{name}", max_episode_steps=kind.length)


register_all()
