"""Runs: what steps have reported, what was recorded of them, and how to look at both."""

import csv
import html
import math
import os
import pathlib
import tempfile
import weakref

import numpy as np

from . import _talus, pages
from ._display import table

FRAMES_PER_SECOND = 60  # of a recording, unless told
UNITS = {"time": "s", "kinetic_energy": "J", "potential_energy": "J", "elastic_energy": "J", "max_penetration": "m",
         "violation": "m/s", "max_contact_force": "N", "max_joint_force": "N", "seconds": "s", "envelope": "m"}
LOGARITHMIC = ("error", "max_penetration", "violation", "max_joint_error")

_recordings = weakref.WeakKeyDictionary()  # the recording that goes on, of a simulation


def numbers_or_texts(values):
    try:
        return np.array(values, dtype=float)
    except ValueError:
        return np.array(values)


def read_table(path):
    """The columns of a CSV file by name."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = {name: numbers_or_texts([row[i] for row in rows[1:]]) for i, name in enumerate(rows[0])}
    if "status" in columns:
        columns["converged"] = (columns["status"] == "converged").astype(float)
    return columns


class Run:
    """Steps of a simulation: their reports as columns, and the frames recorded of them, if any.

    Made by Simulation.run() and Simulation.record(), and of a folder of `talus run --out` by Run(folder).
    """

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        if not (folder / "trajectory.h5").exists():
            raise _talus.FileError(f"{folder}: there is no trajectory.h5; Run() takes a folder of `talus run --out` or "
                                   "of talus.Recorder")
        self._set(folder)

    def _set(self, folder=None, log=None, recorder=None, simulation=None, temporary=None):
        self._folder, self._log, self._recorder = folder, log, recorder
        self._temporary = temporary  # deleted with the run
        self._simulation = weakref.ref(simulation) if simulation is not None else lambda: None
        self._server = None
        return self

    @property
    def folder(self):
        """Where the frames are (a pathlib.Path), or None when nothing was recorded."""
        self._flush()
        return self._folder

    def _flush(self):
        if self._recorder is not None:
            self._recorder.flush()

    def _recorded(self):
        if self._folder is None:
            raise _talus.Error("nothing was recorded of this run; record it: "
                               "simulation.run(until, record=True), or simulation.record() before the steps")
        self._flush()
        return self._folder

    def stop(self):
        """Ends the recording: the last step is recorded too, and the files are closed."""
        if self._recorder is not None:
            recorder, self._recorder = self._recorder, None
            recorder.finish()
        if self._server is not None:
            self._server.stop_growing()
        simulation = self._simulation()
        if simulation is not None and _recordings.get(simulation) is self:
            del _recordings[simulation]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def columns(self):
        """What every step has reported, {name: array}: time, contacts, error, kinetic_energy, ... (docs/output.md)."""
        if self._log is not None:
            return self._log.columns()
        return read_table(self._recorded() / "steps.csv")

    @property
    def sensors(self):
        """What the sensors read after every step, {name: array}; of recorded runs."""
        path = self._recorded() / "sensors.csv"
        return read_table(path) if path.exists() else {}

    def _series(self, name):
        """(times, values) of a column of the steps or of the sensors."""
        columns = self.columns
        if name in columns:
            return columns["time"], columns[name]
        sensors = self.sensors if self._folder is not None else {}
        if name in sensors:
            return sensors["time"], sensors[name]
        raise KeyError(f"there is no column '{name}'; there are {', '.join([*columns, *sensors])}")

    def __getitem__(self, name):
        """One column of the steps or of the sensors."""
        return self._series(name)[1]

    @property
    def trajectory(self):
        """The recorded frames, a talus.Trajectory."""
        return _talus.Trajectory(self._recorded() / "trajectory.h5")

    def __len__(self):
        return len(self._log) if self._log is not None else len(self["time"])

    def summary(self):
        """What one wants to know of the run, {name: value}."""
        columns = self.columns
        if len(columns["time"]) == 0:
            return {"steps": 0}
        converged = columns["converged"]
        return {"steps": len(converged), "time": float(columns["time"][-1]),
                "contacts_mean": float(np.mean(columns["contacts"])), "contacts_max": int(np.max(columns["contacts"])),
                "error_max": float(np.max(columns["error"])), "unconverged_steps": int(np.sum(converged == 0)),
                "penetration_max": float(np.max(columns["max_penetration"])),
                "kinetic_energy": float(columns["kinetic_energy"][-1]),
                "potential_energy": float(columns["potential_energy"][-1]),
                "fast_bodies": int(np.sum(columns["outran_envelope"]))}

    def __repr__(self):
        content = self.summary()
        if content["steps"] == 0:
            return "<talus.Run: no steps yet>"
        missed = content["unconverged_steps"]
        return (f"<talus.Run: {content['steps']} steps to t = {content['time']:.6g} s, "
                f"{'all converged' if missed == 0 else f'{missed} not converged'}"
                f"{'' if self._folder is None else ', recorded'}>")

    def _repr_html_(self):
        units = {"time": "s", "penetration_max": "m", "kinetic_energy": "J", "potential_energy": "J"}
        rows = [(name.replace("_", " "), f"{value:.6g} {units.get(name, '')}".strip()) for name, value in self.summary().items()]
        return table(rows, ("run", ""))

    def view(self, height=540, every=None, contacts=True):
        """An interactive 3D view of the recorded frames, as an object that notebooks display and save(path) writes."""
        return pages.View(pages.page_with_run(self._recorded(), every, contacts), height=height)

    def live(self, height=540):
        """A view that follows the run while it goes on; served to this machine alone."""
        if self._server is None:
            self._server = _talus._RunServer(self._recorded(), pages.viewer_page(), self._recorder is not None)
        return pages.View(address=self._server.address, height=height, keep=self)

    def show(self, height=540, every=None, contacts=True, live=False):
        """Shows the recorded frames in 3D: in the cell of a notebook, elsewhere in the browser.

        Every `every`-th frame is kept, as many as fit some 24 MB unless told. With live=True the view follows
        the run while it goes on.
        """
        pages.display(self.live(height) if live else self.view(height, every, contacts))

    def plot(self, *quantities, axes=None):
        """Plots columns over the time, and answers the figure of matplotlib.

        Without names: energies, contacts, the error of the solves and the penetration. Names are those of
        columns and sensors; a list of names shares one plot: run.plot("contacts", ["scale.force_x", "scale.force_z"]).
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("Run.plot needs matplotlib (pip install matplotlib)") from None
        usual = [["kinetic_energy", "potential_energy"], "contacts", "error", "max_penetration"]
        groups = [[each] if isinstance(each, str) else list(each) for each in quantities or usual]
        series = {name: self._series(name) for group in groups for name in group}
        if axes is None:
            _, axes = plt.subplots(len(groups), figsize=(7, 1 + 1.7 * len(groups)), sharex=True, squeeze=False)
        axes = np.atleast_1d(axes).ravel()
        if len(axes) != len(groups):
            raise _talus.InvalidArgument(f"there are {len(groups)} plots and {len(axes)} axes")
        for place, group in zip(axes, groups):
            self._draw(place, {name: series[name] for name in group})
        axes[-1].set_xlabel("time (s)")
        figure = axes[0].figure
        figure.align_ylabels()
        figure.tight_layout()
        if pages.in_notebook():
            # Shown at once, also in the middle of a cell, and then not again as the value of the cell.
            from IPython.display import display
            display(figure)
            plt.close(figure)
            figure._ipython_display_ = lambda: delattr(figure, "_ipython_display_")
        return figure

    @staticmethod
    def _draw(place, series):
        for name, (time, values) in series.items():
            if name in LOGARITHMIC:
                shown = values > 0
                place.semilogy(time[shown], values[shown], ".", markersize=3, label=name)
            else:
                shown = values - values[0] if name == "potential_energy" and len(values) else values
                place.plot(time, shown, label=name + (" − start" if name == "potential_energy" else ""))
        [first, *others] = series
        if others:
            place.legend(frameon=False)
        place.set_ylabel(f"{first.split('_')[-1] if others else first.replace('_', ' ')}"
                         f"{f' ({UNITS[first]})' if first in UNITS else ''}")
        place.grid(alpha=0.3)


