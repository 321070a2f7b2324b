"""Rigid bodies with hard contact and dry friction, and the solvers behind them.

    import talus

    world = talus.World()
    world.add_body("floor", talus.half_space(), motion="fixed")
    ball = world.add_body("ball", talus.sphere(0.1), position=(0, 0, 1))
    simulation = talus.Simulation(world)
    simulation.run(until=1.0)
    print(simulation.world.positions[ball])

SI units. Vectors are anything with three numbers, quaternions (w, x, y, z), laws, friction sets and
states are strings. Errors derive from talus.Error and carry the text that the program prints.
"""

import inspect as _inspect

from . import _processor

_processor.require_processor()  # before the extension module is loaded

from . import _calls, _copying, _display, _help, _talus, names, pictures, runs  # noqa: E402


def _begin(args, kwargs, result):
    _copying.forget_sensors(args, kwargs, result)
    names.remember_beginning(args[0])


def _begin_scene(args, kwargs, simulation):
    _copying.remember_scene_sensors(args, kwargs, simulation)
    names.remember_beginning(simulation)
    runs.remember_title(simulation, args[0].title)


def _begin_checkpoint(_args, _kwargs, pair):
    names.remember_beginning(pair[1])


def _wrap():
    """Gives calls short messages for wrong arguments, and lets worlds and shapes remember how they were made."""
    for name, function in list(vars(_talus).items()):
        if _inspect.isroutine(function) and not name.startswith("_"):
            after = _copying.remember_shape(name) if name in _copying.SHAPES else None
            if name == "decompose":
                after = _copying.remember_decomposition
            if name == "load_checkpoint":
                after = _begin_checkpoint
            setattr(_talus, name, _calls.clear_errors(function, name, False, after))
    for name, kind in list(vars(_talus).items()):
        if not _inspect.isclass(kind) or issubclass(kind, BaseException):
            continue
        for member, value in list(vars(kind).items()):
            constructs = member == "__init__" and (value.__doc__ or "").startswith("__init__(")
            if isinstance(value, (property, staticmethod)) or not callable(value) or name in ("Solver", "ConvexSolver"):
                continue
            if not constructs and member.startswith("_"):
                continue
            after = None
            if name == "World" and (member in _copying.ADDING or member in _copying.REPLACING):
                after = _copying.remember(member)
            elif (name, member) == ("Simulation", "add_sensor"):
                after = _copying.remember_sensor
            elif (name, member) == ("Simulation", "__init__"):
                after = _begin
            elif (name, member) == ("Scene", "simulation"):
                after = _begin_scene
            elif constructs and name in _copying.BY_ARGUMENTS:
                after = _copying.remember_arguments
            shown = name if constructs else f"{name}.{member}"
            setattr(kind, member, _calls.clear_errors(value, shown, True, after))


_wrap()
_copying.install()
_display.install()
runs.install()
pictures.install()
names.install()
_help.install()

from ._talus import *  # noqa: E402,F401,F403
from ._talus import __version__  # noqa: E402,F401
from .many import simulate_many  # noqa: E402,F401
from .names import hint_in_module as __getattr__  # noqa: E402,F401
from .names import Model, NamedArray  # noqa: E402,F401
from .pictures import save_animation, save_picture  # noqa: E402,F401
from .runs import Run  # noqa: E402,F401

__all__ = sorted([name for name in dir(_talus) if not name.startswith("_")] +
                 ["Model", "NamedArray", "Run", "save_animation", "save_picture", "simulate_many"])

for _name in __all__:
    _value = globals()[_name]
    if getattr(_value, "__module__", None) == "talus._talus":
        try:
            _value.__module__ = "talus"
        except (AttributeError, TypeError):
            pass  # Built-in functions keep theirs.
