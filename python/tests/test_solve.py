"""Contact problems from arrays and files, every solver on them, and solvers written in Python."""

import numpy as np
import pytest
import scipy.sparse
import talus
from conftest import DATA, random_local


class ProjectedGradient(talus.ConvexSolver):
    """z ← P(z − u / L)."""

    info = talus.SolverInfo("python-pgd", summary="projected gradient descent")

    def minimise(self, problem, z, monitor):
        step = 1 / (1.05 * problem.largest_eigenvalue())
        u = problem.velocity(z)
        while monitor.proceed(z, u):
            problem.project_step(z, step, u, out=z)
            problem.velocity(z, out=u)


class DirectGradient(talus.Solver):
    """The same with Coulomb's tilt added to the velocity in every iteration."""

    info = talus.SolverInfo("python-direct", laws=["coulomb"], friction=["cone"], dimensions=[3], joints=False)

    def run(self, problem, z, monitor):
        step = 0.9 / problem.largest_eigenvalue()
        u = problem.velocity(z)
        while monitor.proceed(z, u):
            tilted = u.copy()
            tilted[0:3 * problem.contacts:3] += problem.tilts(u)
            z[:] = problem.project_step(z, step, tilted)
            u = problem.velocity(z)


@pytest.mark.parametrize("name", talus.solver_names())
def test_every_solver_agrees_or_says_why_not(name, stack_problem):
    for problem in (stack_problem, random_local(1, friction="box"), random_local(2)):
        result = talus.solve(problem, name, tolerance=1e-7, max_iterations=200000, time_limit=20)
        if result.status == "unsupported":
            assert f"{name} does not solve" in result.message
        elif result.status == "converged":
            assert problem.judge(result.x).error <= 1e-7
        else:
            assert result.error > 1e-7


@pytest.mark.parametrize("seed", range(5))
def test_the_answer_satisfies_the_law(seed):
    problem = random_local(seed)
    result = talus.solve(problem, tolerance=1e-10)
    assert result.converged
    W, q = problem.arrays()["W"], problem.arrays()["q"]
    r, u = result.x.reshape(-1, 3), (W @ result.x + q).reshape(-1, 3)
    assert u.ravel() == pytest.approx(result.u, abs=1e-10)
    bound = problem.mu * r[:, 0]
    assert np.all(r[:, 0] >= -1e-8) and np.all(np.linalg.norm(r[:, 1:], axis=1) <= bound + 1e-7)
    assert np.all(u[:, 0] >= -1e-7)
    assert u[:, 0] * r[:, 0] == pytest.approx(np.zeros(4), abs=1e-6)
    power = np.sum(r[:, 1:] * u[:, 1:], axis=1)
    assert power == pytest.approx(-bound * np.linalg.norm(u[:, 1:], axis=1), abs=1e-6)


def test_the_three_models_are_the_same_problem():
    """A ball of mass 2 that slides over a plane at 1 m/s while it falls at 0.1 m/s, mu = 0.3."""
    M, H = np.diag([2.0] * 3), np.eye(3)
    whole = talus.ContactProblem.from_global(M, H, f=M @ [-0.1, 1, 0], w=np.zeros(3), mu=[0.3])
    local = talus.ContactProblem.from_local(scipy.sparse.eye(3) / 2, [-0.1, 1, 0], [0.3])
    rigid = talus.ContactProblem.from_rigid(
        [[0.5, 0, 0, 0, 0, 0, 0]], [1, 0, -0.1, 0, 0, 0], [[-1, 0]], normals=[[0, 0, 1]], tangents=[[1, 0, 0]],
        arms_a=[[0, 0, 0]], arms_b=[[0, 0, 0]], w=[0, 0, 0], mu=[0.3])
    for problem in (whole, local, rigid):
        result = talus.solve(problem, tolerance=1e-12)
        assert result.converged and result.x == pytest.approx([0.2, -0.06, 0], abs=1e-9)
    assert (whole.model, local.model, rigid.model) == ("global", "local", "rigid")
    assert rigid.delassus().toarray() == pytest.approx(np.eye(3) / 2)
    assert rigid.arrays()["M"].toarray() == pytest.approx(M)


def test_linear_complementarity():
    problem = talus.ContactProblem.from_local([[2, 1], [1, 2]], [-5, -6], [0, 0], dimension=1)
    assert talus.solve(problem).x == pytest.approx([4 / 3, 7 / 3])


