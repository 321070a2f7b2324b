"""Rigid bodies with hard contact and dry friction, and the solvers behind them.

    import talus

    world = talus.World()
    world.add_body("floor", talus.half_space(), kind="fixed")
    ball = world.add_body("ball", talus.sphere(0.1), position=(0, 0, 1))
    simulation = talus.Simulation(world)
    simulation.run(until=1.0)
    print(simulation.world.positions[ball])

SI units. Vectors are anything with three numbers, quaternions (w, x, y, z), laws, friction sets and
states are strings. Errors derive from talus.Error and carry the text that the program prints.
"""

from . import _talus
from ._talus import *  # noqa: F401,F403
from ._talus import __version__  # noqa: F401

__all__ = sorted(name for name in dir(_talus) if not name.startswith("_"))

for _name in __all__:
    _value = getattr(_talus, _name)
    if getattr(_value, "__module__", None) == "talus._talus":
        try:
            _value.__module__ = "talus"
        except (AttributeError, TypeError):
            pass  # Built-in functions keep theirs.
