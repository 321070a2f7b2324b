"""How objects of talus look at a prompt and in a notebook."""

import html

import numpy as np

from . import _talus
from ._calls import option_names

UNITS = {"time": "s", "max_penetration": "m", "kinetic_energy": "J", "potential_energy": "J", "violation": "m/s",
         "seconds": "s"}


def table(rows, head=()):
    """A table of HTML from rows of values."""
    def line(cells, tag):
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table>{line(head, 'th') if head else ''}{body}</table>"


def number(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def vector(value):
    return "(" + ", ".join(f"{each:.4g}" for each in value) + ")"


def argument_text(value, most=60):
    """An argument as it would be written, or what it is where that would be long."""
    if isinstance(value, np.ndarray):
        value = tuple(value.tolist()) if value.ndim == 1 else value.tolist()
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    text = repr(value)
    if len(text) > most and hasattr(value, "__len__"):
        return f"<{len(value)} {'letters' if isinstance(value, str) else 'entries'}>"
    return text if len(text) <= most else text[:most - 3] + "..."


def call_text(name, args, kwargs):
    given = [*map(argument_text, args), *(f"{key}={argument_text(value)}" for key, value in kwargs.items())]
    return f"talus.{name}({', '.join(given)})"


def as_made(kind, usual):
    """A representation by the call that made the object; `usual` of those that do not remember it."""

    def text(self):
        made = getattr(self, "_made", None)
        if made is None:
            return usual(self)
        return call_text(*made) if len(made) == 3 else call_text(kind.__name__, *made)

    return text


def option_values(options):
    return {name: getattr(options, name) for name in option_names()}


def options_text(options):
    """Only what differs from the defaults."""
    usual = option_values(_talus.StepOptions())
    changed = [f"{name}={value!r}" for name, value in option_values(options).items() if value != usual[name]]
    return f"talus.StepOptions({', '.join(changed)})"


def options_html(options):
    usual = option_values(_talus.StepOptions())
    rows = [(name, number(value), "" if value == usual[name] else f"default {number(usual[name])}")
            for name, value in option_values(options).items()]
    return table(rows, ("option", "value", ""))


def report_html(report):
    names = ("step", "time", "contacts", "joint_rows", "max_penetration", "status", "iterations", "error",
             "tolerance", "violation", "kinetic_energy", "potential_energy", "seconds")
    return table([(name, f"{number(getattr(report, name))} {UNITS.get(name, '')}") for name in names],
                 ("step report", ""))


def contacts_text(contacts):
    return f"<talus.Contacts: {len(contacts)} contacts>"


def contacts_html(contacts, most=20):
    rows = [(*contact.names, vector(contact.point), vector(contact.normal), number(contact.gap),
             vector(contact.impulse)) for contact in list(contacts)[:most]]
    if len(contacts) > most:
        rows.append((f"and {len(contacts) - most} more", "", "", "", "", ""))
    return table(rows, ("a", "b", "point (m)", "normal", "gap (m)", "impulse on b (N s)"))


def result_html(result):
    names = ("status", "iterations", "products", "error", "seconds")
    return table([(name, number(getattr(result, name))) for name in names], ("solve", ""))


def members_text(kind, *names):
    """The text of an object that is made from its members."""
    return lambda it: f"talus.{kind}({', '.join(f'{name}={number(getattr(it, name))}' for name in names)})"


def decomposition_text(found):
    return f"<talus.Decomposition: {found.parts} parts, {100 * found.volume_error:.3g} % of the volume too much>"


def install():
    kinds = {
        "Bearing": (members_text("Bearing", "friction", "radius"), None),
        "Cohesion": (members_text("Cohesion", "force", "stress", "range", "heals"), None),
        "Decomposition": (decomposition_text, None),
        "Drag": (members_text("Drag", "linear", "quadratic", "angular", "coefficient", "area"), None),
        "Motor": (lambda m: f"<talus.Motor with a {m.mode} as its target, max_effort {m.max_effort:g}>", None),
        "StepOptions": (options_text, options_html),
        "StepReport": (None, report_html),
        "Contacts": (contacts_text, contacts_html),
        "SolveResult": (None, result_html),
        "SimulationState": (lambda s: f"<talus.SimulationState at t = {s.time:.6g} s after {s.steps} steps>", None),
        "Scene": (lambda s: f"<talus.Scene '{s.title}': {len(s.world)} bodies, {s.duration:g} s>", None),
        "Spring": (lambda s: f"talus.Spring(stiffness={s.stiffness:g}, damping={s.damping:g}, rest={s.rest:g})", None),
        "Frame": (lambda f: f"<talus.Frame of step {f.step}, t = {f.time:.6g} s, {len(f.contacts)} contacts>", None),
        "Solver": (lambda s: f"<talus.{type(s).__name__} {s.info.name}>", None),
        "Trajectory": (lambda t: f"<talus.Trajectory: {len(t)} frames of {t.bodies} bodies>", None),
        "Comparison": (None, lambda c: f"<pre>{html.escape(str(c))}</pre>"),
    }
    for name in ("Shape", "Motor", "Bushing", "Bearing", "Drag", "Cohesion", "Formula"):
        kind = getattr(_talus, name)
        kinds[name] = (as_made(kind, kinds[name][0] if name in kinds else kind.__repr__), None)
    for name, (text, page) in kinds.items():
        kind = getattr(_talus, name)
        if text is not None:
            kind.__repr__ = text
        if page is not None:
            kind._repr_html_ = page
