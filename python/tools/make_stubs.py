#!/usr/bin/env python3
"""Prints type stubs for the package talus from the signatures and docstrings of its extension module.

    PYTHONPATH=build/python python/tools/make_stubs.py > python/talus/__init__.pyi
"""

import ast
import inspect
import re
import textwrap

import talus._talus as module
from talus._help import readable_default

HEAD = '''\
"""{doc}"""

# Made by python/tools/make_stubs.py; a test compares both.

import os
from typing import Any, Callable, Iterator, Optional, Union

import numpy
from numpy.typing import ArrayLike

__version__: str
'''

# What pybind11 writes, and what a type checker understands.
TYPES = [
    (r"talus\._talus\.|talus::python::|talus\.(?=[A-Z])", ""),
    (r"numpy\.ndarray\[[^\]]*\]", "numpy.ndarray"),
    (r"\bDict\b", "dict"),
    (r"\bList\b", "list"),
    (r"\bTuple\b", "tuple"),
    (r"\bfunction\b", "Callable[..., Any]"),
    (r"\bobject\b", "Any"),
]


def with_types(signature):
    for pattern, replacement in TYPES:
        signature = re.sub(pattern, replacement, signature)
    return signature


def doc_of(function):
    """The docstring that pybind11 made, also of a call that the package wraps."""
    return getattr(function, "__wrapped__", function).__doc__ or ""


def split_top(text):
    """The parts of text between commas outside of brackets and quotes."""
    parts, depth, start, quote = [], 0, 0, ""
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{<":
            depth += 1
        elif letter in ")]}>" and text[place - 1] != "-":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in [*parts, text[start:].strip()] if part]


def parameter(text):
    """One parameter, its default hidden; arguments that take arrays take all that NumPy takes."""
    if text in ("*args", "**kwargs"):
        return text + ": Any"
    name, _, rest = text.partition(":")
    kind, equals, default = rest.partition(" = ")
    if name == "self" or name == "*":
        return name
    kind = kind.strip()
    if name != "out":  # which is filled, so that nothing but an array will do
        kind = kind.replace("numpy.ndarray", "ArrayLike")
    return f"{name}: {kind}" + (f" = {default_value(default)}" if equals else "")


def default_value(text):
    """A default as Python writes it, which editors and the reference show; `...` where it is none."""
    value = {"inf": "float('inf')"}.get(text, readable_default(text))
    try:
        ast.parse(value, mode="eval")
    except SyntaxError:
        return "..."
    return value


def signature_of(doc, name):
    """(parameters, result) from the first line of a docstring of pybind11."""
    match = re.match(rf"{re.escape(name)}\((.*)\) -> (.*)$", with_types(doc.splitlines()[0]))
    return [parameter(part) for part in split_top(match[1])], given_back(match[2])


def given_back(kind):
    """What goes in as anything with numbers comes out as an array."""
    return kind.replace("ArrayLike", "numpy.ndarray")


def documented(doc, indent):
    body = "\n".join(doc.splitlines()[1:]).strip()
    return textwrap.indent(f'"""{body}"""', indent) if body else None


def function_stub(name, doc, indent=""):
    parameters, result = signature_of(doc, name)
    if name in ("__init__", "__exit__"):
        result = "None"
    if name in ("__eq__",):
        parameters = ["self", "other: object"]
    text = documented(doc, indent + "    ")
    head = f"{indent}def {name}({', '.join(parameters)}) -> {result}:"
    return f"{head}\n{text}\n" if text else f"{head} ...\n"


def property_stub(name, value, indent):
    result = given_back(with_types(re.search(r"-> (.*)$", value.fget.__doc__.splitlines()[0])[1]))
    lines = f"{indent}@property\n{indent}def {name}(self) -> {result}:\n{indent}    \"\"\"{value.__doc__}\"\"\"\n"
    if value.fset is not None:
        kind = result.replace("numpy.ndarray", "ArrayLike")
        lines += f"{indent}@{name}.setter\n{indent}def {name}(self, value: {kind}) -> None: ...\n"
    return lines


