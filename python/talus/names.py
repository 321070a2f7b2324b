"""Names that users of other programs look for: arrays by the names of joints, what a model consists of,
keyframes, and hints where a name is another one here."""

import weakref

import numpy as np

from . import _talus
from ._display import number, table, vector

# Attributes of MuJoCo, PyBullet, Drake and dm_control, and what to use instead.
ELSEWHERE = {
    "Simulation": {
        "qpos": "joint_positions (and world.positions, world.orientations)",
        "qvel": "joint_velocities (and world.velocities, world.angular_velocities)",
        "qfrc_applied": "given_efforts", "ctrl": "motor_targets or given_efforts", "qfrc_actuator": "motor_efforts",
        "actuator_force": "motor_efforts", "xfrc_applied": "world.set_load(body, force, torque)",
        "xpos": "world.positions", "xquat": "world.orientations", "cfrc_ext": "contact_forces()",
        "ncon": "len(contacts)", "contact": "contacts", "sensordata": "sensors", "timestep": "options.step",
        "qacc": "differences of joint_velocities", "model": "world.model()", "data": "the simulation itself",
        "mj_step": "step()", "stepSimulation": "step()", "AdvanceTo": "run(until)", "advance_to": "run(until)",
        "getContactPoints": "contacts", "get_contact_points": "contacts", "getJointState": "joint_state(joint)",
        "getJointStates": "joint_positions, joint_velocities", "get_state": "state()", "set_state": "restore(state)",
        "saveState": "state()", "restoreState": "restore(state)", "save_state": "state()", "load_state": "restore(state)",
        "rayTest": "ray_cast(origin, direction)", "rayTestBatch": "ray_cast_many(origins, directions)",
        "getClosestPoints": "closest(a, b)", "getCameraImage": "render(width, height)",
        "setJointMotorControl2": "motor_targets, or world.set_motor(joint, talus.Motor(...))",
        "joint_torques": "motor_efforts (or joint_efforts(joint), which tells all parts)", "dt": "options.step",
        "get_positions": "joint_positions", "set_positions": "joint_positions = ...", "joints": "world.joints",
        "bodies": "world.bodies", "positions": "world.positions", "velocities": "world.velocities",
        "get_joint_positions": "joint_positions", "set_joint_positions": "joint_positions = ...",
        "render_image": "render(width, height)", "resetBasePositionAndOrientation": "world.set_pose(body, pose)",
        "getBasePositionAndOrientation": "world.pose(body)", "resetJointState": "joint_positions = {name: value}",
        "getBaseVelocity": "world.velocities, world.angular_velocities", "setTimeStep": "set_options(step=...)",
        "applyExternalForce": "world.set_load(body, force, torque)", "setGravity": "world.gravity = (x, y, z)",
        "nbody": "len(world)", "njnt": "len(joint_names)", "ngeom": "world.model().counts", "opt": "options, and world.gravity",
        "mj_forward": "next_problem(), which makes the problem of a step without taking it",
        "mj_resetData": "reset()", "save": "state(), or talus.save_checkpoint(path, scene, simulation)",
        "render_mode": "render(width, height)", "forces": "contact_forces(), joint_forces()",
    },
    "World": {
        "nbody": "len(world)", "njnt": "len(world.joints)", "body_mass": "masses", "opt": "gravity, and StepOptions",
        "num_bodies": "len(world)", "num_joints": "len(world.joints)", "createMultiBody": "add_body(...)",
        "setGravity": "gravity = (x, y, z)", "step": "Simulation(world).step()", "names": "body_names, joint_names",
        "rayTest": "ray_cast(origin, direction)", "getClosestPoints": "closest(a, b)", "body": "bodies[number]",
        "joint_positions": "Simulation.joint_positions", "joint_velocities": "Simulation.joint_velocities",
        "contacts": "Simulation.contacts", "run": "Simulation(world).run(until)", "sensors": "Simulation.sensors",
        "simulation": "Simulation(world)", "changeDynamics": "set_material(...), or add_material(...)",
        "createConstraint": "add_joint(...)", "loadURDF": "model(): talus.load(path) makes a scene with its own world",
    },
    "Body": {"kind": "motion", "inertia": "moments"},
    "Joint": {"kind": "type", "joint_type": "type"},
    "Shape": {"kind": "type"},
    "Contact": {"pos": "point", "dist": "gap", "frame": "normal", "geom1": "bodies[0]", "geom2": "bodies[1]",
                "distance": "gap", "body_a": "bodies[0]", "body_b": "bodies[1]"},
}

