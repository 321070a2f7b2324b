"""Pickles and copies of worlds, simulations, scenes, problems and results.

A world remembers the calls that made it, with copies of their arguments. Its pickle holds these calls, where
everything is now, and the description of its scene if it has one. A copy is made by the same calls, so that it
goes on bit for bit as the original would. Python functions among the arguments (forces, paths, targets) must
be picklable, so defined in a module; copy.deepcopy takes any.
"""

import numpy as np

from . import _talus, names
from ._calls import option_names

# Calls that only replace: the last one for a body, a joint, or at all, counts.
REPLACING = {"set_load": 1, "set_drag": 1, "set_motor": 1, "set_spring": 1, "set_effort": 1, "set_wind": 0,
             "remove_body": 1}
ADDING = ["add_body", "add_joint", "add_material", "add_force", "add_fluid", "add_point_load", "forbid_contact",
          "confine_to_plane", "set_material", "set_material_pair", "set_material_rules"]
STATES = ["positions", "orientations", "velocities", "angular_velocities", "joint_coordinates"]
BY_BYTES = ["SimulationState", "StepReport", "Contacts", "ContactProblem"]
BY_ARGUMENTS = ["Cohesion", "Motor", "Spring", "Bushing", "Bearing", "Drag", "Formula"]
SHAPES = ["sphere", "box", "capsule", "cylinder", "ellipsoid", "superellipsoid", "half_space", "convex_hull",
          "triangle_mesh", "load_mesh", "height_field", "compound", "clump", "open_box", "cylinder_shell", "hopper"]


def kept(value):
    """A copy of an argument that the caller may change later."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (list, tuple)):
        return type(value)(map(kept, value)) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {key: kept(each) for key, each in value.items()}
    return value


def remember(name):
    """What to do after a call of World.name: to write it down in the world."""
    replaces = REPLACING.get(name)

    def after(args, kwargs, _):
        recipe = args[0]._recipe
        key = len(recipe), name
        if replaces is not None:
            subject = args[1] if len(args) > 1 else next(iter(kwargs.values()), None)
            key = (name, subject) if replaces else (name,)
            recipe.pop(key, None)
            if name == "set_motor" and "motor_targets" in recipe:
                targets = recipe["motor_targets"]
                recipe["motor_targets"] = {joint: targets[joint] for joint in targets if joint != subject}
        recipe[key] = name, kept(args[1:]), kept(kwargs)

    return after


def remember_shape(name):
    def after(args, kwargs, shape):
        shape._made = name, kept(args), kept(kwargs)

    return after


def remember_decomposition(args, kwargs, found):
    """Its shapes are remembered as members of what the call gives; it keeps them alive."""
    call = kept(args), kept(kwargs)
    found._shapes = [found.shape, *found.hulls]
    for place, shape in zip(["shape", *(f"hulls.{k}" for k in range(found.parts))], found._shapes):
        shape._made = f"decompose.{place}", *call


def remember_arguments(args, kwargs, _):
    args[0]._made = kept(args[1:]), kept(kwargs)


def remember_sensor(args, kwargs, _):
    args[0].world._recipe["sensor", len(args[0].world._recipe)] = "add_sensor", kept(args[1:]), kept(kwargs)


def forget_sensors(args, _kwargs, _):
    """A simulation of another one's world has none of its sensors."""
    recipe = args[0].world._recipe
    for key in [key for key in recipe if key == "scene sensors" or key[0] == "sensor"]:
        del recipe[key]


def remember_scene_sensors(_args, _kwargs, simulation):
    simulation.world._recipe["scene sensors"] = True


def remember_joints(name, setter):
    """A setter of joint arrays that writes down what it set."""
    def set_and_remember(self, values):
        setter(self, values)
        if not isinstance(values, dict):
            values = dict(zip(self.joint_names, np.asarray(values, dtype=float).tolist()))
        recipe = self.world._recipe
        given = {**recipe.pop(name, {}), **{key: value for key, value in values.items() if value == value}}
        recipe[name] = given

    return set_and_remember


def replay(world, recipe):
    """The calls of a recipe, on a world as it was before them. Sensors and targets are for the simulation."""
    for key, call in recipe.items():
        if key == "given_efforts":
            for joint, effort in call.items():
                try:
                    world.set_effort(joint, effort)
                except _talus.InvalidArgument:
                    if effort != 0:  # which joints without a coordinate take as well
                        raise
        elif key not in ("motor_targets", "scene sensors") and key[0] != "sensor":
            name, args, kwargs = call
            getattr(world, name)(*args, **kwargs)


