// Wind, fluids, drag, loads that follow bodies, removal of bodies, and formulas.

#include "bindings.h"
#include "talus/world/formula.h"
#include "talus/world/time_table.h"
#include "world_parts.h"

#include <fmt/format.h>

namespace talus::python {
namespace {

constexpr double no_level = std::numeric_limits<double>::infinity();

/// The world, to be changed between steps.
World& resting(const WorldRef& w) {
  if (w.stepping) throw InvalidArgument("the world is being stepped: change it between steps");
  return *w;
}

/// A constant vector, a table of (time, vector), or a function.
using FlowArgument = std::variant<Vec3, py::function>;
using ForceArgument = std::variant<Vec3, TimeTable<Vec3>, py::function>;
using LevelArgument = std::variant<double, TimeTable<double>, py::function>;

VelocityField field_from(const std::optional<FlowArgument>& given) {
  if (!given) return nullptr;
  if (const auto* constant = std::get_if<Vec3>(&*given)) {
    if (!is_finite(*constant))
      throw InvalidArgument("the velocity of a wind or flow must be finite");
    return [velocity = *constant](const Vec3&, double) { return velocity; };
  }
  return [shared = SharedFunction(std::get<py::function>(*given))](const Vec3& place, double time) {
    const py::gil_scoped_acquire gil;
    return shared.get()(place, time).template cast<Vec3>();
  };
}

std::function<Vec3(double)> force_from(const ForceArgument& given) {
  if (const auto* constant = std::get_if<Vec3>(&given)) {
    if (!is_finite(*constant)) throw InvalidArgument("a force must be finite");
    return [force = *constant](double) { return force; };
  }
  if (const auto* table = std::get_if<TimeTable<Vec3>>(&given)) {
    check_table(*table, "force");
    return [table = *table](double time) { return value_at(table, time); };
  }
  return function_of_time<Vec3>(std::get<py::function>(given));
}

void add_fluid(WorldRef& w, double density, const LevelArgument& level, double viscosity,
               double coefficient, const std::optional<FlowArgument>& flow, bool buoyancy,
               const Vec3& normal, std::string name) {
  Fluid fluid{.name = std::move(name),
              .density = density,
              .viscosity = viscosity,
              .coefficient = coefficient,
              .normal = normal,
              .flow = field_from(flow),
              .buoyancy = buoyancy};
  if (const auto* number = std::get_if<double>(&level))
    fluid.level = *number;
  else if (const auto* table = std::get_if<TimeTable<double>>(&level))
    fluid.level_at = following(*table);
  else
    fluid.level_at = function_of_time<double>(std::get<py::function>(level));
  resting(w).add(std::move(fluid));
}

} // namespace

void bind_surrounding_classes(py::module_& m) {
  using py::arg;
  py::class_<Drag>(m, "Drag", py::dynamic_attr(),
                   "How a body resists being moved: force -(linear + quadratic |u|) u for its "
                   "velocity u relative to the wind, torque -angular times its angular velocity.")
      .def(py::init([](double linear, double quadratic, double angular,
                       std::optional<double> coefficient, std::optional<double> area) {
             return Drag{linear, quadratic, angular, coefficient, area};
           }),
           py::kw_only(), arg("linear") = 0.0, arg("quadratic") = 0.0, arg("angular") = 0.0,
           arg("coefficient") = py::none(), arg("area") = py::none(),
           "N s/m, N s²/m², N m s; coefficient and area (m²) replace what fluids take by default.")
      .def_readonly("linear", &Drag::linear, "N s/m.")
      .def_readonly("quadratic", &Drag::quadratic, "N s²/m².")
      .def_readonly("angular", &Drag::angular, "N m s.")
      .def_readonly("coefficient", &Drag::coefficient, "In fluids; None: the fluid's.")
      .def_readonly("area", &Drag::area, "m², in fluids; None: of the ball of equal volume.");
  py::class_<Formula>(m, "Formula", py::dynamic_attr(),
                      "A formula in text, as scene files have them: + - * / ^, sin cos exp log "
                      "sqrt abs min max, pi, and variables.")
      .def(py::init<std::string_view, std::vector<std::string>>(), arg("text"),
           arg("variables") = std::vector<std::string>{"t"},
           "Raises ValueError that names the column.")
      .def(
          "__call__",
          [](const Formula& f, const py::args& values) {
            std::vector<double> numbers;
            for (const py::handle& value : values) numbers.push_back(value.cast<double>());
            return f(numbers);
          },
          "The value for values of the variables, in their order.");
}

void bind_surroundings(WorldClass& world) {
  using py::arg;
  world.def("add_fluid", &add_fluid, arg("density") = 1000.0, arg("level") = no_level,
            arg("viscosity") = 0.0, arg("drag_coefficient") = 0.47, arg("flow") = py::none(),
            arg("buoyancy") = true, arg("normal") = Vec3{0, 0, 1}, arg("name") = "",
            "Adds a fluid (kg/m³, Pa s) where normal · x ≤ level: everywhere unless told. level "
            "is a number, a table [(time, level), ...] or a function of the time; flow is a "
            "velocity, or a function (place, time) -> velocity.");
  world.def(
      "set_wind",
      [](WorldRef& w, const std::optional<FlowArgument>& wind) {
        resting(w).set_wind(field_from(wind));
      },
      arg("wind"),
      "The wind that bodies with drag feel: a velocity, a function (place, time) -> "
      "velocity, or None.");
  world.def(
      "set_drag",
      [](WorldRef& w, const Key& key, const Drag& drag) {
        resting(w).set_drag(body_index(*w, key), drag);
      },
      arg("body"), arg("drag"), "Replaces the drag of a body.");
  world.def(
      "add_point_load",
      [](WorldRef& w, const Key& key, const ForceArgument& force, const Vec3& point,
         const std::string& axes) {
        if (axes != "world" && axes != "body")
          throw InvalidArgument(fmt::format("axes is '{}', it must be 'world' or 'body'", axes));
        resting(w).add(PointLoad{body_index(*w, key), point, force_from(force), axes == "body"});
      },
      arg("body"), arg("force"), arg("point") = Vec3{}, arg("axes") = "world",
      "A force (N) at a point of a body, given in its reference frame, which it follows: a "
      "vector, a table [(time, vector), ...] or a function of the time; in axes of the world or "
      "of the body.");
  world.def(
      "remove_body",
      [](WorldRef& w, const Key& key) { resting(w).remove_body(body_index(*w, key)); }, arg("body"),
      "Takes a body away, with the joints on it. All numbers and names stay what they are; the "
      "body stays where it is and touches nothing.");
  world.def_property_readonly(
      "removed_bodies", [](const WorldRef& w) { return w->removed_bodies(); },
      "Numbers of the bodies that were removed.");
}

} // namespace talus::python