# The same of modules.
MODULES = {
    "MjModel": "load(path)", "MjData": "Simulation(world), or load(path).simulation()", "mj_step": "Simulation.step()",
    "mj_forward": "Simulation.next_problem()", "mj_resetData": "Simulation.reset()", "mj_ray": "World.ray_cast(...)",
    "Renderer": "Simulation.render(width, height)", "viewer": "Simulation.show()", "from_xml_path": "load(path)",
    "load_model": "load(path)", "load_urdf": "load(path)", "load_mjcf": "load(path)", "loadURDF": "load(path)",
    "loadMJCF": "load(path)", "loadSDF": "load(path)", "Parser": "load(path)", "MultibodyPlant": "World()",
    "AddMultibodyPlantSceneGraph": "World()", "Simulator": "Simulation(world)", "connect": "World()",
    "resetSimulation": "World()", "stepSimulation": "Simulation.step()", "setGravity": "World.gravity = (x, y, z)",
    "getContactPoints": "Simulation.contacts", "rayTest": "World.ray_cast(origin, direction)",
    "getCameraImage": "Simulation.render(width, height)", "createMultiBody": "World.add_body(...)", "plane": "half_space()",
    "mesh": "load_mesh(path), triangle_mesh(...), or convex_hull(points)", "Sphere": "sphere(radius)", "Box": "box(size)",
    "ChSystemNSC": "World(), and Simulation(world)", "Material": "World.add_material(name, ...)",
    "Env": "environments.Environment", "make": "environments, e.g. environments.CartPole()", "Sensor": "Simulation.add_sensor(...)",
    "run": "Simulation.run(until)", "step": "Simulation.step()", "simulate": "Simulation(world).run(until)",
    "show": "Simulation.show(), or Run.show()", "render": "Simulation.render(width, height)",
    "quaternion": "axis_angle(axis, angle)",
}


class NamedArray(np.ndarray):
    """An array with a name for each of its entries: values["hinge"], values[["hip", "knee"]]."""

    def __new__(cls, values, names):
        made = np.asarray(values).view(cls)
        made.names = tuple(names)
        return made

    def __array_finalize__(self, source):
        names = getattr(source, "names", ())
        self.names = names if len(names) == (self.shape[0] if self.ndim else 0) else ()

    def _place(self, name):
        if name not in self.names:
            import difflib
            close = difflib.get_close_matches(name, self.names, n=3, cutoff=0.5) or list(self.names)[:8]
            raise KeyError(f"nothing is named '{name}'" + (f"; did you mean {', '.join(close)}?" if close else ""))
        return self.names.index(name)

    def __getitem__(self, key):
        if isinstance(key, str):
            return super().__getitem__(self._place(key))
        if isinstance(key, (list, tuple)) and key and all(isinstance(each, str) for each in key):
            return NamedArray(np.asarray(self)[[self._place(each) for each in key]], key)
        return super().__getitem__(key)

    def __reduce__(self):
        return NamedArray, (np.asarray(self), self.names)

    def to_dict(self):
        """{name: value}."""
        return dict(zip(self.names, np.asarray(self).tolist()))


def named_by_joints(old):
    """The property of a simulation whose entries are those of the joints, with their names."""
    def read(self):
        return NamedArray(old.fget(self), self.joint_names)

    read.__doc__ = old.fget.__doc__
    return property(read, old.fset, doc=old.__doc__)