def test_equality_rows_with_bounds():
    problem = talus.ContactProblem.from_local(
        np.eye(3), [-1, 0, 0], [0], V=np.array([[1.0], [0], [0]]), R=[[2.0]], s=[-1.0], row_lower=[0], row_upper=[0.1])
    result = talus.solve(problem, tolerance=1e-10)
    assert result.converged and 0 <= result.x[3] <= 0.1 + 1e-9
    assert problem.equalities == 1 and list(problem.row_upper) == [0.1]


def test_bounds_of_rows_come_in_pairs():
    rows = dict(V=np.array([[1.0], [0], [0]]), R=[[2.0]], s=[-1.0])
    with pytest.raises(talus.Error, match="row_lower is given without row_upper"):
        talus.ContactProblem.from_local(np.eye(3), [-1, 0, 0], [0], row_lower=[0], **rows)
    with pytest.raises(talus.Error, match="row_lower"):
        talus.ContactProblem.from_local(np.eye(3), [-1, 0, 0], [0], row_lower=[1], row_upper=[0], **rows)
    problem = talus.ContactProblem.from_local(np.eye(3), [-1, 0, 0], [0], **rows)
    problem.row_lower = [0]
    assert list(problem.row_upper) == [np.inf]
    problem.row_upper = [1]
    assert list(problem.row_lower) == [0]
    with pytest.raises(talus.Error):
        problem.row_upper = [-1]
    problem.row_upper = []
    assert len(problem.row_lower) == 0


def test_files_round_trip(tmp_path, stack_problem):
    path = str(tmp_path / "stack.hdf5")
    result = talus.solve(stack_problem)
    stack_problem.save(path, solution=result)
    again = talus.ContactProblem.load(path)
    assert again.contacts == stack_problem.contacts and np.array_equal(again.mu, stack_problem.mu)
    assert again.judge(result.x).error <= 1e-8
    assert talus.ContactProblem.load(path, law="associated", friction="pyramid", mu=0.1).friction == "pyramid"
    with pytest.raises(talus.FileError):
        talus.ContactProblem.load(str(tmp_path / "none.hdf5"))


def test_problem_vectors_change_by_assignment(stack_problem):
    with pytest.raises(ValueError, match="read-only"):
        stack_problem.mu[0] = 1
    stack_problem.mu = np.full(stack_problem.contacts, 0.25)
    assert np.all(stack_problem.mu == 0.25)
    with pytest.raises(talus.InvalidProblem):
        stack_problem.mu = np.full(stack_problem.contacts, -1)
    assert np.all(stack_problem.mu == 0.25)
    stack_problem.friction = "box"
    assert len(stack_problem.normal_estimate) == stack_problem.contacts


def test_invalid_problems_are_refused():
    with pytest.raises(talus.InvalidProblem):
        talus.ContactProblem.from_local(np.eye(3), [0, 0], [0.5])
    with pytest.raises(talus.InvalidProblem):
        talus.ContactProblem.from_local(np.eye(3), [np.nan, 0, 0], [0.5])
    with pytest.raises(talus.InvalidArgument, match="W is not a matrix"):
        talus.ContactProblem.from_local("words", [0, 0, 0], [0.5])
    with pytest.raises(talus.InvalidArgument, match="friction set"):
        talus.ContactProblem.from_local(np.eye(3), [0, 0, 0], [0.5], friction="sponge")


def test_history_and_views(stack_problem):
    result = talus.solve(stack_problem, "apgd", keep_history=True, tolerance=1e-6)
    errors = [record.error for record in result.history]
    assert len(errors) >= result.iterations and min(errors) <= 1e-6
    assert result.x.base is not None and not result.x.flags.writeable
    x = result.x
    del result
    assert stack_problem.judge(x).error <= 1e-6


