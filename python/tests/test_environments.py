"""Environments with the interface of Gymnasium."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest
import talus
from conftest import ROOT
from talus import environments
from talus.environments import Box

NAMES = list(environments.ENVIRONMENTS)


def episode(env, seed, steps=60):
    env.action_space.seed(seed)
    seen = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        seen.append(np.append(observation, reward))
        if terminated or truncated:
            seen.append(env.reset()[0])
    return seen


def same(a, b):
    return len(a) == len(b) and all(np.array_equal(x, y) for x, y in zip(a, b))


@pytest.mark.parametrize("name", NAMES)
def test_interface(name):
    env = environments.make(name)
    observation, info = env.reset(seed=1)
    assert observation.shape == env.observation_space.shape and observation.dtype == np.float64
    assert env.observation_space.contains(observation) and isinstance(info, dict)
    result = env.step(env.action_space.sample())
    assert len(result) == 5
    observation, reward, terminated, truncated, info = result
    assert type(reward) is float and type(terminated) is bool and type(truncated) is bool and info["converged"]
    assert info["time"] == pytest.approx(env.dt)
    with pytest.raises(talus.InvalidArgument, match="an action is"):
        env.step(np.full(env.action_space.shape, np.nan))
    with pytest.raises(talus.InvalidArgument, match="an action is"):
        env.step(np.zeros(env.action_space.shape[0] + 1))
    env.close()


@pytest.mark.parametrize("name", NAMES)
def test_equal_seeds_give_equal_episodes(name):
    """Also in the same environment, after others, and in another one."""
    env = environments.make(name)
    first = episode(env, 5)
    other = episode(env, 6)
    assert not same(first, other)
    assert same(first, episode(env, 5))
    assert same(first, episode(environments.make(name), 5))


@pytest.mark.parametrize("name", NAMES)
def test_resets_leave_no_trace_of_actions(name):
    env = environments.make(name)
    env.reset(seed=2)
    for _ in range(5):
        env.step(env.action_space.high)
    env.reset(seed=3)
    fresh = environments.make(name)
    fresh.reset(seed=3)
    for _ in range(5):
        a, b = (each.step(np.zeros(each.action_space.shape)) for each in (env, fresh))
        assert np.array_equal(a[0], b[0]) and a[1] == b[1]


def test_cart_pole_can_be_balanced_and_falls_without():
    env = environments.CartPole()

    def length_of(policy):
        observation, _ = env.reset(seed=4)
        for count in range(300):
            observation, _, terminated, _, _ = env.step([policy(*observation)])
            if terminated:
                return count
        return 300

    assert length_of(lambda x, angle, v, rate: 3 * x + 60 * angle + 5 * v + 12 * rate) == 300
    assert length_of(lambda *_: 0.0) < 150


def test_cart_hits_the_bumpers():
    env = environments.CartPole(fall=10.0)
    env.reset(seed=1)
    places, forces = [], []
    for _ in range(120):
        observation, *_ = env.step([40.0])
        places.append(observation[0])
        forces.append(np.linalg.norm(env.simulation.contact_force("cart", "right bumper")[0]))
    assert max(forces) > 10 and max(places) < env.room + 0.01


def test_gripper_lifts_the_block_by_friction():
    env = environments.Gripper()
    env.reset(seed=2)
    total = 0.0
    for count in range(250):
        up, grip = (-0.4 if count < 6 else 0.0, 0.0) if count < 10 else (0.0, 1.0) if count < 25 else (1.0, 1.0)
        observation, reward, terminated, _, _ = env.step([up, grip, 0.0])
        total += reward
        if terminated:
            break
    assert terminated and env.height() >= env.goal
    assert np.all(observation[-2:] > 1), "both fingers press"


def test_episodes_are_cut_off():
    env = environments.CartPole(length=3, fall=10.0)
    env.reset(seed=1)
    assert [env.step([0.0])[3] for _ in range(3)] == [False, False, True]


def test_pictures():
    env = environments.CartPole(render_mode="rgb_array", width=64, height=48)
    env.reset(seed=1)
    first = env.render()
    assert first.shape == (48, 64, 3) and first.dtype == np.uint8
    for _ in range(20):
        env.step([40.0])
    assert not np.array_equal(first, env.render())
    assert environments.CartPole().render() is None
    with pytest.raises(talus.InvalidArgument, match="rgb_array"):
        environments.CartPole(render_mode="human")


def test_own_environments():
    class Ball(environments.Environment):
        actions = (np.array([0.0]), np.array([50.0]))
        length = 10

        def make(self):
            world = talus.World()
            world.add_body("ball", talus.sphere(0.1), mass=1)
            return talus.Simulation(world)

        def observe(self):
            return self.simulation.world.positions[0].copy()

        def act(self, action):
            self.simulation.world.set_load("ball", force=(0, 0, action[0]))

        def reward(self, action):
            return self.simulation.world.positions[0, 2]

    env = Ball(length=20)
    env.reset(seed=1)
    _, up, *_ = env.step([50.0])
    assert up > 0
    assert np.array_equal(env.step([9.81])[0][:2], [0, 0])
    with pytest.raises(TypeError, match="no argument 'lenght'"):
        Ball(lenght=3)


def test_what_is_missing_is_named():
    with pytest.raises(NotImplementedError, match=r"Environment must define make\(\)"):
        environments.Environment()


def test_spaces():
    box = Box([-1, 0], [1, np.inf], seed=3)
    samples = np.array([box.sample() for _ in range(500)])
    assert all(map(box.contains, samples)) and abs(samples[:, 0].mean()) < 0.1 and samples[:, 1].max() > 2
    assert [0, -1] not in box and [0, 0, 0] not in box
    again = Box([-1, 0], [1, np.inf], seed=3)
    assert np.array_equal(samples[0], again.sample()) and box == again and box != Box(-1, 1, (2,))
    free = np.array([Box(-np.inf, np.inf, (1,), seed=1).sample(), Box(-np.inf, 0, (1,), seed=1).sample()])
    assert free[1] <= 0
    with pytest.raises(talus.InvalidArgument, match="above"):
        Box(1, 0, (2,))
    with pytest.raises(talus.InvalidArgument, match="known: CartPole"):
        environments.make("Pong")


STAND_IN = '''
"""The few names of gymnasium that talus.environments uses."""
import types
class Env:
    def reset(self, *, seed=None, options=None): self.np_random_seed = seed
class Space:
    def __init__(self, low, high, dtype): self.low, self.high, self.dtype, self.shape = low, high, dtype, low.shape
    def seed(self, seed): self.given = seed
spaces = types.SimpleNamespace(Box=Space)
registered = {}
envs = types.SimpleNamespace(registration=types.SimpleNamespace(registry=registered))
def register(id, entry_point, max_episode_steps): registered[id] = (entry_point, max_episode_steps)
'''


def test_registers_itself_where_gymnasium_is_installed(tmp_path):
    """With a stand-in: the package is not in Debian."""
    (tmp_path / "gymnasium.py").write_text(STAND_IN)
    script = ("import gymnasium, importlib; from talus import environments as e\n"
              "assert set(gymnasium.registered) == {'Talus/CartPole-v0', 'Talus/Gripper-v0', 'Talus/Hopper-v0'}\n"
              "path, most = gymnasium.registered['Talus/CartPole-v0']\n"
              "module, _, name = path.partition(':')\n"
              "env = getattr(importlib.import_module(module), name)()\n"
              "assert isinstance(env, gymnasium.Env) and isinstance(env.action_space, gymnasium.spaces.Box) and most == 500\n"
              "env.reset(seed=4); assert env.np_random_seed == 4 and env.action_space.given == 4\n"
              "e.register_all()\n")
    package = str(pathlib.Path(talus.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          env={"PYTHONPATH": f"{tmp_path}:{package}", "PATH": "/usr/bin"})
    assert done.returncode == 0, done.stderr


def test_pip_tells_gymnasium_of_the_environments():
    """Gymnasium calls what the group gymnasium.envs of installed packages names."""
    assert "[gymnasium.envs]\n__root__ = talus.environments:register_all" in (ROOT / "python/build_backend.py").read_text()