def joint_state(self, joint):
    """What a joint does now, as a dict: position (rad or m), velocity, effort of its motor (N m or N), and force and
    torque of the joint on its second body, in the joint frame."""
    number = joint if isinstance(joint, int) else self.world.find_joint(joint)
    force, torque = self.joint_force(number)
    return {"position": float(self.joint_positions[number]), "velocity": float(self.joint_velocities[number]),
            "effort": float(self.motor_efforts[number]), "force": force, "torque": torque}


class Model:
    """What a world consists of: counts, names, masses; a table in a notebook. Made by World.model()."""

    def __init__(self, world):
        bodies, joints = world.bodies, world.joints
        self.body_names = [body.name for body in bodies]
        self.joint_names = [joint.name for joint in joints]
        self.motions = [body.motion for body in bodies]
        self.joint_types = [joint.type for joint in joints]
        self.joint_bodies = [tuple(self.body_names[each] if each >= 0 else "ground" for each in joint.bodies)
                             for joint in joints]
        self.masses = NamedArray([body.mass for body in bodies], self.body_names)
        self.moments = NamedArray(np.array([body.moments for body in bodies]).reshape(-1, 3), self.body_names)
        self.shapes = [[shape.type for shape, _ in body.shapes] for body in bodies]
        self.materials = world.materials

    @property
    def counts(self):
        """How many of what, {name: number}."""
        return {"bodies": len(self.body_names), "dynamic": self.motions.count("dynamic"),
                "fixed": self.motions.count("fixed"), "kinematic": self.motions.count("kinematic"),
                "shapes": sum(map(len, self.shapes)), "joints": len(self.joint_names), "materials": len(self.materials)}

    @property
    def total_mass(self):
        """Of the dynamic bodies, kg."""
        return float(sum(mass for mass, motion in zip(self.masses.tolist(), self.motions) if motion == "dynamic"))

    def _rows(self, most):
        rows = [(name, motion, number(float(mass)), vector(moments), ", ".join(shapes))
                for name, motion, mass, moments, shapes in
                zip(self.body_names, self.motions, self.masses, np.asarray(self.moments), self.shapes)]
        return rows[:most] + ([(f"and {len(rows) - most} more", "", "", "", "")] if len(rows) > most else [])

    def _joint_rows(self, most):
        rows = [(name, kind, " – ".join(bodies)) for name, kind, bodies in
                zip(self.joint_names, self.joint_types, self.joint_bodies)]
        return rows[:most] + ([(f"and {len(rows) - most} more", "", "")] if len(rows) > most else [])

    def __str__(self):
        lines = [", ".join(f"{count} {name}" for name, count in self.counts.items() if count) +
                 f", {self.total_mass:.6g} kg"]
        lines += [f"  {name:<20} {motion:<9} {mass:>10} kg  {shapes}" for name, motion, mass, _, shapes in self._rows(40)]
        lines += [f"  {name:<20} {kind:<9} {bodies}" for name, kind, bodies in self._joint_rows(40)]
        return "\n".join(lines)

    def __repr__(self):
        return f"<talus.Model: {self.counts['bodies']} bodies, {self.counts['joints']} joints, {self.total_mass:.6g} kg>"

    def _repr_html_(self):
        text = "<p>" + ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        text += f", {self.total_mass:.6g} kg</p>" + table(self._rows(20), ("body", "motion", "mass (kg)", "moments (kg m²)", "shapes"))
        return text + (table(self._joint_rows(20), ("joint", "type", "bodies")) if self.joint_names else "")


def model(self):
    """What the world consists of, as a Model: counts, names, masses; print it, or let a notebook show it."""
    return Model(self)


def world_html(self):
    return Model(self)._repr_html_()


def simulation_html(self):
    report = self.report
    rows = [("time", f"{self.time:.6g} s"), ("steps", self.steps), ("bodies", len(self.world)),
            ("joints", len(self.world.joints)), ("contacts", report.contacts), ("solver", self.options.solver),
            ("step", f"{self.options.step:.6g} s"), ("last solve", f"{report.status}, error {report.error:.3g}")]
    return table(rows, ("simulation", ""))


