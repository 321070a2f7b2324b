"""Calls of the extension module: short messages for wrong arguments, and a note of what a call made.

pybind11 answers a wrong keyword with every signature it knows. The functions here say one sentence instead,
with the nearest names.
"""

import difflib
import functools
import numbers
import re

import numpy as np

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


def split_top(text):
    """The parts of a text between commas outside of brackets."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    return [piece.strip() for piece in pieces if piece.strip()]


def signature_of(doc):
    """(name, type, default or None) of each parameter in the first line of a docstring of pybind11."""
    inside = re.match(r"\w+\((.*)\) -> ", (doc or "").split("\n", 1)[0])
    found = [re.match(r"(\w+): ([^=]*?)(?: = (.*))?$", piece) for piece in split_top(inside[1] if inside else "")]
    return [(each[1], each[2], each[3]) for each in found if each and each[1] != "self"]


def fault(value, kind, default):
    """What a parameter of a type takes, if it is clear that the value is not that; else None."""
    if kind == "ArrayLike" and not isinstance(value, dict):
        wanted = default.count(",") + 1 if default else 3  # of "array([0., 0., 0.])"
        try:
            size = np.asarray(value, float).shape
        except (TypeError, ValueError):
            return f"{wanted} numbers"
        if size != (wanted,) and (default or size != (4,)):  # a quaternion that has to be given
            return f"{wanted} numbers"
    if kind.startswith("numpy.ndarray[") or kind.startswith("Optional[numpy.ndarray["):
        try:
            np.asarray(value, float)
        except (TypeError, ValueError):
            return "an array of numbers"
    if kind in ("float", "int", "Optional[float]", "Optional[int]") and not isinstance(value, numbers.Number):
        return None if value is None and kind.startswith("Optional") else "a number"
    if kind == "str" and not isinstance(value, str):
        return "a string"
    own = re.match(r"(?:Union\[None, |Optional\[)?talus\._talus\.(\w+)", kind)
    if own and not isinstance(value, (getattr(_talus, own[1]), list, type(None))):
        return f"a talus.{own[1]}"
    return None


def faulty_argument(doc, args, kwargs):
    """A sentence on the first argument that is missing or of a wrong type; "" where none is clear."""
    parameters = signature_of(doc)
    given = {**dict(zip((name for name, _, _ in parameters), args)), **kwargs}
    for name, kind, default in parameters:
        if name not in given and default is None:
            return f"{name} is missing"
        wanted = fault(given[name], kind, default) if name in given else None
        if wanted:
            return f"{name} takes {wanted}, not {described(given[name])}"
    return ""


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
    wrong = faulty_argument(doc, args, kwargs) if known is not None else ""
    if wrong:
        return f"{name}(): {wrong}. help({name}) says more"
    for key, value in kwargs.items():  # options of a step, whose types pybind11 does not name
        usual = getattr(_talus.StepOptions(), key, None) if known is None and key in option_names() else None
        if isinstance(usual, (bool, int, float)) and not isinstance(value, (numbers.Number, np.bool_)):
            return f"{name}(): {key} takes {'True or False' if isinstance(usual, bool) else 'a number'}, not {described(value)}"
        if isinstance(usual, str) and key != "solver" and not isinstance(value, str):
            return f"{name}(): {key} takes a string, not {described(value)}"
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
