// Simulation: options, steps, reports, contacts, states.

#include "arrays.h"
#include "bindings.h"
#include "callbacks.h"
#include "contacts.h"
#include "forces.h"
#include "problem_casters.h"
#include "sensors.h"
#include "simulation_ref.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/io/scene.h"
#include "talus/step/formulation.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::python {

SimulationRef::SimulationRef(const WorldRef& world, const StepOptions& options,
                             std::span<const SensorDescription> sensors)
    : world_(std::make_shared<WorldRef>()) {
  World copy = *world.world;
  copy.add(python_forces(world_));
  simulation_ = std::make_shared<Simulation>(std::move(copy), options);
  world_->world = std::shared_ptr<World>(simulation_, &simulation_->world());
  world_->forces = world.forces;
  world_->base = world.base;
  if (world.recipe) world_->recipe.emplace(py::dict(world.recipe->get().attr("copy")()));
  for (const SensorDescription& sensor : sensors) sensors_->emplace_back(sensor, *world_->world);
}

void SimulationRef::add_follower(std::weak_ptr<StepFollower> follower) const {
  if (world_->stepping) throw std::runtime_error("the simulation is being stepped already");
  std::erase_if(*followers_, [](const auto& each) { return each.expired(); });
  followers_->push_back(std::move(follower));
}

StepReport SimulationRef::step_once(Simulation& simulation) const {
  StepReport report = simulation.step();
  for (const std::weak_ptr<StepFollower>& each : *followers_)
    if (const auto follower = each.lock()) follower->after_step(simulation);
  return report;
}

namespace {

void set_formulation(StepOptions& options, const std::string& name, const std::string& solver) {
  if (name.empty())
    options.formulation.clear();
  else
    choose_formulation(options, name, solver);
}

/// Keeps the Python object alive that a solver is part of.
struct KeepOwner {
  SharedObject owner;
  void operator()(Solver*) const {}
};

/// A solver by name or a Python object, which lives as long as options refer to it.
void set_solver(StepOptions& options, const py::object& solver) {
  if (py::isinstance<py::str>(solver)) {
    options.solver = solver.cast<std::string>();
    options.own_solver = nullptr;
    return;
  }
  if (!py::isinstance<Solver>(solver))
    throw py::type_error("solver is a name of talus.solver_names() or a talus.Solver");
  use_solver(options,
             std::shared_ptr<Solver>(solver.cast<Solver*>(), KeepOwner{SharedObject(solver)}));
}

py::object solver_of(const StepOptions& options) {
  const auto* own = std::get_deleter<KeepOwner>(options.own_solver);
  return own != nullptr ? own->owner.get() : py::str(options.solver);
}

} // namespace

StepOptions changed(StepOptions options, const py::kwargs& changes) {
  const py::object wrapped = py::cast(std::move(options));
  for (const auto& [name, value] : changes) {
    if (!py::hasattr(wrapped, name))
      throw py::type_error(
          fmt::format("unknown step option '{}'; see talus.StepOptions", name.cast<std::string>()));
    if (name.cast<std::string>() != "formulation") py::setattr(wrapped, name, value);
  }
  auto result = wrapped.cast<StepOptions>();
  if (!changes.contains("formulation")) return result;
  const auto formulation = changes["formulation"].cast<std::string>();
  const Law law = result.law;
  set_formulation(result, formulation, changes.contains("solver") ? result.solver : "");
  if (changes.contains("law") && !formulation.empty())
    require_admitted(find_formulation(formulation), law, result.solver);
  return result;
}