def test_products_are_limited(stack_problem):
    whole = talus.solve(stack_problem, "nsgs")
    some = talus.solve(stack_problem, "nsgs", max_products=whole.work // 2)
    assert some.status == "product_limit" and some.work < whole.work and some.error > whole.error


def test_warm_starts_and_wrong_sizes(stack_problem):
    cold = talus.solve(stack_problem, "nsgs")
    warm = talus.solve(stack_problem, "nsgs", initial=cold.x)
    assert warm.converged and warm.iterations < cold.iterations
    with pytest.raises(talus.InvalidArgument, match="starting impulses"):
        talus.solve(stack_problem, initial=[1, 2])


@pytest.mark.parametrize("options", [
    {"tolerance": -1}, {"tolerance": float("nan")}, {"time_limit": -1}, {"max_iterations": -1}, {"max_products": -1}, {"threads": -1},
    {"reference_velocity": [1.0], "keep_history": True},
])
def test_options_without_meaning_are_refused(stack_problem, options):
    with pytest.raises(talus.InvalidArgument):
        talus.solve(stack_problem, **options)


def test_a_reference_may_be_the_velocity_of_another_answer(stack_problem):
    exact = talus.solve(stack_problem, tolerance=1e-12)
    result = talus.solve(stack_problem, "nsgs", keep_history=True, reference_velocity=exact.u)
    assert result.history[-1].velocity_error < 1e-6 < result.history[0].velocity_error


@pytest.mark.parametrize("read", [talus.load_scene, talus.ContactProblem.load, talus.Trajectory])
def test_an_empty_path_is_called_so(read):
    with pytest.raises(talus.FileError, match="no name"):
        read("")


def test_options_of_solvers():
    solver = talus.make_solver("apgd")
    assert solver.info.name == "apgd" and "coulomb" in solver.info.laws and solver.options
    name = next(iter(solver.options))
    solver.set_options(**{name: solver.options[name]})
    with pytest.raises(talus.InvalidArgument, match="has no option 'nonsense'; it has: "):
        talus.make_solver("apgd", nonsense=1)
    with pytest.raises(talus.InvalidArgument, match=r"unknown solver 'apgdd' \(did you mean apgd\?\); known: "):
        talus.make_solver("apgdd")


def test_options_are_described():
    solver = talus.make_solver("pgs", omega=1.2)
    described = solver.describe_options()
    assert {name: each.value for name, each in described.items()} == solver.options
    omega, sweep = described["omega"], described["sweep"]
    assert (omega.name, omega.value, omega.range, omega.choices) == ("omega", "1.2", "in (0, 2)", [])
    assert sweep.range == "" and "backward" in sweep.choices and omega.doc and sweep.doc
    assert repr(omega) == "<talus.OptionDescription omega=1.2, in (0, 2)>" and "backward" in repr(sweep)
    with pytest.raises(talus.InvalidArgument, match=r"omega: expected a number in \(0, 2\), got '2.0'"):
        solver.set_options(omega=2.0)


@pytest.mark.parametrize("name", talus.solver_names())
def test_described_choices_are_admitted(name):
    solver = talus.make_solver(name)
    for option in solver.describe_options().values():
        assert not (option.range and option.choices)
        for choice in option.choices:
            solver.set_options(**{option.name: choice})
            assert solver.options[option.name] == choice


@pytest.mark.parametrize("solver", [ProjectedGradient(), DirectGradient()])
def test_python_solvers_solve(solver):
    for seed in range(3):
        problem = random_local(seed)
        mine = talus.solve(problem, solver, tolerance=1e-8)
        theirs = talus.solve(problem, tolerance=1e-10)
        assert mine.converged and mine.products > 0
        assert problem.judge(mine.x).error <= 1e-8
        assert mine.u == pytest.approx(theirs.u, abs=1e-5)


def test_python_solvers_are_judged_like_others(stack_problem):
    class Liar(talus.Solver):
        info = talus.SolverInfo("liar")

        def run(self, problem, z, monitor):
            z[:] = 0

    result = talus.solve(stack_problem, Liar())
    assert not result.converged and result.error == pytest.approx(1)
    assert talus.solve(random_local(0, friction="box"), DirectGradient()).status == "unsupported"


def test_errors_of_python_solvers_come_through(stack_problem):
    class Broken(talus.Solver):
        info = talus.SolverInfo("broken")

        def run(self, problem, z, monitor):
            problem.velocity(z[:-1])

    class Nameless(talus.Solver):
        def run(self, problem, z, monitor):
            pass

    class Empty(talus.Solver):
        info = talus.SolverInfo("empty")

    with pytest.raises(talus.InvalidArgument, match="z must hold"):
        talus.solve(stack_problem, Broken())
    with pytest.raises(talus.InvalidArgument, match="Nameless needs a class attribute `info`"):
        talus.solve(stack_problem, Nameless())
    with pytest.raises(talus.InvalidArgument, match=r"Empty has no method run"):
        talus.solve(stack_problem, Empty())


def test_what_a_python_solver_keeps_expires(stack_problem):
    kept = {}

    class Keeper(talus.Solver):
        info = talus.SolverInfo("keeper")

        def run(self, problem, z, monitor):
            kept.update(problem=problem, z=z, monitor=monitor)

    talus.solve(stack_problem, Keeper())
    kept["z"][:] = 1
    with pytest.raises(RuntimeError, match="a solve that is over"):
        kept["problem"].velocity(kept["z"])
    with pytest.raises(RuntimeError, match="a solve that is over"):
        kept["monitor"].proceed(kept["z"], kept["z"])


def test_scaled_problem_by_itself():
    problem = random_local(3)
    scaled = talus.ScaledProblem(problem)
    z = scaled.project(np.random.default_rng(0).standard_normal(scaled.size))
    assert scaled.velocity(z) == pytest.approx(scaled.matrix() @ z + scaled.free_velocity)
    x = scaled.to_physical(z)
    assert scaled.to_scaled(x) == pytest.approx(z)
    assert scaled.error(z, scaled.velocity(z)) == pytest.approx(problem.judge(x).error)
    assert scaled.error(0 * z, scaled.velocity(0 * z)) == pytest.approx(1)
    with pytest.raises(talus.InvalidArgument, match="another array"):
        scaled.velocity(z, out=z)


def unfit_outs(size):
    """Arrays that cannot be filled as they are, and what is said about them."""
    frozen = np.zeros(size)
    frozen.flags.writeable = False
    unaligned = np.frombuffer(bytearray(8 * size + 1), dtype=np.float64, count=size, offset=1)
    return [
        (np.zeros(size, dtype=np.float32), TypeError, "float32"),
        (np.zeros(size, dtype=np.int64), TypeError, "int64"),
        (np.zeros(size, dtype=">f8"), TypeError, ">f8"),
        ([0.0] * size, TypeError, "list"),
        (np.zeros(2 * size)[::2], ValueError, "strided"),
        (np.zeros(size)[::-1], ValueError, "strided"),
        (unaligned, ValueError, "unaligned"),
        (frozen, ValueError, "read-only"),
        (np.zeros(size + 1), ValueError, f"{size + 1} numbers"),
    ]


@pytest.mark.parametrize("name", ["product", "velocity", "project", "project_step"])
def test_out_is_filled_or_refused(name):
    scaled = talus.ScaledProblem(random_local(3))
    z = np.random.default_rng(0).standard_normal(scaled.size)
    arguments = (z, 0.5, z.copy()) if name == "project_step" else (z,)
    method = getattr(scaled, name)
    expected = method(*arguments)
    out = np.full(scaled.size, np.nan)
    assert method(*arguments, out=out) is out
    assert (out == expected).all()
    for unfit, error, words in unfit_outs(scaled.size):
        with pytest.raises(error, match=words) as raised:
            method(*arguments, out=unfit)
        assert f"C-contiguous NumPy array of {scaled.size} float64" in str(raised.value)
        assert not np.any(unfit)


@pytest.mark.parametrize("name", ["product", "velocity", "project", "project_step"])
def test_out_may_not_overlap_in_part(name):
    scaled = talus.ScaledProblem(random_local(3))
    memory = np.ones(scaled.size + 1)
    z, out = memory[:-1], memory[1:]
    arguments = (z, 0.5, z) if name == "project_step" else (z,)
    with pytest.raises(talus.InvalidArgument, match="another array"):
        getattr(scaled, name)(*arguments, out=out)
    assert (memory == 1).all()


def test_a_solver_cannot_resize_its_iterate(stack_problem):
    class Shrinks(talus.Solver):
        info = talus.SolverInfo("shrinks")

        def run(self, problem, z, monitor):
            z.resize(1, refcheck=False)

    with pytest.raises(talus.InvalidArgument, match="z must hold"):
        talus.solve(stack_problem, Shrinks())


@pytest.mark.parametrize("threads", [-1, 4097, 70000, 2**31 - 1])
def test_thread_counts_out_of_range_are_refused(stack_problem, threads):
    with pytest.raises(talus.InvalidArgument, match=f"threads is {threads}, it must be from 0 .all. to 4096"):
        talus.solve(stack_problem, threads=threads)
    with pytest.raises(talus.InvalidArgument, match="to 4096"):
        talus.compare([stack_problem], ["newton"], threads=threads)
    with pytest.raises(talus.InvalidArgument, match="to 4096"):
        talus.StepOptions(threads=threads)
    with pytest.raises(talus.InvalidArgument, match="to 4096"):
        talus.Simulation(talus.World(), threads=threads)
    options = talus.StepOptions()
    with pytest.raises(talus.InvalidArgument, match="to 4096"):
        options.threads = threads
    assert options.threads == 0


def test_compare_judges_python_solvers_too(tmp_path):
    problem = random_local(4)
    problem.title = "random"
    comparison = talus.compare(
        [str(DATA / "heavy_on_light.hdf5"), problem], ["newton", ProjectedGradient()], tolerances=[1e-3, 1e-6],
        time_limit=5, out=str(tmp_path / "page"))
    assert comparison.solved("newton", 1e-6) == 2
    assert "python-pgd" in comparison.table and "random" in str(comparison)
    runs = [run for run in comparison.runs if run["solver"] == "python-pgd" and run["label"] == "random"]
    assert [run["tolerance"] for run in runs] == [1e-3, 1e-6]
    assert all(run["status"] == "converged" and run["error"] <= run["tolerance"] for run in runs)
    page = (tmp_path / "page" / "index.html").read_text()
    assert "python-pgd" in page and "<svg" in page
    with pytest.raises(talus.InvalidArgument, match="two solvers are named"):
        talus.compare([problem], ["newton", "newton"])
    with pytest.raises(talus.Error, match="nowhere"):
        talus.compare(["nowhere.hdf5"], ["newton"])


def test_contacts_with_moments_have_five_or_six_entries():
    for dimension in (5, 6):
        q = np.zeros(dimension)
        q[0], q[3] = -1, 0.5
        spinning = [0.1] if dimension == 6 else None
        problem = talus.ContactProblem.from_local(
            np.eye(dimension), q, [0.3], dimension, rolling=[0.2], spinning=spinning)
        assert problem.friction == "rolling"
        result = talus.solve(problem, tolerance=1e-12)
        assert result.status == "converged"
        assert result.x[0] == pytest.approx(1)
        assert result.x[3] == pytest.approx(-0.2)
    with pytest.raises(talus.InvalidProblem, match="rolling has 0 entries"):
        talus.ContactProblem.from_local(np.eye(5), np.zeros(5), [0.3], 5)
    assert talus.solve(problem, solver="lemke").status == "unsupported"


def test_the_plane_has_contacts_with_a_rolling_moment():
    # A disc of 2 kg and radius 0.3 m on a line: pushed by 0.6 N s it rolls, slowed by the moment.
    mass, radius, push, rolling = 2.0, 0.3, 0.6, 0.03
    inertia = mass * radius**2 / 2
    problem = talus.ContactProblem.from_global(
        np.diag([mass, mass, inertia]),
        np.array([[0, 1, 0], [1, 0, 0], [0, radius, 1.0]]), f=[push, -1, 0], w=np.zeros(3),
        mu=[0.8], dimension=3, rolling=[rolling])
    assert problem.friction == "rolling"
    speed = (push - rolling / radius) / (mass + inertia / radius**2)
    for solver in ("auto", "nsgs", "newton", "conic-ip"):
        law = "associated" if solver == "conic-ip" else "coulomb"
        problem.law = law
        result = talus.solve(problem, solver, tolerance=1e-10)
        assert result.converged, solver
        if law == "coulomb":
            assert result.v[0] == pytest.approx(speed)
    assert talus.solve(problem, "pgs").status == "unsupported"


def test_rigid_problems_take_lengths_of_rolling_friction():
    # A ball of 1 kg and radius 1 m that spins about the normal of the floor.
    arms = {"arms_a": [[0, 0, 0]], "arms_b": [[0, 0, -1]]}
    problem = talus.ContactProblem.from_rigid(
        [[1, 2.5, 0, 0, 2.5, 0, 2.5]], [0, 0, -1, 0, 0, 3], [[-1, 0]], [[0, 0, 1]], [[1, 0, 0]],
        w=np.zeros(6), mu=[0.5], rolling=[0.1], spinning=[0.2], **arms)
    assert problem.dimension == 6
    result = talus.solve(problem, tolerance=1e-12)
    assert result.v == pytest.approx([0, 0, 0, 0, 0, 3 - 2.5 * 0.2])