def class_stub(name, kind):
    base = kind.__mro__[1].__name__
    bases = "" if base in ("pybind11_object", "object") else f"({', '.join(b.__name__ for b in kind.__bases__)})"
    text = f"class {name}{bases}:\n"
    text += textwrap.indent(f'"""{kind.__doc__}"""', "    ") + "\n"
    if "__iter__" in vars(kind):
        _, item = signature_of(doc_of(kind.__getitem__), "__getitem__")
        text += f"    def __iter__(self) -> Iterator[{item}]: ...\n"
    own = sorted(vars(kind).items(), key=lambda item: (not item[0].startswith("__init__"), item[0]))
    for member, value in own:
        if member in ("__iter__", "__new__", "__reduce__", "__reduce_ex__") or re.match("_[^_]", member):
            continue
        if is_python(value):
            text += textwrap.indent(python_stub(member, value), "    ")
        elif isinstance(value, property):
            text += property_stub(member, value, "    ")
        elif isinstance(value, staticmethod):
            text += "    @staticmethod\n" + function_stub(member, doc_of(value.__func__), "    ")
        elif inspect.isroutine(value) and doc_of(value).startswith(member + "("):
            text += function_stub(member, doc_of(value), "    ")
    return text


def is_python(value):
    """Whether a member was written in Python, not wrapped there."""
    function = value.fget if isinstance(value, property) else value
    return inspect.isfunction(function) and not hasattr(function, "__wrapped__") and bool(value.__doc__) \
        and not re.match(r"\w+\(.*\) -> ", value.__doc__)


def python_stub(name, function):
    """Of a function or property written in Python: any types, and its docstring."""
    if isinstance(function, property):
        text = textwrap.indent(f'"""{inspect.getdoc(function)}"""', "    ")
        return f"@property\ndef {name}(self) -> Any:\n{text}\n"
    parts, starred = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            parts.append("self")
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            starred = True
            parts.append(("*" if parameter.kind is parameter.VAR_POSITIONAL else "**") + f"{parameter.name}: Any")
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        parts.append(f"{parameter.name}: Any" + ("" if parameter.default is parameter.empty else f" = {default_value(repr(parameter.default))}"))
    text = textwrap.indent(f'"""{inspect.getdoc(function)}"""', "    ")
    return f"def {name}({', '.join(parts)}) -> Any:\n{text}\n"


def python_class_stub(name, kind):
    base = kind.__mro__[1]
    text = f"class {name}{'' if base is object else '(numpy.ndarray)' if base.__name__ == 'ndarray' else f'({base.__name__})'}:\n"
    text += textwrap.indent(f'"""{inspect.getdoc(kind)}"""', "    ") + "\n"
    for member, value in sorted(vars(kind).items(), key=lambda item: (item[0] != "__init__", item[0])):
        function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if member.startswith("_") and member not in ("__init__", "__getitem__", "__len__", "__enter__", "__exit__"):
            continue
        if member == "__init__" and "__init__" not in vars(kind):
            continue
        if isinstance(function, property) or inspect.isfunction(function):
            mark = {staticmethod: "@staticmethod\n", classmethod: "@classmethod\n"}.get(type(value), "")
            stub = python_stub(member, function).replace(textwrap.indent('"""None"""\n', "    "), "    ...\n")
            text += textwrap.indent(mark + stub, "    ")
    return text


def main():
    import talus

    print(HEAD.format(doc=talus.__doc__.strip() + "\n"))
    for name in talus.__all__:
        value = getattr(talus, name)
        if inspect.isfunction(value) and value.__module__ != "talus":
            print("\n" + python_stub(name, value))
        elif inspect.isclass(value) and value.__module__ != "talus":
            print("\n" + python_class_stub(name, value))
        elif inspect.isclass(value):
            print("\n" + class_stub(name, value))
        else:
            print("\n" + function_stub(name, doc_of(value)))


main()
