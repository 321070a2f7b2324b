"""What help(), tooltips and completion show of the calls of the extension module.

pybind11 puts types into the first line of a docstring, in its own words, and leaves no signature: a notebook
could not complete keywords. The wrapped calls get a signature and a docstring of ordinary width here. The
wrapped function keeps the docstring of pybind11, which type stubs are made of.
"""

import inspect
import re
import textwrap

from . import _talus
from ._calls import option_names, split_top

WIDTH = 100

# What pybind11 writes, and what people read.
TYPES = [
    (r"talus\._talus\.|talus::python::", ""),
    (r"numpy\.ndarray(\[[^\]]*\])?", "array"),
    (r"tuple\[ArrayLike, ArrayLike\]", "pose"),
    (r"Tuple\[ArrayLike, ArrayLike\]", "(array, array)"),
    (r"ArrayLike", "array"),
    (r"\bUnion\[str, os\.PathLike\]", "path"),
    (r"\bDict\b", "dict"),
    (r"\bList\b", "list"),
    (r"\bTuple\b", "tuple"),
    (r"\bobject\b", "Any"),
]


class Words:
    """Prints as it is, where Python expects an annotation or a default."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def alternatives(kind):
    """Optional[a] and Union[a, b] as a | b."""
    kind = kind.strip()
    match = re.match(r"(\w+)\[(.*)\]$", kind)
    if not match:
        return [kind]
    parts = [each for part in split_top(match[2]) for each in alternatives(part)]
    if match[1] in ("Union", "Optional"):
        parts = list(dict.fromkeys(parts + ["None"] * (match[1] == "Optional")))
        return [part for part in parts if part != "None"] + ["None"] * ("None" in parts)
    return [f"{match[1]}[{', '.join(' | '.join(alternatives(part)) for part in split_top(match[2]))}]"]


def readable_type(kind):
    for pattern, replacement in TYPES:
        kind = re.sub(pattern, replacement, kind)
    return " | ".join(alternatives(kind))


def readable_default(text):
    """array([0., 0., 1.]) as (0, 0, 1)."""
    match = re.match(r"array\(\[(.*)\]\)$", text)
    if match:
        return "(" + ", ".join(f"{float(each):g}" for each in match[1].split(",")) + ")"
    return "0xffffffff" if text == "4294967295" else text


def readable_signature(doc):
    """The signature in the first line of a docstring of pybind11; None where there is none, or several."""
    match = re.match(r"\w+\((.*)\) -> (.*)$", (doc or "").split("\n", 1)[0])
    if not match or "Overloaded function" in doc:
        return None
    kind, parameters = inspect.Parameter.POSITIONAL_OR_KEYWORD, []
    for part in split_top(match[1]):
        name, _, rest = part.partition(": ")
        annotation, equals, default = rest.partition(" = ")
        if name == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
        elif name.startswith("**"):
            parameters.append(inspect.Parameter(name[2:], inspect.Parameter.VAR_KEYWORD))
        elif name.startswith("*"):
            parameters.append(inspect.Parameter(name[1:], inspect.Parameter.VAR_POSITIONAL))
            kind = inspect.Parameter.KEYWORD_ONLY
        elif name == "self":
            parameters.append(inspect.Parameter(name, kind))
        else:
            parameters.append(inspect.Parameter(
                name, kind, annotation=Words(readable_type(annotation)),
                default=Words(readable_default(default)) if equals else inspect.Parameter.empty))
    result = inspect.Signature.empty if match[2] == "None" else Words(readable_type(match[2]))
    return inspect.Signature(parameters, return_annotation=result)


def readable_text(text):
    """Paragraphs as wide as a terminal; indented lines stay as they are."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(part if "\n " in part else textwrap.fill(" ".join(part.split()), WIDTH) for part in paragraphs)


def with_options(signature, given):
    """The options of a step in the place of **kwargs, with their defaults unless they stay as they are."""
    usual = _talus.StepOptions()
    fixed = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    options = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY,
                                 default=Words("..." if given else repr(getattr(usual, name))))
               for name in option_names() if name not in signature.parameters]
    return signature.replace(parameters=fixed + options)


def explain(call):
    """Gives a call of _calls.clear_errors() its signature, and a docstring without it."""
    doc = call.__wrapped__.__doc__
    signature = readable_signature(doc)
    if signature is not None:
        call.__signature__, call.__module__ = signature, "talus"
        call.__doc__ = readable_text(doc.partition("\n")[2]) or None


def calls():
    for value in list(vars(_talus).values()):
        yield from list(vars(value).values()) if inspect.isclass(value) else [value]


def install():
    for call in calls():
        if inspect.isfunction(call) and hasattr(call, "__wrapped__"):
            explain(call)
    for call, given in ((_talus.StepOptions.__init__, False), (_talus.Simulation.__init__, False),
                        (_talus.Simulation.set_options, True), (_talus.Scene.simulation, True)):
        call.__signature__ = with_options(inspect.signature(call), given)
    for call in calls():
        same = getattr(call, "same_as", None)
        if same is not None:
            call.__signature__ = inspect.signature(same)
            call.__doc__ = readable_text(f"{same.__doc__} (The same as World.{same.__name__}().)")
