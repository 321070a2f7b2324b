"""Touches everything of objects that no constructor has made; test_package.py runs it as a process that must survive."""

import copy
import inspect
import pickle

import talus


def attempt(call):
    """The exception that a call ends with, if any."""
    try:
        call()
    except Exception as error:
        return error


def assert_uninitialised(error, where):
    assert isinstance(error, TypeError) and "never initialised" in str(error), (where, error)


def bound_classes():
    base = next(kind for kind in talus.World.__mro__ if kind.__name__ == "pybind11_object")
    classes = [kind for _, kind in inspect.getmembers(talus._talus, inspect.isclass) if issubclass(kind, base)]
    hidden = [kind for kind in base.__subclasses__() if kind.__module__.startswith("talus") and kind not in classes]
    assert not hidden, hidden
    return classes


def touch(kind, empty):
    for name in dir(kind):
        if isinstance(inspect.getattr_static(kind, name), property):
            assert_uninitialised(attempt(lambda: getattr(empty, name)), (kind, name))
            attempt(lambda: setattr(empty, name, 0))
        if name in ("__class__", "__init__"):
            continue
        member = getattr(kind, name)
        if callable(member):
            for arguments in [(), (empty,), (empty, 0), (empty, empty), (empty, "a", empty)]:
                attempt(lambda: member(*arguments))
    for use in (repr, str, len, iter, list, bool, hash, lambda e: e[0], lambda e: e["a"], lambda e: e == e):
        attempt(lambda: use(empty))


def hand_over(empty, classes):
    for _, function in inspect.getmembers(talus, inspect.isroutine):
        for arguments in [(empty,), (empty, empty), ([empty],), ([empty], [empty])]:
            attempt(lambda: function(*arguments))
    for kind in classes:
        for arguments in [(empty,), (empty, empty), ("file", empty)]:
            attempt(lambda: kind(*arguments))


def main():
    classes = bound_classes()
    empty = []
    for kind in classes:
        refused = attempt(lambda: kind.__new__(kind))
        if (getattr(kind.__init__, "__wrapped__", kind.__init__).__doc__ or "").startswith("__init__("):
            assert refused is None, (kind, refused)
            empty.append(kind.__new__(kind))
            touch(kind, empty[-1])
        else:
            for error in (refused, attempt(kind)):
                assert isinstance(error, TypeError) and "no constructor" in str(error), (kind, error)
    for each in empty:
        hand_over(each, classes)

    world, problem, solver = (kind.__new__(kind) for kind in (talus.World, talus.ScaledProblem, talus.Solver))
    assert_uninitialised(attempt(lambda: talus.Simulation(world)), "argument")
    assert_uninitialised(attempt(lambda: world.positions), "held by a shared pointer")
    assert_uninitialised(attempt(lambda: problem.velocity([0.0])), "method")
    assert_uninitialised(attempt(lambda: talus.StepOptions(solver=solver)), "option")

    solver_info = talus.SolverInfo("none")  # has no way to be copied
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        error = attempt(lambda: pickle.dumps(solver_info, protocol))
        assert isinstance(error, TypeError) and "cannot pickle" in str(error), (protocol, error)
        assert_uninitialised(attempt(lambda: pickle.dumps(world, protocol)), "pickle")
    assert isinstance(attempt(lambda: copy.copy(solver_info)), TypeError)

    class WithNew(talus.Solver):
        info = talus.SolverInfo("with new")

        def __new__(cls):
            return super().__new__(cls)

    assert WithNew().info.name == "with new"
    print(f"{len(classes)} classes, {len(empty)} with constructors")


main()
