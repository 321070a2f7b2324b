// Materials of worlds: coefficients of surfaces, of pairs, and their rules.

#include "bindings.h"
#include "world_parts.h"
#include "world_ref.h"

namespace talus::python {
namespace {

/// N/m, "auto" or "rigid".
using Stiffness = std::variant<double, std::string>;
double stiffness_from(const Stiffness& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  const std::string& word = std::get<std::string>(value);
  if (word == "auto") return automatic_stiffness;
  if (word == "rigid") return rigid_stiffness;
  throw InvalidArgument(
      fmt::format("stiffness is '{}', it must be a number in N/m, 'auto' or 'rigid'", word));
}

/// A force in N, or all of it.
using CohesionArgument = std::variant<double, Cohesion>;
Cohesion cohesion_from(const CohesionArgument& value) {
  if (const auto* force = std::get_if<double>(&value)) return {.force = *force};
  return std::get<Cohesion>(value);
}

} // namespace

void bind_material_classes(py::module_& m) {
  using py::arg;
  py::class_<Cohesion>(m, "Cohesion", py::dynamic_attr(), "How contacts of a material pull.")
      .def(py::init([](double force, double stress, double range, bool heals) {
             return Cohesion{force, stress, range, heals};
           }),
           arg("force") = 0.0, arg("stress") = 0.0, arg("range") = 0.0, arg("heals") = true,
           "A force (N) of each pair of touching shapes, a stress (Pa) on the area between their "
           "contact points, the gap (m) up to which they still pull, and whether they stick again "
           "after they came apart.")
      .def_readonly("force", &Cohesion::force, "N.")
      .def_readonly("stress", &Cohesion::stress, "Pa.")
      .def_readonly("range", &Cohesion::range, "m.")
      .def_readonly("heals", &Cohesion::heals, "Whether it sticks again.");
}

void bind_materials(WorldClass& world) {
  using py::arg;
  world.def(
      "add_material",
      [](WorldRef& w, std::string name, double friction, double restitution,
         const Stiffness& stiffness, double rolling, double spinning, double tangential_ratio,
         double young, double poisson, const CohesionArgument& cohesion) {
        return w->add(Material{.name = std::move(name),
                               .friction = friction,
                               .restitution = restitution,
                               .stiffness = stiffness_from(stiffness),
                               .rolling = rolling,
                               .spinning = spinning,
                               .tangential_ratio = tangential_ratio,
                               .young = young,
                               .poisson = poisson,
                               .cohesion = cohesion_from(cohesion)});
      },
      arg("name"), arg("friction") = 0.5, arg("restitution") = 0.0, arg("stiffness") = "auto",
      arg("rolling") = 0.0, arg("spinning") = 0.0, arg("tangential_ratio") = 1.0,
      arg("young") = 0.0, arg("poisson") = 0.3, arg("cohesion") = 0.0,
      "Adds a surface material and returns its number. Bodies without one have \"default\". "
      "stiffness is in N/m at each contact point, or \"auto\" (StepOptions.relative_compliance), "
      "or \"rigid\". rolling and spinning are the lengths in m that bound the moments of rolling "
      "and spinning friction. tangential_ratio is k_t / k_n of the stiffness. With young, Young's "
      "modulus in Pa, and poisson, contacts obey Hertz' law in place of a stiffness. cohesion is a "
      "force in N, or a Cohesion.");
  world.def(
      "set_material",
      [](WorldRef& w, const Key& key, double friction, double restitution,
         const std::optional<Stiffness>& stiffness, std::optional<double> rolling,
         std::optional<double> spinning, std::optional<double> tangential_ratio,
         std::optional<double> young, std::optional<double> poisson,
         const std::optional<CohesionArgument>& cohesion) {
        const Index index = material_index(*w, key);
        Material material = w->materials[index];
        material.friction = friction;
        material.restitution = restitution;
        if (stiffness) material.stiffness = stiffness_from(*stiffness);
        if (rolling) material.rolling = *rolling;
        if (spinning) material.spinning = *spinning;
        if (tangential_ratio) material.tangential_ratio = *tangential_ratio;
        if (young) material.young = *young;
        if (poisson) material.poisson = *poisson;
        if (cohesion) material.cohesion = cohesion_from(*cohesion);
        w->materials.replace(index, material);
      },
      arg("material"), arg("friction"), arg("restitution") = 0.0, arg("stiffness") = py::none(),
      arg("rolling") = py::none(), arg("spinning") = py::none(),
      arg("tangential_ratio") = py::none(), arg("young") = py::none(), arg("poisson") = py::none(),
      arg("cohesion") = py::none(),
      "Changes friction and restitution of a material; all else stays unless given. young = 0 "
      "takes Hertz' law away.");
  world.def(
      "set_material_rules",
      [](WorldRef& w, std::optional<CombineRule> friction, std::optional<CombineRule> restitution,
         std::optional<CombineRule> rolling, std::optional<CombineRule> cohesion) {
        if (friction) w->materials.friction_rule = *friction;
        if (restitution) w->materials.restitution_rule = *restitution;
        if (rolling) w->materials.rolling_rule = *rolling;
        if (cohesion) w->materials.cohesion_rule = *cohesion;
      },
      py::kw_only(), arg("friction") = py::none(), arg("restitution") = py::none(),
      arg("rolling") = py::none(), arg("cohesion") = py::none(),
      "How coefficients of two materials become that of their contact: \"average\", "
      "\"geometric_mean\" (friction, rolling and cohesion unless told), \"minimum\", \"maximum\" "
      "(restitution unless told) or \"product\". rolling is for rolling and spinning friction.");
  world.def(
      "set_material_pair",
      [](WorldRef& w, const Key& a, const Key& b, double friction, double restitution,
         const std::optional<Stiffness>& stiffness, double rolling, double spinning,
         std::optional<double> tangential_ratio, const CohesionArgument& cohesion) {
        MaterialPair pair{material_index(*w, a), material_index(*w, b), friction, restitution};
        if (stiffness) pair.stiffness = stiffness_from(*stiffness);
        pair.rolling = rolling;
        pair.spinning = spinning;
        pair.tangential_ratio = tangential_ratio;
        pair.cohesion = cohesion_from(cohesion);
        w->materials.set_pair(pair);
      },
      arg("a"), arg("b"), arg("friction"), arg("restitution") = 0.0, arg("stiffness") = py::none(),
      arg("rolling") = 0.0, arg("spinning") = 0.0, arg("tangential_ratio") = py::none(),
      arg("cohesion") = 0.0,
      "Coefficients measured for two materials; they replace the combination rules. Without a "
      "stiffness the materials' springs act in series, and without a tangential_ratio it follows "
      "from theirs.");
}

} // namespace talus::python
