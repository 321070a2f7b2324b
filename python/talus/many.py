"""Many simulations at once: parameter studies."""

import concurrent.futures
import multiprocessing
import os
import reprlib
import sys
import time

from . import _talus, pages


def _final(simulation):
    """What simulate_many returns of a simulation unless told otherwise."""
    return {"time": simulation.time, "report": simulation.report, "positions": simulation.world.positions.copy(),
            "sensors": simulation.sensors}


def _run(simulation, until, measure):
    simulation.set_options(threads=1)
    simulation.run(until=until)
    return measure(simulation)


def _begin(item, until, make):
    """The simulation of an item and the time it runs to."""
    if make is not None:
        item = make(item)
    if isinstance(item, (str, os.PathLike)):
        item = _talus.load(item)
    if isinstance(item, _talus.Scene):
        return item.simulation(), item.duration if until is None else until
    if isinstance(item, _talus.World):
        item = _talus.Simulation(item)
    if not isinstance(item, _talus.Simulation):
        raise TypeError(f"simulate_many takes scenes, files, worlds and simulations, or parameters with make=; "
                        f"not {type(item).__name__}")
    if until is None:
        raise TypeError("simulate_many needs until= for worlds and simulations, which have no duration")
    return item, until


def _one(number, item, until, make, measure):
    try:
        return _run(*_begin(item, until, make), measure)
    except Exception as error:
        if hasattr(error, "add_note"):  # since Python 3.11
            error.add_note(f"(simulate_many: of item {number}, {reprlib.repr(item)})")
        raise


class Bar:
    """A line that says how many are done, and how long the others take if they are like these."""

    WIDTH = 30

    def __init__(self, stream=None, clock=time.monotonic):
        self.stream, self.clock = stream or sys.stderr, clock
        self.begin = clock()

    def __call__(self, done, total):
        filled = self.WIDTH * done // max(total, 1)
        left = (self.clock() - self.begin) * (total - done) / done if done else None
        rest = "" if done == 0 else f", {left:.0f} s left" if done < total else f", {self.clock() - self.begin:.1f} s"
        line = f"[{'#' * filled}{'.' * (self.WIDTH - filled)}] {done} of {total}{rest}"
        self.stream.write(f"\r{line:<{self.WIDTH + 40}}" + ("\n" if done == total else ""))
        self.stream.flush()


def simulate_many(items, *, jobs=None, until=None, make=None, measure=_final, progress=None, processes=False):
    """Runs a simulation for every item and returns what `measure` says of each, in the order of the items.

    Items are scenes, names of scene files, worlds or simulations, or parameters of any kind from which the
    function `make` makes one of these. Each runs until the time `until`, scenes until their own duration
    unless told. measure(simulation) is called at the end; without it the result is a dict of time, report,
    positions and sensors. Simulations are run by `jobs` threads at a time (all processors unless told), each
    on one thread, with the same results for any number. Where Python functions take most of the time,
    `processes=True` uses processes: items, functions and results must then be picklable. `progress` is
    True, False, a function (done, total), or None: a bar in terminals and notebooks.
    """
    items = list(items)
    jobs = os.cpu_count() or 1 if jobs is None else jobs
    if jobs < 1:
        raise _talus.InvalidArgument(f"jobs is {jobs}, it must be at least 1")
    if progress is None:
        progress = sys.stderr.isatty() or pages.in_notebook()
    show = progress if callable(progress) else Bar() if progress else lambda done, total: None
    if isinstance(show, Bar):
        show(0, len(items))
    if processes:
        pool = concurrent.futures.ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    else:
        pool = concurrent.futures.ThreadPoolExecutor(jobs)
    with pool:
        waiting = [pool.submit(_one, number, item, until, make, measure) for number, item in enumerate(items)]
        try:
            for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
                future.result()
                show(done, len(items))
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
    return [future.result() for future in waiting]