_keyframes = weakref.WeakKeyDictionary()


def keyframes(self):
    """States with names, {name: SimulationState}: save_keyframe() adds one, reset() goes to one."""
    self.time  # raises for an object that no constructor made
    return _keyframes.setdefault(self, {})


def save_keyframe(self, name):
    """Keeps the present state under a name, for reset(name)."""
    keyframes(self)[str(name)] = self.state()


def reset(self, keyframe=None):
    """Goes to a keyframe; without a name to the first one, or to the state in which the simulation was made.

    What was changed of the world besides its state (motors, loads, bodies added) stays as it is.
    """
    kept = keyframes(self)
    if keyframe is not None and keyframe not in kept:
        raise _talus.InvalidArgument(f"there is no keyframe '{keyframe}'; there are: {', '.join(kept) or 'none'}")
    self.restore(kept[keyframe] if keyframe is not None else _beginnings[self])


_beginnings = weakref.WeakKeyDictionary()


def remember_beginning(simulation):
    _beginnings[simulation] = simulation.state()


def of_world(name):
    """A method of the world, for simulations as well."""
    def call(self, *args, **kwargs):
        return getattr(self.world, name)(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = getattr(_talus.World, name).__doc__
    call.same_as = getattr(_talus.World, name)  # whose signature and docstring it gets in _help.py
    return call


def hint_at(kind_name):
    """A __getattr__ that knows the names of other programs."""
    kind, known = getattr(_talus, kind_name), ELSEWHERE[kind_name]

    def missing(self, name):
        text = f"'{kind_name}' object has no attribute '{name}'"
        if name in known:
            text += f"; here it is {known[name]}"
        elif kind_name == "Simulation" and hasattr(_talus.World, name):
            text += f"; the world of the simulation has it: world.{name}"
        else:
            import difflib
            names = [each for each in dir(kind) if not each.startswith("_")]
            close = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
            text += f"; did you mean {', '.join(close)}?" if close and not name.startswith("_") else ""
        raise AttributeError(text)

    return missing


def hint_in_module(name):
    """The __getattr__ of the package."""
    import difflib
    import importlib
    if name in ("environments", "examples"):  # not loaded before they are wanted
        return importlib.import_module(f"talus.{name}")
    text = f"module 'talus' has no attribute '{name}'"
    close = difflib.get_close_matches(name, [each for each in dir(_talus) if not each.startswith("_")], n=3, cutoff=0.6)
    if name in MODULES:
        text += f"; here it is talus.{MODULES[name]}"
    elif close and not name.startswith("_"):
        text += f"; did you mean {', '.join(close)}?"
    raise AttributeError(text)


def array_of_masses(self):
    """Of all bodies, kg, by number and by name: masses["ball"]."""
    bodies = self.bodies
    return NamedArray([body.mass for body in bodies], [body.name for body in bodies])


def body_names(self):
    """Names of the bodies, in the order of their numbers."""
    return [body.name for body in self.bodies]


def joint_names(self):
    """Names of the joints, in the order of their numbers."""
    return [joint.name for joint in self.joints]


def install():
    simulation, world = _talus.Simulation, _talus.World
    for name in ("joint_positions", "joint_velocities", "given_efforts", "motor_targets", "motor_efforts"):
        setattr(simulation, name, named_by_joints(vars(simulation)[name]))
    simulation.joint_state = joint_state
    simulation.keyframes = property(keyframes)
    simulation.save_keyframe, simulation.reset = save_keyframe, reset
    for name in ("ray_cast", "ray_cast_many", "closest", "closest_to"):
        setattr(simulation, name, of_world(name))
    world.model = model
    world.masses, world.body_names, world.joint_names = map(property, (array_of_masses, body_names, joint_names))
    world._repr_html_, simulation._repr_html_ = world_html, simulation_html
    for kind_name in ELSEWHERE:
        getattr(_talus, kind_name).__getattr__ = hint_at(kind_name)
