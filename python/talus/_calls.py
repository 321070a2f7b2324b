"""Calls of the extension module: short messages for wrong arguments, and a note of what a call made.

pybind11 answers a wrong keyword with every signature it knows. The functions here say one sentence instead,
with the nearest names.
"""

import difflib
import functools
import re

from . import _talus

# Names of other programs and of earlier versions, and what they are called here.
OTHER_NAMES = {
    "kind": ("type", "motion"), "rotation": ("orientation",), "quaternion": ("orientation",),
    "mass_properties": ("inertia",), "max_recovery_speed": ("recovery_speed",), "dt": ("step",), "timestep": ("step",),
    "tol": ("tolerance",), "mu": ("friction",), "pos": ("position",), "vel": ("velocity",), "size": ("radius",),
    "geometry": ("shape",), "quat": ("orientation",), "origin": ("at",), "anchor": ("at",), "parent": ("between",),
    "child": ("between",), "torque": ("effort",), "max_force": ("max_effort",), "kp": ("stiffness",), "kd": ("damping",),
}


def parameters_of(doc):
    """The names of the parameters in the first line of a docstring of pybind11; None if it takes any."""
    signature = (doc or "").split("\n", 1)[0]
    if "**kwargs" in signature or "Overloaded function" in (doc or ""):
        return None
    return [name for name in re.findall(r"[(,] ?(\w+): ", signature) if name != "self"]


def option_names():
    return [name for name, value in vars(_talus.StepOptions).items() if isinstance(value, property)]


def nearest(name, known):
    """"did you mean 'a' or 'b'?", or all that is known where that is short."""
    for hint in OTHER_NAMES.get(name, ()):
        if hint in known:
            return f"it is called '{hint}'"
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if close:
        return "did you mean " + " or ".join(f"'{each}'" for each in close) + "?"
    return "known: " + ", ".join(known)


def described(value):
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def message_for(name, doc, args, kwargs):
    """One sentence on what is wrong with the arguments of a call."""
    known = parameters_of(doc)
    for key in kwargs:
        if known is not None and key not in known:
            return f"{name}() has no argument '{key}'; {nearest(key, known)}"
    given = ", ".join([*map(described, args), *(f"{key}={described(value)}" for key, value in kwargs.items())])
    takes = f"; it takes {', '.join(known)}" if known else ""
    return f"{name}() cannot be called with ({given}){takes}. help({name}) says more"


def clear_errors(function, name, is_method, after=None):
    """The function with short messages; after(self or None, args, kwargs, result) is called when it succeeded."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            result = function(*args, **kwargs)
        except TypeError as error:
            unknown = re.match(r"unknown step option '(\w+)'", str(error))
            if unknown:
                raise TypeError(f"{name}() has no option '{unknown[1]}'; "
                                f"{nearest(unknown[1], option_names())}") from None
            if "incompatible function arguments" not in str(error) and \
                    "incompatible constructor arguments" not in str(error):
                raise
            shown = args[1:] if is_method else args
            message = message_for(name, function.__doc__, shown, kwargs)
            raise TypeError(message) from None
        if after is not None:
            after(args, kwargs, result)
        return result

    return call