_titles = weakref.WeakKeyDictionary()  # of scenes, by the simulations that were made of them


def remember_title(simulation, title):
    """Names the recordings of a simulation."""
    _titles[simulation] = title


def record(self, folder=None, *, every=None, title=None):
    """Records every step from now on, and answers the Run: look at it with show(), end it with stop().

    The files go to `folder`, or to a temporary one that is deleted with the run. A frame is kept every
    `every` steps, some 60 a second unless told. The title is that of the scene, if there is one and nothing else is
    said. Also a context: `with simulation.record() as run: ...`.
    """
    old = _recordings.get(self)
    if old is not None:
        old.stop()
    every = every or max(1, math.floor(1 / (FRAMES_PER_SECOND * self.options.step) + 1e-9))
    temporary = tempfile.TemporaryDirectory(prefix="talus-run-") if folder is None else None
    place = pathlib.Path(temporary.name if temporary else folder)
    log = _talus._RunLog(self)
    title = _titles.get(self, "") if title is None else title
    recorder = _talus.Recorder(place, self, title=title, every=every, formats=["trajectory", "csv"])
    recorder._follow(self)
    run = Run.__new__(Run)._set(place, log, recorder, self, temporary)
    _recordings[self] = run
    return run


def run(self, until, each=None, *, record=None):
    """Steps until the time `until`, calling each(report) after every step, and answers the Run.

    With record=True the frames are recorded into a temporary folder, with a name into that folder, so that
    run.show() can show them. While a recording goes on (record()), the answer is that of the recording.
    """
    if record is not None and record is not False:
        with self.record(None if record is True else record) as made:
            _steps(self, until, each)
        return made
    going_on = _recordings.get(self)
    if going_on is not None:
        _steps(self, until, each)
        return going_on
    log = _talus._RunLog(self)
    _steps(self, until, each)
    return Run.__new__(Run)._set(log=log)


def show(self, height=540, live=False):
    """Shows the simulation in 3D: in the cell of a notebook, elsewhere in the browser.

    What is shown is the recording that goes on (record()), or else how everything lies now. With live=True the
    view follows the steps to come; a recording begins if there is none.
    """
    going_on = _recordings.get(self)
    if going_on is None and live:
        going_on = self.record()
    if going_on is not None:
        going_on.show(height, live=live)
        return
    with tempfile.TemporaryDirectory(prefix="talus-view-") as folder:
        with _talus.Recorder(folder, self, title=_titles.get(self, ""), formats=["trajectory", "csv"]):
            pass
        pages.display(pages.View(pages.page_with_run(folder), height=height))


def show_world(self, height=540):
    """Shows the world in 3D: in the cell of a notebook, elsewhere in the browser."""
    show(_talus.Simulation(self), height)


def install():
    """Makes the functions above methods of talus.Simulation, talus.World and talus.Scene."""
    global _steps
    _steps = _talus.Simulation.run
    _talus.Simulation.run, _talus.Simulation.record, _talus.Simulation.show = run, record, show
    _talus.World.show = show_world