def put_in_place(world, content):
    replay(world, content["recipe"])
    world.gravity = content["gravity"]
    for name in STATES:
        getattr(world, name)[...] = content[name]
    for body in content["removed"]:
        world.remove_body(body)
    take_over(world, content["recipe"])


def take_over(world, recipe):
    """The recipe in place of what the calls of a replay have written down."""
    world._recipe.clear()
    world._recipe.update(recipe)


def content_of(world):
    content = {name: np.array(getattr(world, name)) for name in STATES}
    content.update(base=world._base, recipe=dict(world._recipe), gravity=world.gravity,
                   removed=world.removed_bodies)
    return content


def make_world(content):
    world = _talus.scene_from_description(content["base"]).world if content["base"] else _talus.World()
    put_in_place(world, content)
    return world


def make_scene(description, source, content):
    scene = _talus._scene_from(description, source)
    put_in_place(scene.world, content)
    return scene


def make_simulation(content, options, state, kept=None, beginning=None):
    recipe = content["recipe"]
    if recipe.get("scene sensors"):
        scene = _talus.scene_from_description(content["base"])
        put_in_place(scene.world, content)
        simulation = scene.simulation()
    else:
        simulation = _talus.Simulation(make_world(content))
    simulation._use_options(options)
    for key, call in list(recipe.items()):
        if key == "motor_targets":
            simulation.motor_targets = call
        elif key[0] == "sensor":
            simulation.add_sensor(*call[1], **call[2])
    take_over(simulation.world, recipe)
    simulation.restore(state)
    names.keyframes(simulation).update(kept or {})
    if beginning is not None:
        names._beginnings[simulation] = beginning
    return simulation


def make_options(values):
    options = _talus.StepOptions()
    options.formulation = values.pop("formulation")  # first: it sets others
    for name, value in values.items():
        setattr(options, name, value)
    return options


def make_shape(name, args, kwargs):
    function, *members = name.split(".")
    made = getattr(_talus, function)(*args, **kwargs)
    for member in members:
        made = made[int(member)] if member.isdigit() else getattr(made, member)
    return made


def make_by_arguments(name, args, kwargs):
    return getattr(_talus, name)(*args, **kwargs)


def make_from_bytes(name, data):
    return getattr(_talus, "_load_" + name)(data)


def make_catalogue_solver(name, options):
    return _talus.make_solver(name, **options)


def make_own_solver(kind, content):
    solver = kind.__new__(kind)
    base = _talus.ConvexSolver if issubclass(kind, _talus.ConvexSolver) else _talus.Solver
    base.__init__(solver)
    solver.__dict__.update(content)
    return solver


def reduce_shape(shape, _protocol):
    made = getattr(shape, "_made", None)
    if made is None:
        raise TypeError("cannot pickle or copy this talus.Shape: it comes from a scene file; copy the scene")
    return make_shape, made


def reduce_solver(solver, _protocol):
    if type(solver).__module__.startswith("talus"):
        return make_catalogue_solver, (solver.info.name, dict(solver.options))
    return make_own_solver, (type(solver), dict(solver.__dict__))


def reduce_simulation(simulation, _protocol):
    return make_simulation, (content_of(simulation.world), simulation.options, simulation.state(),
                             dict(names.keyframes(simulation)), names._beginnings.get(simulation))


def reduce_by_arguments(value, _protocol):
    made = getattr(value, "_made", None)
    if made is None:
        raise TypeError(f"cannot pickle or copy this talus.{type(value).__name__}: no constructor made it")
    return make_by_arguments, (type(value).__name__, *made)


REDUCTIONS = {
    "World": lambda world, _: (make_world, (content_of(world),)),
    "Scene": lambda scene, _: (make_scene, (scene.description, scene._source, content_of(scene.world))),
    "Simulation": reduce_simulation,
    "StepOptions": lambda options, _: (make_options, ({name: getattr(options, name) for name in option_names()},)),
    "Shape": reduce_shape,
    "Solver": reduce_solver,
    "ConvexSolver": reduce_solver,
    **{name: reduce_by_arguments for name in BY_ARGUMENTS},
    **{name: lambda value, _: (make_from_bytes, (type(value).__name__, _talus._dump(value))) for name in BY_BYTES},
}


def install():
    for name, reduction in REDUCTIONS.items():
        kind = getattr(_talus, name)
        kind.__reduce_ex__ = reduction
        kind.__reduce__ = lambda self: self.__reduce_ex__(2)
    for name in ("given_efforts", "motor_targets"):
        old = vars(_talus.Simulation)[name]
        setattr(_talus.Simulation, name, property(old.fget, remember_joints(name, old.fset), doc=old.__doc__))
