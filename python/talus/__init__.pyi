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

# Made by python/tools/make_stubs.py; a test compares both.

import os
from typing import Any, Callable, Iterator, Optional, Union

import numpy
from numpy.typing import ArrayLike

__version__: str


class Bearing:
    """Friction of a joint in proportion to the force it carries."""
    def __init__(self, friction: float, radius: float = 0.0) -> None:
        """An effort of up to friction · radius · force (N m), of a prismatic joint of up to friction · force (N)."""
    @property
    def friction(self) -> float:
        """Coefficient."""
    @property
    def radius(self) -> float:
        """Of the shaft, m."""


class Body:
    """The properties of a body that no step changes, as a copy."""
    def __repr__(self) -> str: ...
    @property
    def mass(self) -> float:
        """kg; 0 for fixed and kinematic bodies without one."""
    @property
    def moments(self) -> numpy.ndarray:
        """Principal moments of inertia, kg m²."""
    @property
    def motion(self) -> str:
        """"dynamic", "fixed" or "kinematic"."""
    @property
    def name(self) -> str:
        """Its name."""
    @property
    def reference(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """The frame the shapes were given in, seen from the body frame."""
    @property
    def removed(self) -> bool:
        """Whether it was taken away (remove_body)."""
    @property
    def shapes(self) -> list:
        """[(shape, pose in the body frame), ...]."""


class Bushing:
    """Stiffness and damping of a bushing in six directions."""
    def __init__(self, stiffness: ArrayLike, damping: ArrayLike = (0, 0, 0), angular_stiffness: ArrayLike = (0, 0, 0), angular_damping: ArrayLike = (0, 0, 0)) -> None:
        """Along x, y, z of the joint frame (N/m, N s/m) and about them (N m/rad, N m s/rad)."""


class Camera:
    """Where a picture is taken from."""
    def __init__(self, eye: ArrayLike, target: ArrayLike = (0, 0, 0), up: ArrayLike = (0, 0, 1), field_of_view: float = 40.0) -> None:
        """From `eye` to `target` (m); field_of_view is the angle from the lowest to the highest row, degrees."""
    def __repr__(self) -> str: ...
    @property
    def eye(self) -> numpy.ndarray:
        """m."""
    @eye.setter
    def eye(self, value: ArrayLike) -> None: ...
    @property
    def field_of_view(self) -> float:
        """Of the height, degrees."""
    @field_of_view.setter
    def field_of_view(self, value: float) -> None: ...
    @property
    def target(self) -> numpy.ndarray:
        """What is in the middle, m."""
    @target.setter
    def target(self, value: ArrayLike) -> None: ...
    @property
    def up(self) -> numpy.ndarray:
        """What is up in the picture."""
    @up.setter
    def up(self, value: ArrayLike) -> None: ...


class Cohesion:
    """How contacts of a material pull."""
    def __init__(self, force: float = 0.0, stress: float = 0.0, range: float = 0.0, heals: bool = True) -> None:
        """A force (N) of each pair of touching shapes, a stress (Pa) on the area between their contact points, the gap (m) up to which they still pull, and whether they stick again after they came apart."""
    @property
    def force(self) -> float:
        """N."""
    @property
    def heals(self) -> bool:
        """Whether it sticks again."""
    @property
    def range(self) -> float:
        """m."""
    @property
    def stress(self) -> float:
        """Pa."""


class Comparison:
    """Every solver on every problem, judged alike."""
    def __str__(self) -> str: ...
    @property
    def runs(self) -> list:
        """One dictionary per run: problem, label, solver, tolerance, status, iterations, products, error, seconds, ..."""
    def solved(self, solver: str, tolerance: float) -> int:
        """Number of problems solved."""
    @property
    def table(self) -> str:
        """What `talus compare` prints."""


class Contact:
    """One contact of a step."""
    def __repr__(self) -> str: ...
    @property
    def bodies(self) -> tuple[int, int]:
        """The two bodies, a and b."""
    @property
    def force(self) -> numpy.ndarray:
        """On b, mean over the step, in world axes, N."""
    @property
    def friction_force(self) -> numpy.ndarray:
        """Part of the force across the normal, N."""
    @property
    def gap(self) -> float:
        """m; negative when penetrating."""
    @property
    def impulse(self) -> numpy.ndarray:
        """On b, in world axes, N s."""
    @property
    def names(self) -> tuple[str, str]:
        """Names of the two bodies."""
    @property
    def normal(self) -> numpy.ndarray:
        """Unit vector from a to b."""
    @property
    def normal_force(self) -> float:
        """Part of the force along the normal, N."""
    @property
    def point(self) -> numpy.ndarray:
        """Midway between the surfaces, at the start of the step."""


class ContactProblem:
    """K ∋ r ⊥ û ∈ K*: what a file holds, what a time step builds, what every solver solves. Make one with from_local, from_global, from_rigid or load."""
    def __repr__(self) -> str: ...
    def arrays(self) -> dict:
        """The model's matrices (SciPy) and vectors by name: W, q, V, R, s of a local problem; M, H, f, w, G, b of the others."""
    @property
    def compliance(self) -> numpy.ndarray:
        """Diagonal compliance E, or empty."""
    @compliance.setter
    def compliance(self, value: ArrayLike) -> None: ...
    @property
    def contacts(self) -> int:
        """Number of contacts."""
    def delassus(self) -> Any:
        """N as a sparse matrix. It fills up where many contacts share a body."""
    @property
    def description(self) -> str:
        """For people."""
    @description.setter
    def description(self, value: str) -> None: ...
    @property
    def dimension(self) -> int:
        """3, 2, or 1 for an LCP; with moments 5 or 6, or 3 in the plane."""
    @property
    def dofs(self) -> int:
        """Length of v; 0 for a local model."""
    @property
    def equalities(self) -> int:
        """Number of equality rows."""
    def free_velocity(self) -> numpy.ndarray:
        """q̄, the velocity at zero impulses."""
    @property
    def friction(self) -> str:
        """"none", "box", "pyramid", "prism:m", "polyhedron:m", "cylinder" or "cone"; "rolling" with moments."""
    @friction.setter
    def friction(self, value: str) -> None: ...
    @staticmethod
    def from_global(M: Any, H: Any, f: ArrayLike, w: ArrayLike, mu: ArrayLike, dimension: int = 3, *, G: Any = None, b: Optional[ArrayLike] = None, law: str = 'coulomb', friction: str = 'cone', compliance: Optional[ArrayLike] = None, row_lower: Optional[ArrayLike] = None, row_upper: Optional[ArrayLike] = None, normal_estimate: Optional[ArrayLike] = None, title: str = '', rolling: Optional[ArrayLike] = None, spinning: Optional[ArrayLike] = None) -> ContactProblem:
        """M v = H r + G l + f, u = Hᵀ v + w, 0 = Gᵀ v + b."""
    @staticmethod
    def from_local(W: Any, q: ArrayLike, mu: ArrayLike, dimension: int = 3, *, V: Any = None, R: Any = None, s: Optional[ArrayLike] = None, U: Any = None, law: str = 'coulomb', friction: str = 'cone', compliance: Optional[ArrayLike] = None, row_lower: Optional[ArrayLike] = None, row_upper: Optional[ArrayLike] = None, normal_estimate: Optional[ArrayLike] = None, title: str = '', rolling: Optional[ArrayLike] = None, spinning: Optional[ArrayLike] = None) -> ContactProblem:
        """u = W r + V l + q, 0 = Vᵀ r + R l + s. Matrices are dense or sparse; impulses come contact by contact, normal first. dimension 1 is a linear complementarity problem; dimension 5 or 6 has rolling and spinning moments, whose lengths are given in rolling and spinning; dimension 3 with rolling is the plane with a rolling moment."""
    @staticmethod
    def from_rigid(inverse_mass: ArrayLike, free_velocity: ArrayLike, bodies: ArrayLike, normals: ArrayLike, tangents: ArrayLike, arms_a: ArrayLike, arms_b: ArrayLike, w: ArrayLike, mu: ArrayLike, *, law: str = 'coulomb', friction: str = 'cone', title: str = '', rolling: Optional[ArrayLike] = None, spinning: Optional[ArrayLike] = None) -> ContactProblem:
        """Rigid bodies: a row (1/mass, inverse inertia xx, xy, xz, yy, yz, zz) and six velocities per body; two bodies (-1: the world), frame, arms and free velocity w per contact. With the lengths of rolling and spinning friction, w has six entries per contact."""
    def judge(self, x: ArrayLike) -> Quality:
        """The quality of impulses and multipliers x = (r, l)."""
    @property
    def law(self) -> str:
        """"coulomb" or "associated"."""
    @law.setter
    def law(self, value: str) -> None: ...
    @staticmethod
    def load(path: Union[str, os.PathLike], law: Optional[str] = None, friction: Optional[str] = None, mu: Optional[float] = None) -> ContactProblem:
        """Reads an FCLIB file (HDF5) or a Siconos LCP, MLCP or rolling text file; law, friction and mu replace what it says."""
    @property
    def model(self) -> str:
        """"local", "global" or "rigid"."""
    @property
    def mu(self) -> numpy.ndarray:
        """Friction coefficient of each contact."""
    @mu.setter
    def mu(self, value: ArrayLike) -> None: ...
    @property
    def normal_estimate(self) -> numpy.ndarray:
        """Normal impulses that bound friction in fixed-bound sets."""
    @normal_estimate.setter
    def normal_estimate(self, value: ArrayLike) -> None: ...
    @property
    def rolling(self) -> numpy.ndarray:
        """Length of rolling friction of each contact, or empty."""
    @rolling.setter
    def rolling(self, value: ArrayLike) -> None: ...
    @property
    def row_lower(self) -> numpy.ndarray:
        """Lower bounds of the multipliers, or empty; setting them alone leaves no upper bounds."""
    @row_lower.setter
    def row_lower(self, value: ArrayLike) -> None: ...
    @property
    def row_upper(self) -> numpy.ndarray:
        """Upper bounds of the multipliers, or empty; setting them alone leaves no lower bounds."""
    @row_upper.setter
    def row_upper(self, value: ArrayLike) -> None: ...
    def save(self, path: Union[str, os.PathLike], solution: SolveResult = None) -> None:
        """Writes an FCLIB file, with the answer of a solve if given."""
    @property
    def size(self) -> int:
        """Length of x = (r, l)."""
    @property
    def spinning(self) -> numpy.ndarray:
        """Length of spinning friction of each contact, or empty."""
    @spinning.setter
    def spinning(self, value: ArrayLike) -> None: ...
    @property
    def title(self) -> str:
        """For people."""
    @title.setter
    def title(self, value: str) -> None: ...


class Contacts:
    """The contacts of a step: iterate over them, or take arrays of all."""
    def __iter__(self) -> Iterator[Contact]: ...
    def __getitem__(self, index: int) -> Contact: ...
    def __len__(self) -> int: ...
    @property
    def bodies(self) -> numpy.ndarray:
        """(n, 2): a and b."""
    @property
    def forces(self) -> numpy.ndarray:
        """(n, 3): on b, means over the step, in world axes, N."""
    @property
    def gaps(self) -> numpy.ndarray:
        """(n,): m, negative when penetrating."""
    @property
    def impulses(self) -> numpy.ndarray:
        """(n, 3): on b, in world axes, N s."""
    @property
    def names(self) -> list[tuple[str, str]]:
        """[(a, b), ...]: names of the bodies."""
    @property
    def normals(self) -> numpy.ndarray:
        """(n, 3): unit vectors from a to b."""
    @property
    def points(self) -> numpy.ndarray:
        """(n, 3): midway between the surfaces, at the start of the step."""


class ConvexSolver(Solver):
    """Base of solvers of min ½ z'Nz + q'z over K: define minimise(self, problem, z, monitor) as for Solver.run, and Coulomb's law is reached through the fixed point on the tilt."""
    def __init__(self) -> None: ...


class Decomposition:
    """A mesh as convex parts, and how good they are."""
    @property
    def hull_volume(self) -> float:
        """Of all parts, m³."""
    @property
    def hulls(self) -> list[Shape]:
        """The parts as shapes in the frame of the mesh."""
    @property
    def parts(self) -> int:
        """How many."""
    @property
    def shape(self) -> Shape:
        """The parts as one shape, with the mass properties of the mesh."""
    @property
    def volume(self) -> float:
        """Of the mesh, m³."""
    @property
    def volume_error(self) -> float:
        """hull_volume / volume - 1."""


class Drag:
    """How a body resists being moved: force -(linear + quadratic |u|) u for its velocity u relative to the wind, torque -angular times its angular velocity."""
    def __init__(self, *, linear: float = 0.0, quadratic: float = 0.0, angular: float = 0.0, coefficient: Optional[float] = None, area: Optional[float] = None) -> None:
        """N s/m, N s²/m², N m s; coefficient and area (m²) replace what fluids take by default."""
    @property
    def angular(self) -> float:
        """N m s."""
    @property
    def area(self) -> Optional[float]:
        """m², in fluids; None: of the ball of equal volume."""
    @property
    def coefficient(self) -> Optional[float]:
        """In fluids; None: the fluid's."""
    @property
    def linear(self) -> float:
        """N s/m."""
    @property
    def quadratic(self) -> float:
        """N s²/m²."""


class Error(Exception):
    """Base of everything Talus raises on purpose."""


class FileError(Error, OSError):
    """A file that cannot be read or written, or is not what its format promises."""


class Formula:
    """A formula in text, as scene files have them: + - * / ^, sin cos exp log sqrt abs min max, pi, and variables."""
    def __init__(self, text: str, variables: list[str] = ['t']) -> None:
        """Raises ValueError that names the column."""
    def __call__(self, *args: Any) -> float:
        """The value for values of the variables, in their order."""


class Frame:
    """One recorded step."""
    @property
    def angular_velocities(self) -> numpy.ndarray:
        """(n, 3)."""
    @property
    def contact_forces(self) -> numpy.ndarray:
        """Resultant of the contacts on every body, N, (n, 3)."""
    @property
    def contact_torques(self) -> numpy.ndarray:
        """About the centres of mass, N m, (n, 3)."""
    @property
    def contacts(self) -> Contacts:
        """Of the step that led to the frame."""
    @property
    def joint_forces(self) -> numpy.ndarray:
        """On the second bodies, in the joint frames, N, (joints, 3)."""
    @property
    def joint_positions(self) -> numpy.ndarray:
        """rad or m, (joints,)."""
    @property
    def joint_torques(self) -> numpy.ndarray:
        """About the joints' origins, N m, (joints, 3)."""
    @property
    def joint_velocities(self) -> numpy.ndarray:
        """rad/s or m/s, (joints,)."""
    @property
    def motor_efforts(self) -> numpy.ndarray:
        """N m or N, (joints,)."""
    @property
    def orientations(self) -> numpy.ndarray:
        """Quaternions, (n, 4)."""
    @property
    def positions(self) -> numpy.ndarray:
        """Centres of mass, (n, 3)."""
    @property
    def step(self) -> int:
        """0 for the initial state."""
    @property
    def time(self) -> float:
        """s."""
    @property
    def velocities(self) -> numpy.ndarray:
        """(n, 3)."""


class InvalidArgument(Error, ValueError):
    """An argument or option outside its range, or an unknown name."""


class InvalidProblem(Error, ValueError):
    """A contact problem whose data contradict each other or are not finite."""


class IterationRecord:
    """One iteration of a solve."""
    @property
    def active_set_changes(self) -> int:
        """Since the last record."""
    @property
    def boundary(self) -> int:
        """Contacts on the boundary of K (sliding)."""
    @property
    def complementarity(self) -> float:
        """Largest |r·û + support| of a contact, J."""
    @property
    def error(self) -> float:
        """The measure driven to the tolerance."""
    @property
    def interior(self) -> int:
        """Contacts inside K (sticking)."""
    @property
    def iteration(self) -> int:
        """0 is the start."""
    @property
    def note(self) -> str:
        """Why a method switched or restarted."""
    @property
    def objective(self) -> float:
        """½ x'N x + q̄'x."""
    @property
    def outer_iteration(self) -> int:
        """Of the Coulomb fixed point."""
    @property
    def products(self) -> int:
        """With N, so far."""
    @property
    def seconds(self) -> float:
        """Since the start, recording excluded."""
    @property
    def separated(self) -> int:
        """Contacts with zero impulse."""
    @property
    def velocity_error(self) -> float:
        """Against the reference; -1 without one."""


class Joint:
    """A joint between two bodies; a copy."""
    def __repr__(self) -> str: ...
    @property
    def bodies(self) -> tuple[int, int]:
        """The two bodies; -1 is the ground."""
    @property
    def name(self) -> str:
        """Its name."""
    @property
    def type(self) -> str:
        """"revolute", "spherical", ..."""


class Model:
    """What a world consists of: counts, names, masses; a table in a notebook. Made by World.model()."""
    def __init__(self, world: Any) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""
    @property
    def counts(self) -> Any:
        """How many of what, {name: number}."""
    @property
    def total_mass(self) -> Any:
        """Of the dynamic bodies, kg."""


class Monitor:
    """The referee of a running solver: measures iterates and says when to stop."""
    def count_iteration(self) -> bool:
        """Counts an iteration without measuring; False at a limit."""
    @property
    def error(self) -> float:
        """At the last measure."""
    @property
    def iterations(self) -> int:
        """Counted so far."""
    def measure(self, z: ArrayLike, u: ArrayLike) -> bool:
        """Measures without counting an iteration."""
    def note(self, text: str) -> None:
        """A remark for the next record of the history."""
    def proceed(self, z: ArrayLike, u: ArrayLike) -> bool:
        """Measures the iterate z with u = velocity(z) and counts it; False when it is time to stop."""
    def stall(self, reason: str) -> None:
        """Says why the method cannot go on; return afterwards."""
    @property
    def tolerance(self) -> float:
        """What is driven to."""


class Motor:
    """Drives the coordinate of a joint."""
    def __init__(self, *, speed: Optional[float] = None, position: Optional[float] = None, target: Optional[Union[Callable[..., Any], list[tuple[float, float]]]] = None, mode: str = 'speed', max_effort: Union[float, Union[Callable[..., Any], list[tuple[float, float]]]] = float('inf'), time_constant: float = 0.0, stiffness: float = 0.0, damping: float = 0.0, curve: Optional[tuple[float, float]] = None, level: float = 1.0) -> None:
        """One of speed (rad/s or m/s), position (rad, in scene files degrees, or m) and target, a function of the time or a table [(time, value), ...] whose value is a speed or, with mode="position", a position. It is followed as far as max_effort (N m or N; a number, a function of the time or a table) allows; positions are approached within time_constant (s). With gains it is a servo: stiffness (target - q) - damping q̇ for positions, damping (target - q̇) for speeds. curve = (stall, speed) instead: the effort falls from stall at rest to 0 at speed; level scales what the motor is fed with."""
    @property
    def damping(self) -> float:
        """N m s/rad or N s/m."""
    @property
    def max_effort(self) -> float:
        """N m or N; infinite if given in time."""
    @property
    def mode(self) -> str:
        """"speed" or "position"."""
    @property
    def stiffness(self) -> float:
        """N m/rad or N/m."""
    @property
    def target(self) -> float:
        """rad/s, m/s, rad or m; 0 if it is given in time."""
    @property
    def time_constant(self) -> float:
        """s."""


class NamedArray(numpy.ndarray):
    """An array with a name for each of its entries: values["hinge"], values[["hip", "knee"]]."""
    def __getitem__(self, key: Any) -> Any:
        """Return self[key]."""
    def to_dict(self) -> Any:
        """{name: value}."""


class NonFiniteState(Error, ArithmeticError):
    """A state, force or prescribed motion that is not finite."""


class OptionDescription:
    """An option of a solver, as it stands."""
    def __repr__(self) -> str: ...
    @property
    def choices(self) -> list[str]:
        """Names to choose from; empty for all else."""
    @property
    def doc(self) -> str:
        """What it does."""
    @property
    def name(self) -> str:
        """As a keyword of make_solver and set_options."""
    @property
    def range(self) -> str:
        """Where a number may lie: "> 1", "≥ 0" or "in (0, 1]"; empty for all else."""
    @property
    def value(self) -> str:
        """As text."""


class Overlap:
    """Two bodies that lie in each other."""
    def __repr__(self) -> str: ...
    @property
    def bodies(self) -> tuple[int, int]:
        """The two bodies, the smaller number first."""
    @property
    def depth(self) -> float:
        """Of the deepest contact of the two, m."""


class Quality:
    """How good an answer is, computed from the answer alone."""
    def __repr__(self) -> str: ...
    @property
    def complementarity(self) -> float:
        """How far from orthogonal both are."""
    @property
    def dual(self) -> float:
        """Distance of the velocities from K*."""
    @property
    def error(self) -> float:
        """Scale-free; 1 for zero impulses."""
    @property
    def error_fclib(self) -> float:
        """FCLIB's measure, for comparison."""
    @property
    def momentum(self) -> float:
        """Error of the momentum balance."""
    @property
    def objective(self) -> float:
        """½ x'N x + q̄'x."""
    @property
    def primal(self) -> float:
        """Distance of the impulses from K."""
    @property
    def resolution(self) -> float:
        """What rounding of the impulses hides."""
    @property
    def violation(self) -> float:
        """Of the worst contact, m/s."""


class RayHit:
    """What a ray meets first."""
    def __repr__(self) -> str: ...
    @property
    def body(self) -> int:
        """Number of the body."""
    @property
    def distance(self) -> float:
        """From the origin of the ray, m."""
    @property
    def normal(self) -> numpy.ndarray:
        """Of the surface, unit, against the ray."""
    @property
    def point(self) -> numpy.ndarray:
        """In the world, m."""
    @property
    def shape(self) -> int:
        """Number of the shape among those of the body."""


class Recorder:
    """Writes the files of a run: trajectory.h5, steps.csv, paraview/. With a scene also a checkpoint. Use it in a `with` block and call record() after every step."""
    def __init__(self, folder: Union[str, os.PathLike], simulation: Simulation, scene: Scene = None, *, title: str = '', every: int = 5, formats: list[str] = ['trajectory', 'csv']) -> None:
        """Makes the folder and its files, and records the present state. With a scene, a simulation that has made steps goes on with the folder's files instead."""
    def __enter__(self) -> Recorder: ...
    def __exit__(self, *args: Any) -> None: ...
    def finish(self) -> None:
        """Records the last step too and closes all files."""
    def flush(self) -> None:
        """Waits until all that was recorded is in the files."""
    def record(self) -> None:
        """Takes the last step in; a frame every `every` steps."""


class Run:
    """Steps of a simulation: their reports as columns, and the frames recorded of them, if any.

    Made by Simulation.run() and Simulation.record(), and of a folder of `talus run --out` by Run(folder)."""
    def __init__(self, folder: Any) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""
    def __enter__(self) -> Any:
        ...
    def __exit__(self, *_: Any) -> Any:
        ...
    def __getitem__(self, name: Any) -> Any:
        """One column of the steps or of the sensors."""
    def __len__(self) -> Any:
        ...
    @property
    def columns(self) -> Any:
        """What every step has reported, {name: array}: time, contacts, error, kinetic_energy, ... (docs/output.md)."""
    @property
    def folder(self) -> Any:
        """Where the frames are (a pathlib.Path), or None when nothing was recorded."""
    def live(self, height: Any = 540) -> Any:
        """A view that follows the run while it goes on; served to this machine alone."""
    def plot(self, *quantities: Any, axes: Any = None) -> Any:
        """Plots columns over the time, and answers the figure of matplotlib.

        Without names: energies, contacts, the error of the solves and the penetration. Names are those of
        columns and sensors; a list of names shares one plot: run.plot("contacts", ["scale.force_x", "scale.force_z"])."""
    @property
    def sensors(self) -> Any:
        """What the sensors read after every step, {name: array}; of recorded runs."""
    def show(self, height: Any = 540, every: Any = None, contacts: Any = True, live: Any = False) -> Any:
        """Shows the recorded frames in 3D: in the cell of a notebook, elsewhere in the browser.

        Every `every`-th frame is kept, as many as fit some 24 MB unless told. With live=True the view follows
        the run while it goes on."""
    def stop(self) -> Any:
        """Ends the recording: the last step is recorded too, and the files are closed."""
    def summary(self) -> Any:
        """What one wants to know of the run, {name: value}."""
    @property
    def trajectory(self) -> Any:
        """The recorded frames, a talus.Trajectory."""
    def view(self, height: Any = 540, every: Any = None, contacts: Any = True) -> Any:
        """An interactive 3D view of the recorded frames, as an object that notebooks display and save(path) writes."""


class ScaledProblem:
    """A contact problem in the variables z = x / √rho, in which every diagonal block of N has mean 1 and the error is |z − P(z − û)| / |P(−q̂)|."""
    def __init__(self, problem: ContactProblem) -> None:
        """Copies the problem and builds its operator."""
    @property
    def contacts(self) -> int:
        """Number of contacts."""
    @property
    def dimension(self) -> int:
        """Entries per contact."""
    @property
    def equalities(self) -> int:
        """Equality rows."""
    def error(self, z: ArrayLike, u: ArrayLike, measure: str = 'talus') -> float:
        """The error at z, given u = velocity(z)."""
    @property
    def free_velocity(self) -> numpy.ndarray:
        """q, the scaled velocity at z = 0."""
    def freeze_tilt(self, tilt: ArrayLike) -> None:
        """Fixes the tilt of each contact, which leaves a convex problem."""
    @property
    def friction(self) -> str:
        """The friction set."""
    @property
    def is_tilted(self) -> bool:
        """Whether the law is Coulomb's on a cone-shaped set."""
    def largest_eigenvalue(self, iterations: int = 20) -> float:
        """Of N, by power iteration; counts its products."""
    @property
    def law(self) -> str:
        """The law."""
    def matrix(self) -> Any:
        """The scaled N as a sparse matrix."""
    @property
    def mu(self) -> numpy.ndarray:
        """Friction coefficients."""
    def objective(self, z: ArrayLike, u: ArrayLike) -> float:
        """½ z'Nz + q'z from u = velocity(z)."""
    def product(self, z: ArrayLike, out: Optional[numpy.ndarray] = None) -> numpy.ndarray:
        """N z; counts one product."""
    @property
    def products(self) -> int:
        """Products counted so far."""
    def project(self, x: ArrayLike, out: Optional[numpy.ndarray] = None) -> numpy.ndarray:
        """P_K(x), contact by contact."""
    def project_step(self, x: ArrayLike, step: float, g: ArrayLike, out: Optional[numpy.ndarray] = None) -> numpy.ndarray:
        """P_K(x − step g)."""
    @property
    def reference(self) -> float:
        """Denominator of the error."""
    def release_tilt(self) -> None:
        """Ends freeze_tilt."""
    @property
    def scale(self) -> numpy.ndarray:
        """√rho of each contact and equality row."""
    @property
    def size(self) -> int:
        """Length of z."""
    def tilts(self, u: ArrayLike) -> numpy.ndarray:
        """σ(u_t) of each contact: what Coulomb's law adds to its normal velocity."""
    def to_physical(self, z: ArrayLike) -> numpy.ndarray:
        """Scaled variables z as impulses x."""
    def to_scaled(self, x: ArrayLike) -> numpy.ndarray:
        """Impulses x as scaled variables z."""
    def velocity(self, z: ArrayLike, out: Optional[numpy.ndarray] = None) -> numpy.ndarray:
        """u = N z + q, the gradient at z; counts one product."""


class Scene:
    """A scene file turned into a world."""
    @property
    def description(self) -> str:
        """The world as JSON text, independent of the scene file; scene_from_description() reads it."""
    @property
    def duration(self) -> float:
        """Simulated time, s."""
    @property
    def options(self) -> StepOptions:
        """How to step; a copy."""
    def simulation(self, **kwargs: Any) -> Simulation:
        """A simulation of the scene from its start; keywords replace options of the scene."""
    @property
    def title(self) -> str:
        """For people."""
    @property
    def warnings(self) -> list[str]:
        """What of included models was left out, with file and line."""
    @property
    def world(self) -> World:
        """The world; simulations copy it, so change it before making one."""


class Separation:
    """The distance between two bodies."""
    def __repr__(self) -> str: ...
    @property
    def distance(self) -> float:
        """m; negative for the depth of an overlap, inf if one has no shapes."""
    @property
    def normal(self) -> numpy.ndarray:
        """From the first to the second, unit; zero where a surface is crossed."""
    @property
    def point_a(self) -> numpy.ndarray:
        """The closest point of the first, m."""
    @property
    def point_b(self) -> numpy.ndarray:
        """The closest point of the second, m."""
    @property
    def shapes(self) -> tuple[int, int]:
        """Numbers of the two shapes among those of the bodies."""


class Shape:
    """Immutable geometry, shared between bodies. Metres."""
    def mass_properties(self, density: float = 1000.0) -> tuple:
        """(mass, centre of mass, inertia about it) for a density in kg/m³."""
    @property
    def type(self) -> str:
        """"sphere", "box", ..."""
    @property
    def union_volume(self) -> Optional[tuple[float, float, float]]:
        """Of a clump (volume of the union, sum of the parts' volumes, estimated relative error of the first), else None."""


class Simulation:
    """A world that moves, step by step."""
    def __init__(self, world: World, options: Optional[StepOptions] = None, **kwargs: Any) -> None:
        """Copies the world. Options come from a StepOptions, single ones as keywords: Simulation(world, step=1/500, solver="nsgs")."""
    def __repr__(self) -> str: ...
    def add_sensor(self, name: str, type: str, **kwargs: Any) -> None:
        """A reading with a name, of a type of docs/scene.md: add_sensor("push", "contact_force", body="plate", other="block"). Keys: body, other (names, numbers, lists of them, or "grain*"), joint, between, points, point, normal, box=(min, max), forward, radius."""
    def animate(self, until: Any, path: Any, *, fps: Any = 30, speed: Any = 1.0, width: Any = 640, height: Any = 480, camera: Any = None, **settings: Any) -> Any:
        """Steps until the time `until` and writes an animated PNG, which browsers play: `fps` pictures per second, at
        `speed` times real time. The camera stays where it is; settings are those of render(). Answers the Run."""
    def closest(self, a: Any, b: Any) -> Any:
        """The distance between two bodies, whether or not they may touch, with their closest points: a
        Separation. Of meshes and height fields the surface counts. (The same as World.closest().)"""
    def closest_to(self, point: Any, body: Any) -> Any:
        """The same between a point and a body; point_a is the point. (The same as World.closest_to().)"""
    def contact_force(self, body: Union[Union[int, str], list[Union[int, str]]], other: Optional[Union[Union[int, str], list[Union[int, str]]]] = None) -> tuple[numpy.ndarray, numpy.ndarray]:
        """(force, torque) of the contacts on a body in the last step, of those with `other` alone if given: N, and N m about its centre of mass, in world axes. Either may be a list of bodies: contacts inside a group do not count, and the torque is about the origin."""
    def contact_forces(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """(forces, torques) of the contacts on every body, each of shape (bodies, 3)."""
    @property
    def contacts(self) -> Contacts:
        """Of the last step, with their impulses."""
    @property
    def given_efforts(self) -> Any:
        """Efforts that the user gives the joints, N m or N, (joints,). Can be set, from now on."""
    def joint_efforts(self, joint: Union[int, str]) -> dict[str, float]:
        """What acts along the coordinate of a joint, N or N m: motor, spring, limit, friction, armature."""
    def joint_force(self, joint: Union[int, str]) -> tuple[numpy.ndarray, numpy.ndarray]:
        """(force, torque) of a joint on its second body in the last step, about the joint's origin and in the axes of the joint frame on the first one."""
    def joint_forces(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """(forces, torques) of every joint as joint_force() gives them, each of shape (joints, 3)."""
    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, in the order of the arrays below."""
    @property
    def joint_positions(self) -> Any:
        """Coordinates of the joints, rad or m, (joints,). Can be set, from an array (NaN: as it is) or a dict of names: what hangs on the joint moves along. Changing entries of the array does nothing."""
    def joint_state(self, joint: Any) -> Any:
        """What a joint does now, as a dict: position (rad or m), velocity, effort of its motor (N m or N), and force and
        torque of the joint on its second body, in the joint frame."""
    @property
    def joint_velocities(self) -> Any:
        """How fast they change, rad/s or m/s, (joints,). Can be set in the same way."""
    @property
    def keyframes(self) -> Any:
        """States with names, {name: SimulationState}: save_keyframe() adds one, reset() goes to one."""
    @property
    def motor_efforts(self) -> Any:
        """Efforts of the motors in the last step, N m or N, (joints,)."""
    @property
    def motor_targets(self) -> Any:
        """Target positions or velocities of the motors, (joints,). Can be set, from now on."""
    def next_problem(self) -> ContactProblem:
        """The contact problem of the next step, without solving it or advancing."""
    @property
    def options(self) -> StepOptions:
        """A copy; set_options changes them."""
    @property
    def problem(self) -> ContactProblem:
        """The contact problem of the last step; a copy."""
    def ray_cast(self, origin: Any, direction: Any, max_distance: Any = float('inf'), ignore: Any = None) -> Any:
        """The first surface that a ray meets from outside, as a RayHit, or None. Shapes are exact; a ray that
        begins inside a solid passes out of it unseen. `ignore` is a body to pass through. (The same as
        World.ray_cast().)"""
    def ray_cast_many(self, origins: Any, directions: Any, max_distance: Any = float('inf'), ignore: Any = None) -> Any:
        """Many rays, as of a laser scanner: directions of shape (n, 3), origins the same or one for all.
        Arrays by name: body (-1: none), distance (inf), point and normal (NaN). (The same as
        World.ray_cast_many().)"""
    def record(self, folder: Any = None, *, every: Any = None, title: Any = None) -> Any:
        """Records every step from now on, and answers the Run: look at it with show(), end it with stop().

        The files go to `folder`, or to a temporary one that is deleted with the run. A frame is kept every
        `every` steps, some 60 a second unless told. The title is that of the scene, if there is one and nothing else is
        said. Also a context: `with simulation.record() as run: ...`."""
    def render(self, *args: Any, **kwargs: Any) -> Any:
        """A picture of how everything lies now, as an array with the top row first.

        mode "rgb": (height, width, 3) bytes; "depth": (height, width) distances along the lines of sight in metres,
        inf for the sky; "segmentation": (height, width) numbers of bodies, -1 for the sky; "all": a dict of the
        three. camera is a Camera, or one of iso, front, side and top, which show everything. samples² rays are cast
        per pixel; colours are by body or material; grid is the distance of the lines on planes (m), chosen unless
        told. Needs neither a graphics card nor a browser, and gives the same bytes everywhere."""
    @property
    def report(self) -> StepReport:
        """Of the last step."""
    def reset(self, keyframe: Any = None) -> Any:
        """Goes to a keyframe; without a name to the first one, or to the state in which the simulation was made.

        What was changed of the world besides its state (motors, loads, bodies added) stays as it is."""
    def restore(self, state: SimulationState) -> None:
        """Goes back (or on) to a state."""
    def run(self, until: Any, each: Any = None, *, record: Any = None) -> Any:
        """Steps until the time `until`, calling each(report) after every step, and answers the Run.

        With record=True the frames are recorded into a temporary folder, with a name into that folder, so that
        run.show() can show them. While a recording goes on (record()), the answer is that of the recording."""
    def save_keyframe(self, name: Any) -> Any:
        """Keeps the present state under a name, for reset(name)."""
    def sensor(self, name: str) -> Any:
        """What one sensor reads."""
    @property
    def sensor_columns(self) -> list[tuple[str, str]]:
        """(name, unit) of every number that the sensors read, the columns of sensors.csv."""
    @property
    def sensors(self) -> dict:
        """What all sensors read after the last step, by name: numbers, or arrays (force and torque in one of 6)."""
    def set_options(self, **kwargs: Any) -> None:
        """Changes options by name, from the next step on."""
    def show(self, height: Any = 540, live: Any = False) -> Any:
        """Shows the simulation in 3D: in the cell of a notebook, elsewhere in the browser.

        What is shown is the recording that goes on (record()), or else how everything lies now. With live=True the
        view follows the steps to come; a recording begins if there is none."""
    @property
    def solution(self) -> numpy.ndarray:
        """Impulses and multipliers of the last step."""
    def state(self) -> SimulationState:
        """A copy of the present state."""
    def step(self) -> StepReport:
        """Advances by one step, without the GIL, and returns the report. Whatever it raises leaves the simulation as it was."""
    @property
    def steps(self) -> int:
        """Steps made so far."""
    @property
    def time(self) -> float:
        """s."""
    @property
    def world(self) -> World:
        """The world inside: a reference, to read and change between steps."""


class SimulationState:
    """All that decides the future of a simulation besides its world and options. Restoring it and stepping equals stepping on, bit for bit."""
    def __eq__(self, other: object) -> bool: ...
    @property
    def steps(self) -> int:
        """Steps made."""
    @property
    def time(self) -> float:
        """s."""


class SolveResult:
    """The answer of a solve, judged."""
    def __repr__(self) -> str: ...
    @property
    def contradiction(self) -> list[int]:
        """Contacts that no velocities can satisfy together, when the status is "infeasible"."""
    @property
    def converged(self) -> bool:
        """Whether the judged error is within the tolerance."""
    @property
    def error(self) -> float:
        """quality.error."""
    @property
    def history(self) -> list[IterationRecord]:
        """All iterations, with keep_history=True."""
    @property
    def iterations(self) -> int:
        """Of the solver."""
    @property
    def message(self) -> str:
        """Why it did not converge."""
    @property
    def outer_iterations(self) -> int:
        """Of the Coulomb fixed point."""
    @property
    def products(self) -> int:
        """With N."""
    @property
    def quality(self) -> Quality:
        """Measures of the answer."""
    @property
    def seconds(self) -> float:
        """Of the solver alone."""
    @property
    def status(self) -> str:
        """"converged", "iteration_limit", "product_limit", "time_limit", "stopped", "stalled", "infeasible", "unsupported" or "invalid_problem"."""
    @property
    def u(self) -> numpy.ndarray:
        """Velocities N x + q̄: a view."""
    @property
    def v(self) -> numpy.ndarray:
        """Generalised velocities, empty for a local model: a view."""
    @property
    def work(self) -> int:
        """Products with N, factorisations at what they are worth."""
    @property
    def x(self) -> numpy.ndarray:
        """Impulses and multipliers (r, l): a view."""


class Solver:
    """A solver of contact problems. To write one, derive from this class, set `info` to a SolverInfo and define run(self, problem, z, monitor): improve z, in place, until monitor.proceed(z, problem.velocity(z)) is False. Whether the answer converged is judged afterwards, from the best iterate the monitor saw."""
    def __init__(self) -> None: ...
    def describe_options(self) -> dict:
        """Options by name, with their values, ranges or choices, and what they do."""
    @property
    def info(self) -> SolverInfo:
        """What it does and admits."""
    @property
    def options(self) -> dict:
        """Options by name, with their values as text."""
    def set_options(self, **kwargs: Any) -> None:
        """Sets options by name."""


class SolverInfo:
    """What a solver does and which problems it admits."""
    def __init__(self, name: str, *, summary: str = '', paper: str = '', laws: list[str] = ['associated', 'coulomb'], friction: list[str] = ['none', 'box', 'pyramid', 'prism', 'polyhedron', 'cylinder', 'cone'], friction_plane: list[str] = ['none', 'box', 'pyramid', 'prism', 'polyhedron', 'cylinder', 'cone'], dimensions: list[int] = [1, 2, 3], joints: bool = True, warm_start: bool = True, coulomb: str = 'direct', products_per_iteration: str = '1') -> None:
        """Admits everything unless told; a combination left out is answered "unsupported"."""
    def __repr__(self) -> str: ...
    @property
    def coulomb(self) -> str:
        """"direct" or "fixed point"."""
    @property
    def dimensions(self) -> list[int]:
        """Entries per contact it admits."""
    @property
    def friction(self) -> list[str]:
        """Sets it admits in space."""
    @property
    def friction_plane(self) -> list[str]:
        """Sets it admits in the plane."""
    @property
    def joints(self) -> bool:
        """Whether it admits equality rows."""
    @property
    def laws(self) -> list[str]:
        """Laws it solves."""
    @property
    def name(self) -> str:
        """In tables and plots."""
    @property
    def paper(self) -> str:
        """Where the algorithm is described."""
    @property
    def products_per_iteration(self) -> str:
        """With N."""
    @property
    def summary(self) -> str:
        """One line."""
    @property
    def warm_start(self) -> bool:
        """Whether it uses a start other than zero."""


class Spring:
    """A linear spring and damper of a joint."""
    def __init__(self, stiffness: float = 0.0, damping: float = 0.0, rest: float = 0.0) -> None:
        """In N/m, N s/m and m, of turning joints N m/rad, N m s/rad and rad."""
    @property
    def damping(self) -> float:
        """N s/m or N m s/rad."""
    @property
    def rest(self) -> float:
        """Where it does not pull, m or rad."""
    @property
    def stiffness(self) -> float:
        """N/m or N m/rad."""


class StepOptions:
    """How a simulation steps."""
    def __init__(self, **kwargs: Any) -> None:
        """Takes its attributes as keywords."""
    def __repr__(options: Any) -> Any:
        """Only what differs from the defaults."""
    @property
    def allowed_penetration(self) -> float:
        """Penetration that counts as touching, m; negative: 1e-5 of the smallest body's bounding radius."""
    @allowed_penetration.setter
    def allowed_penetration(self, value: float) -> None: ...
    @property
    def eliminate_joints(self) -> bool:
        """Whether joints are solved exactly, apart from the contacts."""
    @eliminate_joints.setter
    def eliminate_joints(self, value: bool) -> None: ...
    @property
    def envelope(self) -> float:
        """Gap up to which contacts count, m; negative: chosen in each step."""
    @envelope.setter
    def envelope(self, value: float) -> None: ...
    @property
    def formulation(self) -> str:
        """One of talus.formulation_names(), which brings its law and solver and the friction set it needs; "": none."""
    @formulation.setter
    def formulation(self, value: str) -> None: ...
    @property
    def friction(self) -> str:
        """Friction set: "cone", "pyramid", ..."""
    @friction.setter
    def friction(self, value: str) -> None: ...
    @property
    def impact_law(self) -> str:
        """"newton" or "poisson": what the coefficients of restitution mean."""
    @impact_law.setter
    def impact_law(self, value: str) -> None: ...
    @property
    def law(self) -> str:
        """"coulomb" or "associated"."""
    @law.setter
    def law(self, value: str) -> None: ...
    @property
    def max_iterations(self) -> int:
        """Of a solve; 100000."""
    @max_iterations.setter
    def max_iterations(self, value: int) -> None: ...
    @property
    def max_products(self) -> int:
        """Products with N per solve, factorisations included; 0: none."""
    @max_products.setter
    def max_products(self, value: int) -> None: ...
    @property
    def recovery_speed(self) -> float:
        """Bound on the speed at which penetrations are undone, m/s; negative: for each contact √(|gravity| R), at least R / 2 s, with the smaller body's bounding radius R; inf: none."""
    @recovery_speed.setter
    def recovery_speed(self, value: float) -> None: ...
    @property
    def relative_compliance(self) -> float:
        """Of contacts whose stiffness is automatic; 0.01. 0: rigid."""
    @relative_compliance.setter
    def relative_compliance(self, value: float) -> None: ...
    @property
    def restitution(self) -> bool:
        """Whether impacts rebound; as far as energy does not grow."""
    @restitution.setter
    def restitution(self, value: bool) -> None: ...
    @property
    def restitution_threshold(self) -> float:
        """Approach speed below which they do not, m/s; negative: 2 h |gravity|."""
    @restitution_threshold.setter
    def restitution_threshold(self, value: float) -> None: ...
    @property
    def solver(self) -> Any:
        """A name of talus.solver_names(), or a Solver: one of make_solver, or one written in Python."""
    @solver.setter
    def solver(self, value: Any) -> None: ...
    @property
    def solver_options(self) -> dict:
        """Options of the solver by name."""
    @solver_options.setter
    def solver_options(self, value: dict) -> None: ...
    @property
    def step(self) -> float:
        """Length of a step, s; 1/240."""
    @step.setter
    def step(self, value: float) -> None: ...
    @property
    def threads(self) -> int:
        """0: all the machine has; at most 4096. Results do not depend on it."""
    @threads.setter
    def threads(self, value: int) -> None: ...
    @property
    def time_limit(self) -> float:
        """Seconds per solve; 0: none."""
    @time_limit.setter
    def time_limit(self, value: float) -> None: ...
    @property
    def tolerance(self) -> float:
        """Largest error of a solve. Negative: 1e-8 with up to 500 contacts, 1e-6 up to 20,000, 1e-4 beyond."""
    @tolerance.setter
    def tolerance(self, value: float) -> None: ...
    @property
    def warm_start(self) -> bool:
        """Start from the last impulses."""
    @warm_start.setter
    def warm_start(self, value: bool) -> None: ...


class StepReport:
    """What happened in one step; energies are those at its end."""
    def __repr__(self) -> str: ...
    @property
    def angular_momentum(self) -> numpy.ndarray:
        """About the origin, N m s."""
    @property
    def contacts(self) -> int:
        """Contacts in the problem."""
    @property
    def converged(self) -> bool:
        """Whether the tolerance was met."""
    @property
    def elastic_energy(self) -> float:
        """Stored in contacts that yield and in springs, J."""
    @property
    def envelope(self) -> float:
        """Gap up to which contacts counted, m."""
    @property
    def error(self) -> float:
        """Judged error of the solve."""
    @property
    def iterations(self) -> int:
        """Of the solver."""
    @property
    def joint_rows(self) -> int:
        """Equality and limit rows."""
    @property
    def kinetic_energy(self) -> float:
        """J."""
    @property
    def max_joint_error(self) -> float:
        """At the end of the step, m or rad."""
    @property
    def max_penetration(self) -> float:
        """At the start of the step, m."""
    @property
    def message(self) -> str:
        """Why it did not converge."""
    @property
    def momentum(self) -> numpy.ndarray:
        """N s."""
    @property
    def outran_envelope(self) -> int:
        """Bodies that moved farther than the envelope foresaw."""
    @property
    def potential_energy(self) -> float:
        """In gravity, J."""
    @property
    def restitution_scale(self) -> float:
        """Smallest factor that coefficients of restitution were scaled with lest impacts create energy; mostly 1."""
    @property
    def seconds(self) -> float:
        """Of the whole step."""
    @property
    def seconds_advance(self) -> float:
        """Time spent on advancing."""
    @property
    def seconds_build(self) -> float:
        """Time spent on building the problem."""
    @property
    def seconds_collide(self) -> float:
        """Time spent on collision."""
    @property
    def seconds_solve(self) -> float:
        """Time spent on solving."""
    @property
    def status(self) -> str:
        """Of the solve: "converged", "stalled", ..."""
    @property
    def step(self) -> int:
        """1 for the first."""
    @property
    def time(self) -> float:
        """At the end of the step, s."""
    @property
    def tolerance(self) -> float:
        """Of the solve; 0 when there was nothing to solve."""
    @property
    def violation(self) -> float:
        """Of the worst contact or row, m/s."""
    @property
    def work(self) -> int:
        """Products with N, factorisations included."""


class Trajectory:
    """A trajectory file: len(), [i] and iteration give its frames."""
    def __iter__(self) -> Iterator[Frame]: ...
    def __init__(self, path: Union[str, os.PathLike]) -> None:
        """Opens a file, also while it is being written: the frames are those complete now."""
    def __enter__(self) -> Trajectory: ...
    def __exit__(self, *args: Any) -> None: ...
    def __getitem__(self, index: int) -> Frame: ...
    def __len__(self) -> int: ...
    @property
    def bodies(self) -> int:
        """Number of bodies."""
    def close(self) -> None:
        """Closes the file; frames already read stay."""
    @property
    def times(self) -> numpy.ndarray:
        """Of all frames, s."""


class World:
    """Materials, bodies, joints, forces, and where everything is. SI units."""
    def __init__(self, gravity: ArrayLike = (0, 0, -9.81)) -> None:
        """An empty world."""
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    def add_body(self, name: str = '', shape: Union[None, Shape, list[tuple[Shape, tuple[ArrayLike, ArrayLike]]]] = None, *, motion: str = 'dynamic', position: ArrayLike = (0, 0, 0), orientation: ArrayLike = (1, 0, 0, 0), velocity: ArrayLike = (0, 0, 0), angular_velocity: ArrayLike = (0, 0, 0), density: Optional[float] = None, mass: Optional[float] = None, inertia: Optional[tuple[float, ArrayLike, ArrayLike]] = None, material: Union[int, str] = 0, force: ArrayLike = (0, 0, 0), torque: ArrayLike = (0, 0, 0), gravity: bool = True, turning: bool = True, group: int = 1, mask: int = 0xffffffff, path: Union[None, Callable[..., Any]] = None, drive: Union[None, Callable[..., Any]] = None, drag: Optional[Drag] = None, remove_at: Optional[float] = None) -> int:
        """Adds a body and returns its number. shape is a Shape or a list of (shape, pose); motion is "dynamic", "fixed" or "kinematic"; orientation is a quaternion (w, x, y, z), or a dict as in scene files: axis and angle, or euler, in degrees. Give density (kg/m³, 1000 unless told), mass (kg), or inertia (mass, centre, 3x3 matrix). A kinematic body keeps its velocities, or follows path(time) -> (position, quaternion) or drive(time) -> (velocity, angular velocity). drag is a Drag; at the time remove_at (s) the body is removed."""
    def add_fluid(self, density: float = 1000.0, level: Union[float, list[tuple[float, float]], Callable[..., Any]] = float('inf'), viscosity: float = 0.0, drag_coefficient: float = 0.47, flow: Optional[Union[ArrayLike, Callable[..., Any]]] = None, buoyancy: bool = True, normal: ArrayLike = (0, 0, 1), name: str = '') -> None:
        """Adds a fluid (kg/m³, Pa s) where normal · x ≤ level: everywhere unless told. level is a number, a table [(time, level), ...] or a function of the time; flow is a velocity, or a function (place, time) -> velocity."""
    def add_force(self, force: Callable[..., Any]) -> None:
        """force(world, time, forces, torques) is called at the start of every step and fills two arrays of shape (bodies, 3): forces at the centres of mass and torques, in world axes."""
    def add_joint(self, type: str, name: str = '', *, between: Optional[tuple[Union[int, str], Union[int, str]]] = None, at: ArrayLike = (0, 0, 0), axis: ArrayLike = (0, 0, 1), second_at: Optional[ArrayLike] = None, second_axis: Optional[ArrayLike] = None, limits: Optional[tuple[float, float]] = None, limit_stiffness: float = float('inf'), limit_damping: float = 0.0, motor: Optional[Motor] = None, spring: Optional[Spring] = None, bushing: Optional[Bushing] = None, friction: float = 0.0, bearing: Optional[Bearing] = None, armature: float = 0.0, effort: Union[float, Union[Callable[..., Any], list[tuple[float, float]]]] = 0.0, length: Optional[float] = None, joints: Optional[tuple[Union[int, str], Union[int, str]]] = None, ratio: float = 1.0, let_collide: Optional[bool] = None, position: float = 0.0) -> int:
        """Adds a joint between two bodies (names or numbers; "ground" is the world) and returns its number. Points and axes are in world coordinates; limits are in radians (degrees in scene files) or metres, and soft with a limit_stiffness. friction is the largest effort of dry friction, bearing one that grows with the load, armature a reflected inertia, effort a given force or torque: a number, a function of the time, or a table [(time, value), ...]. A gear takes `joints` and `ratio` instead of `between`. Bodies of a joint do not touch each other unless let_collide; those of a spring do. `position` is the coordinate at the present poses."""
    def add_material(self, name: str, friction: float = 0.5, restitution: float = 0.0, stiffness: Union[float, str] = 'auto', rolling: float = 0.0, spinning: float = 0.0, tangential_ratio: float = 1.0, young: float = 0.0, poisson: float = 0.3, cohesion: Union[float, Cohesion] = 0.0) -> int:
        """Adds a surface material and returns its number. Bodies without one have "default". stiffness is in N/m at each contact point, or "auto" (StepOptions.relative_compliance), or "rigid". rolling and spinning are the lengths in m that bound the moments of rolling and spinning friction. tangential_ratio is k_t / k_n of the stiffness. With young, Young's modulus in Pa, and poisson, contacts obey Hertz' law in place of a stiffness. cohesion is a force in N, or a Cohesion."""
    def add_point_load(self, body: Union[int, str], force: Union[ArrayLike, list[tuple[float, ArrayLike]], Callable[..., Any]], point: ArrayLike = (0, 0, 0), axes: str = 'world') -> None:
        """A force (N) at a point of a body, given in its reference frame, which it follows: a vector, a table [(time, vector), ...] or a function of the time; in axes of the world or of the body."""
    @property
    def angular_momentum(self) -> numpy.ndarray:
        """Of the dynamic bodies about the origin, N m s."""
    @property
    def angular_velocities(self) -> numpy.ndarray:
        """Angular velocities in world axes, (n, 3): a view."""
    @property
    def bodies(self) -> list[Body]:
        """All bodies."""
    @property
    def body_names(self) -> Any:
        """Names of the bodies, in the order of their numbers."""
    def camera(self, aspect: float = 1.3333333333333333, direction: ArrayLike = (1, -1.6, 0.9)) -> Camera:
        """A Camera that shows all bodies of bounded size; direction goes from them to the eye."""
    def closest(self, a: Union[int, str], b: Union[int, str]) -> Separation:
        """The distance between two bodies, whether or not they may touch, with their closest points: a Separation. Of meshes and height fields the surface counts."""
    def closest_to(self, point: ArrayLike, body: Union[int, str]) -> Separation:
        """The same between a point and a body; point_a is the point."""
    def confine_to_plane(self, normal: ArrayLike) -> None:
        """Confines all motion to the plane orthogonal to `normal`."""
    def find_body(self, name: str) -> int:
        """The number of the body of that name."""
    def find_joint(self, name: str) -> int:
        """The number of the joint of that name."""
    def forbid_contact(self, a: Union[int, str], b: Union[int, str]) -> None:
        """The two bodies shall not touch each other."""
    @property
    def gravity(self) -> numpy.ndarray:
        """Acceleration, m/s²."""
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    def joint_coordinate(self, joint: Union[int, str]) -> float:
        """The coordinate of a joint at the present poses, rad or m."""
    @property
    def joint_coordinates(self) -> numpy.ndarray:
        """Coordinates of the joints as of the last step's start (rad or m), (joints,): a view."""
    @property
    def joint_names(self) -> Any:
        """Names of the joints, in the order of their numbers."""
    def joint_velocity(self, joint: Union[int, str]) -> float:
        """How fast the coordinate of a joint changes, rad/s or m/s."""
    @property
    def joints(self) -> list[Joint]:
        """All joints."""
    @property
    def kinetic_energy(self) -> float:
        """J."""
    @property
    def masses(self) -> Any:
        """Of all bodies, kg, by number and by name: masses["ball"]."""
    @property
    def materials(self) -> dict:
        """{name: (friction, restitution, stiffness)} in the order of their numbers; a copy. A stiffness of 0 is automatic, an infinite one rigid."""
    def model(self) -> Any:
        """What the world consists of, as a Model: counts, names, masses; print it, or let a notebook show it."""
    @property
    def momentum(self) -> numpy.ndarray:
        """Of the dynamic bodies, N s."""
    @property
    def orientations(self) -> numpy.ndarray:
        """Body frames (principal axes of inertia) as quaternions (w, x, y, z), (n, 4): a view."""
    def overlaps(self, share: float = 0.01) -> list[Overlap]:
        """Pairs of bodies that could touch and now overlap by more than this share of the smaller one's bounding radius, the deepest first. Costs one collision detection."""
    def pose(self, body: Union[int, str]) -> tuple[numpy.ndarray, numpy.ndarray]:
        """(position, quaternion) of the frame the body was placed with."""
    @property
    def positions(self) -> numpy.ndarray:
        """Centres of mass, (n, 3): a view, to read and to write."""
    @property
    def potential_energy(self) -> float:
        """In gravity, zero at the origin, J."""
    def ray_cast(self, origin: ArrayLike, direction: ArrayLike, max_distance: float = float('inf'), ignore: Optional[Union[int, str]] = None) -> Optional[RayHit]:
        """The first surface that a ray meets from outside, as a RayHit, or None. Shapes are exact; a ray that begins inside a solid passes out of it unseen. `ignore` is a body to pass through."""
    def ray_cast_many(self, origins: ArrayLike, directions: ArrayLike, max_distance: float = float('inf'), ignore: Optional[Union[int, str]] = None) -> dict:
        """Many rays, as of a laser scanner: directions of shape (n, 3), origins the same or one for all. Arrays by name: body (-1: none), distance (inf), point and normal (NaN)."""
    def remove_body(self, body: Union[int, str]) -> None:
        """Takes a body away, with the joints on it. All numbers and names stay what they are; the body stays where it is and touches nothing."""
    @property
    def removed_bodies(self) -> list[int]:
        """Numbers of the bodies that were removed."""
    def render(self, width: Any = 640, height: Any = 480, *, camera: Any = None, mode: Any = 'rgb', samples: Any = 2, shadows: Any = True, colours: Any = 'body', grid: Any = 0.0) -> Any:
        """A picture of how everything lies now, as an array with the top row first.

        mode "rgb": (height, width, 3) bytes; "depth": (height, width) distances along the lines of sight in metres,
        inf for the sky; "segmentation": (height, width) numbers of bodies, -1 for the sky; "all": a dict of the
        three. camera is a Camera, or one of iso, front, side and top, which show everything. samples² rays are cast
        per pixel; colours are by body or material; grid is the distance of the lines on planes (m), chosen unless
        told. Needs neither a graphics card nor a browser, and gives the same bytes everywhere."""
    def set_drag(self, body: Union[int, str], drag: Drag) -> None:
        """Replaces the drag of a body."""
    def set_effort(self, joint: Union[int, str], effort: float) -> None:
        """Sets the given effort on a joint, N or N m."""
    def set_load(self, body: Union[int, str], force: ArrayLike, torque: ArrayLike = (0, 0, 0)) -> None:
        """Replaces the constant force and torque on a body."""
    def set_material(self, material: Union[int, str], friction: float, restitution: float = 0.0, stiffness: Optional[Union[float, str]] = None, rolling: Optional[float] = None, spinning: Optional[float] = None, tangential_ratio: Optional[float] = None, young: Optional[float] = None, poisson: Optional[float] = None, cohesion: Optional[Union[float, Cohesion]] = None) -> None:
        """Changes friction and restitution of a material; all else stays unless given. young = 0 takes Hertz' law away."""
    def set_material_pair(self, a: Union[int, str], b: Union[int, str], friction: float, restitution: float = 0.0, stiffness: Optional[Union[float, str]] = None, rolling: float = 0.0, spinning: float = 0.0, tangential_ratio: Optional[float] = None, cohesion: Union[float, Cohesion] = 0.0) -> None:
        """Coefficients measured for two materials; they replace the combination rules. Without a stiffness the materials' springs act in series, and without a tangential_ratio it follows from theirs."""
    def set_material_rules(self, *, friction: Optional[str] = None, restitution: Optional[str] = None, rolling: Optional[str] = None, cohesion: Optional[str] = None) -> None:
        """How coefficients of two materials become that of their contact: "average", "geometric_mean" (friction, rolling and cohesion unless told), "minimum", "maximum" (restitution unless told) or "product". rolling is for rolling and spinning friction."""
    def set_motor(self, joint: Union[int, str], motor: Optional[Motor]) -> None:
        """Replaces the motor of a joint; None removes it."""
    def set_pose(self, body: Union[int, str], pose: tuple[ArrayLike, ArrayLike]) -> None:
        """Places that frame."""
    def set_spring(self, joint: Union[int, str], spring: Optional[Spring]) -> None:
        """Replaces the spring of a joint; None removes it."""
    def set_wind(self, wind: Optional[Union[ArrayLike, Callable[..., Any]]]) -> None:
        """The wind that bodies with drag feel: a velocity, a function (place, time) -> velocity, or None."""
    def show(self, height: Any = 540) -> Any:
        """Shows the world in 3D: in the cell of a notebook, elsewhere in the browser."""
    @property
    def velocities(self) -> numpy.ndarray:
        """Velocities of the centres of mass, (n, 3): a view."""


def axis_angle(axis: ArrayLike, angle: float) -> numpy.ndarray:
    """The quaternion (w, x, y, z) of a rotation by `angle` radians about `axis`."""


def box(size: ArrayLike) -> Shape:
    """A box about the origin with these edge lengths."""


def capsule(radius: float, length: float) -> Shape:
    """Points within `radius` of a segment of `length` along z."""


def clump(parts: list[tuple[Shape, tuple[ArrayLike, ArrayLike]]]) -> Shape:
    """The same with the mass properties of the union where parts overlap: exact for spheres of which no three have a common point, otherwise integrated (Shape.union_volume)."""


def compare(problems: list[Union[Union[str, os.PathLike], ContactProblem]], solvers: Union[str, list[Union[str, Solver]]] = 'all', *, tolerances: list[float] = [0.0001, 1e-06, 1e-08], time_limit: float = 10.0, max_iterations: int = 1000000, measure: str = 'talus', threads: int = 0, out: Optional[Union[str, os.PathLike]] = None) -> Comparison:
    """Runs solvers (names, or solvers of your own) on problems (files or ContactProblems) at every tolerance. `out` names a folder for the page index.html with its plots, results.csv, results.json and convergence.csv, as `talus compare --out` writes them."""


def compound(parts: list[tuple[Shape, tuple[ArrayLike, ArrayLike]]]) -> Shape:
    """The union of shapes, each with its pose: [(shape, (position, quaternion)), ...]."""


def convex_hull(points: ArrayLike) -> Shape:
    """The convex hull of points, an array of shape (n, 3)."""


def cylinder(radius: float, length: float) -> Shape:
    """A cylinder along z, centred at the origin."""


def cylinder_shell(radius: float, height: float, wall: float, segments: int = 48) -> Shape:
    """A tube about the z axis from z = 0 up, open at both ends."""


def decompose(mesh: Shape, *, parts: int = 32, tolerance: float = 0.01, vertices: int = 64) -> Decomposition:
    """Cuts a closed triangle mesh into at most `parts` convex hulls of at most `vertices` points, so that bodies of this shape can move. Cutting ends once the hulls have the share `tolerance` of the volume too much. The same mesh gives the same parts, bit for bit."""


def ellipsoid(radii: ArrayLike) -> Shape:
    """An ellipsoid about the origin with its axes along x, y, z."""


def formulation_names() -> list[str]:
    """Ways to pose a step, for StepOptions.formulation, in the order of the paper."""


def half_space(normal: ArrayLike = (0, 0, 1), offset: float = 0.0) -> Shape:
    """Everything below a plane: normal · x ≤ offset, for a normal of unit length."""


def height_field(heights: ArrayLike, spacing: tuple[float, float]) -> Shape:
    """A landscape over the x-y plane: heights[j, i] at (i spacing[0], j spacing[1])."""


def hopper(outlet: float, inlet: float, height: float, wall: float, rim: float = 0.0, segments: int = 48) -> Shape:
    """A funnel about the z axis from z = 0 up, then a tube."""


def load(path: Union[str, os.PathLike], *, base: str = 'auto', merge_fixed: bool = False, prefix: str = '', keyframe: str = '', positions: dict[str, float] = {}, overrides: list[str] = []) -> Scene:
    """Reads a URDF or MJCF model, or a YAML scene. `base` is auto, fixed or free; with `merge_fixed` links that are welded together become one body; `keyframe` is one of an MJCF file; `positions` are coordinates of joints at the start, rad or m. Scene.warnings lists what was left out."""


def load_checkpoint(path: Union[str, os.PathLike]) -> tuple[Scene, Simulation]:
    """(scene, simulation), the simulation being where it was saved."""


def load_mesh(path: Union[str, os.PathLike]) -> Shape:
    """A triangle mesh from an OBJ or STL file."""


def load_scene(path: Union[str, os.PathLike], overrides: list[str] = []) -> Scene:
    """Reads a YAML scene; overrides are "key.path=value"."""


def make_solver(name: str, **kwargs: Any) -> Solver:
    """A new solver of the catalogue, with options by name."""


def open_box(inner: ArrayLike, wall: float) -> Shape:
    """A box open at the top around the space `inner`, whose floor is at z = 0."""


def parse_scene(text: str, overrides: list[str] = [], path: str = 'scene.yaml') -> Scene:
    """The same from text; `path` appears in messages and places the files it names."""


def save_animation(pictures: Any, path: Any, fps: Any = 30) -> Any:
    """Writes pictures of one size, as render() gives them, as an animated PNG file that plays for ever."""


def save_checkpoint(path: Union[str, os.PathLike], scene: Scene, simulation: Simulation) -> None:
    """Writes the scene and the state of its simulation: all that is needed to go on."""


def save_picture(array: Any, path: Any) -> Any:
    """Writes an (height, width, 3) array of bytes, as render() gives, as a PNG file."""


def scene_from_description(text: str, path: str = 'description') -> Scene:
    """The scene of a description; `path` appears in messages."""


def simulate_many(items: Any, *, jobs: Any = None, until: Any = None, make: Any = None, measure: Any = ..., progress: Any = None, processes: Any = False) -> Any:
    """Runs a simulation for every item and returns what `measure` says of each, in the order of the items.

    Items are scenes, names of scene files, worlds or simulations, or parameters of any kind from which the
    function `make` makes one of these. Each runs until the time `until`, scenes until their own duration
    unless told. measure(simulation) is called at the end; without it the result is a dict of time, report,
    positions and sensors. Simulations are run by `jobs` threads at a time (all processors unless told), each
    on one thread, with the same results for any number. Where Python functions take most of the time,
    `processes=True` uses processes: items, functions and results must then be picklable. `progress` is
    True, False, a function (done, total), or None: a bar in terminals and notebooks."""


def solve(problem: ContactProblem, solver: Union[str, Solver] = 'auto', *, tolerance: float = 1e-08, measure: str = 'talus', max_iterations: int = 1000000, max_products: int = 0, time_limit: float = 0.0, keep_history: bool = False, initial: Optional[ArrayLike] = None, reference_velocity: Optional[ArrayLike] = None, threads: int = 0, face: str = 'automatic') -> SolveResult:
    """Solves a problem, without the GIL, with a solver of the catalogue or one of your own, and judges the answer. A solver that does not converge is a result, not an exception."""


def solver_names() -> list[str]:
    """All solvers, in catalogue order."""


def sphere(radius: float) -> Shape:
    """A ball about the origin."""


def superellipsoid(radii: ArrayLike, blockiness: tuple[float, float], segments: int = 8) -> Shape:
    """(|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1 <= 1 with blockiness (n1, n2) of at least 1: (2, 2) is an ellipsoid, large numbers approach a box. The hull of 6 segments² + 2 points on it."""


def triangle_mesh(vertices: ArrayLike, triangles: ArrayLike) -> Shape:
    """A surface of triangles (m, 3) between vertices (n, 3), for bodies that do not move by themselves."""