namespace {

void bind_options(py::module_& m) {
  py::class_<StepOptions>(m, "StepOptions", "How a simulation steps.")
      .def(py::init([](const py::kwargs& options) { return changed({}, options); }),
           "Takes its attributes as keywords.")
      .def_readwrite("step", &StepOptions::step, "Length of a step, s; 1/240.")
      .def_readwrite("law", &StepOptions::law, "\"coulomb\" or \"associated\".")
      .def_readwrite("friction", &StepOptions::friction, "Friction set: \"cone\", \"pyramid\", ...")
      .def_property(
          "formulation", [](const StepOptions& o) { return o.formulation; },
          [](StepOptions& o, const std::string& name) { set_formulation(o, name, ""); },
          "One of talus.formulation_names(), which brings its law and solver and the friction set "
          "it "
          "needs; \"\": none.")
      .def_property("solver", &solver_of, &set_solver,
                    "A name of talus.solver_names(), or a Solver: one of make_solver, or one "
                    "written in Python.")
      .def_property(
          "solver_options",
          [](const StepOptions& o) {
            py::dict result;
            for (const auto& [name, value] : o.solver_options) result[py::str(name)] = value;
            return result;
          },
          [](StepOptions& o, const py::dict& values) {
            o.solver_options.clear();
            for (const auto& [name, value] : values)
              o.solver_options.emplace_back(py::str(name), option_text(value));
          },
          "Options of the solver by name.")
      .def_readwrite("tolerance", &StepOptions::tolerance,
                     "Largest error of a solve. Negative: 1e-8 with up to 500 contacts, 1e-6 up to "
                     "20,000, 1e-4 beyond.")
      .def_readwrite("max_iterations", &StepOptions::max_iterations, "Of a solve; 100000.")
      .def_readwrite("max_products", &StepOptions::max_products,
                     "Products with N per solve, factorisations included; 0: none.")
      .def_readwrite("time_limit", &StepOptions::time_limit, "Seconds per solve; 0: none.")
      .def_readwrite("eliminate_joints", &StepOptions::eliminate_joints,
                     "Whether joints are solved exactly, apart from the contacts.")
      .def_readwrite("envelope", &StepOptions::envelope,
                     "Gap up to which contacts count, m; negative: chosen in each step.")
      .def_readwrite("relative_compliance", &StepOptions::relative_compliance,
                     "Of contacts whose stiffness is automatic; 0.01. 0: rigid.")
      .def_readwrite("allowed_penetration", &StepOptions::allowed_penetration,
                     "Penetration that counts as touching, m; negative: 1e-5 of the smallest "
                     "body's bounding radius.")
      .def_readwrite("recovery_speed", &StepOptions::max_recovery_speed,
                     "Bound on the speed at which penetrations are undone, m/s; negative: for each "
                     "contact √(|gravity| R), at least R / 2 s, with the smaller body's bounding "
                     "radius R; inf: none.")
      .def_readwrite("restitution", &StepOptions::restitution,
                     "Whether impacts rebound; as far as energy does not grow.")
      .def_readwrite("restitution_threshold", &StepOptions::restitution_threshold,
                     "Approach speed below which they do not, m/s; negative: 2 h |gravity|.")
      .def_property(
          "impact_law", [](const StepOptions& o) { return std::string(to_string(o.impact_law)); },
          [](StepOptions& o, const std::string& name) { o.impact_law = impact_law_from(name); },
          "\"newton\" or \"poisson\": what the coefficients of restitution mean.")
      .def_readwrite("warm_start", &StepOptions::warm_start, "Start from the last impulses.")
      .def_property(
          "threads", [](const StepOptions& o) { return o.threads; },
          [](StepOptions& o, int threads) {
            require_thread_count(threads);
            o.threads = threads;
          },
          "0: all the machine has; at most 4096. Results do not depend on it.");
}

void bind_report(py::module_& m) {
  using R = StepReport;
  py::class_<R>(m, "StepReport", "What happened in one step; energies are those at its end.")
      .def_readonly("step", &R::step, "1 for the first.")
      .def_readonly("time", &R::time, "At the end of the step, s.")
      .def_readonly("contacts", &R::contacts, "Contacts in the problem.")
      .def_readonly("joint_rows", &R::joint_rows, "Equality and limit rows.")
      .def_readonly("envelope", &R::envelope, "Gap up to which contacts counted, m.")
      .def_readonly("max_penetration", &R::max_penetration, "At the start of the step, m.")
      .def_readonly("max_joint_error", &R::max_joint_error, "At the end of the step, m or rad.")
      .def_readonly("outran_envelope", &R::outran_envelope,
                    "Bodies that moved farther than the envelope foresaw.")
      .def_readonly("status", &R::status, "Of the solve: \"converged\", \"stalled\", ...")
      .def_readonly("message", &R::message, "Why it did not converge.")
      .def_readonly("iterations", &R::iterations, "Of the solver.")
      .def_readonly("tolerance", &R::tolerance, "Of the solve; 0 when there was nothing to solve.")
      .def_readonly("work", &R::work, "Products with N, factorisations included.")
      .def_readonly("error", &R::error, "Judged error of the solve.")
      .def_readonly("violation", &R::violation, "Of the worst contact or row, m/s.")
      .def_property_readonly("converged", &R::converged, "Whether the tolerance was met.")
      .def_readonly("restitution_scale", &R::restitution_scale,
                    "Smallest factor that coefficients of restitution were scaled with lest "
                    "impacts create energy; mostly 1.")
      .def_readonly("kinetic_energy", &R::kinetic_energy, "J.")
      .def_readonly("potential_energy", &R::potential_energy, "In gravity, J.")
      .def_readonly("elastic_energy", &R::elastic_energy,
                    "Stored in contacts that yield and in springs, J.")
      .def_readonly("momentum", &R::momentum, "N s.")
      .def_readonly("angular_momentum", &R::angular_momentum, "About the origin, N m s.")
      .def_readonly("seconds_collide", &R::seconds_collide, "Time spent on collision.")
      .def_readonly("seconds_build", &R::seconds_build, "Time spent on building the problem.")
      .def_readonly("seconds_solve", &R::seconds_solve, "Time spent on solving.")
      .def_readonly("seconds_advance", &R::seconds_advance, "Time spent on advancing.")
      .def_property_readonly("seconds", &R::seconds, "Of the whole step.")
      .def("__repr__", [](const R& r) {
        return fmt::format("<talus.StepReport {}: t = {:.6g} s, {} contacts, {}, error {:.3g}>",
                           r.step, r.time, r.contacts, to_string(r.status), r.error);
      });
}

void bind_state(py::module_& m) {
  py::class_<SimulationState>(m, "SimulationState",
                              "All that decides the future of a simulation besides its world and "
                              "options. Restoring it and stepping equals stepping on, bit for bit.")
      .def_readonly("time", &SimulationState::time, "s.")
      .def_readonly("steps", &SimulationState::steps, "Steps made.")
      .def("__eq__", [](const SimulationState& a, const SimulationState& b) { return a == b; });
}

/// Steps until `time`, looking for Ctrl-C and calling `each` between steps.
void run_until(const SimulationRef& simulation, double time,
               const std::optional<py::function>& each) {
  if (!std::isfinite(time))
    throw InvalidArgument(fmt::format("until is {}, it must be a finite time (s)", time));
  const std::int64_t count = steps_until(time - simulation->time(), simulation->options().step);
  for (std::int64_t i = 0; i < count; ++i) {
    simulation.alone([&](Simulation& s) { simulation.step_once(s); });
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (each) (*each)(simulation->report());
  }
}

void bind_stepping(SimulationClass& simulation) {
  simulation.def(
      "step",
      [](const SimulationRef& s) {
        return s.alone([&](Simulation& each) { return s.step_once(each); });
      },
      "Advances by one step, without the GIL, and returns the report. Whatever it raises leaves "
      "the "
      "simulation as it was.");
  simulation.def("run", &run_until, py::arg("until"), py::arg("each") = py::none(),
                 "Steps until the time `until`, calling each(report) after every step.");
  simulation.def(
      "next_problem",
      [](const SimulationRef& s) {
        return s.alone(
            [](Simulation& each) { return std::make_shared<ContactProblem>(each.next_problem()); });
      },
      "The contact problem of the next step, without solving it or advancing.");
  simulation.def(
      "state", [](const SimulationRef& s) { return s->state(); }, "A copy of the present state.");
  simulation.def(
      "restore",
      [](const SimulationRef& s, const SimulationState& state) {
        s.alone([&](Simulation& each) { each.restore(state); });
      },
      py::arg("state"), "Goes back (or on) to a state.");
  simulation.def(
      "set_options",
      [](const SimulationRef& s, const py::kwargs& changes) {
        const StepOptions options = changed(s->options(), changes);
        s.alone([&](Simulation& each) { each.set_options(options); });
      },
      "Changes options by name, from the next step on.");
  simulation.def(
      "_use_options",
      [](const SimulationRef& s, const StepOptions& options) {
        s.alone([&](Simulation& each) { each.set_options(options); });
      },
      py::arg("options"), "Replaces all options, for copies (talus/_copying.py).");
}

void bind_results(SimulationClass& simulation) {
  simulation.def_property_readonly(
      "world", [](const SimulationRef& s) { return s.world(); },
      "The world inside: a reference, to read and change between steps.");
  simulation.def_property_readonly(
      "options", [](const SimulationRef& s) { return s->options(); },
      "A copy; set_options changes them.");
  simulation.def_property_readonly(
      "time", [](const SimulationRef& s) { return s->time(); }, "s.");
  simulation.def_property_readonly(
      "steps", [](const SimulationRef& s) { return s->steps(); }, "Steps made so far.");
  simulation.def_property_readonly(
      "report", [](const SimulationRef& s) { return s->report(); }, "Of the last step.");
  simulation.def_property_readonly(
      "contacts",
      [](const SimulationRef& s) {
        return Contacts{{s->contacts().begin(), s->contacts().end()},
                        {s->contact_impulses().begin(), s->contact_impulses().end()},
                        s->options().step,
                        s.world()};
      },
      "Of the last step, with their impulses.");
  simulation.def_property_readonly(
      "problem",
      [](const SimulationRef& s) { return std::make_shared<ContactProblem>(s->problem()); },
      "The contact problem of the last step; a copy.");
  simulation.def_property_readonly(
      "solution", [](const SimulationRef& s) { return frozen_copy(s->solution()); },
      "Impulses and multipliers of the last step.");
  simulation.def("__repr__", [](const SimulationRef& s) {
    return fmt::format("<talus.Simulation of {} bodies, t = {:.6g} s, {} steps>", s->world().size(),
                       s->time(), s->steps());
  });
}

} // namespace

void bind_simulation(py::module_& m) {
  bind_options(m);
  m.def("formulation_names", &formulation_names,
        "Ways to pose a step, for StepOptions.formulation, in the order of the paper.");
  bind_report(m);
  bind_state(m);
  bind_contacts(m);
  SimulationClass simulation(m, "Simulation", "A world that moves, step by step.");
  simulation.def(py::init([](const WorldRef& world, const std::optional<StepOptions>& options,
                             const py::kwargs& changes) {
                   return std::make_shared<SimulationRef>(
                       world, changed(options.value_or(StepOptions{}), changes));
                 }),
                 py::arg("world"), py::arg("options") = py::none(),
                 "Copies the world. Options come from a StepOptions, single ones as keywords: "
                 "Simulation(world, step=1/500, solver=\"nsgs\").");
  bind_stepping(simulation);
  bind_results(simulation);
  bind_forces(simulation);
  bind_sensors(simulation);
}

} // namespace talus::python
