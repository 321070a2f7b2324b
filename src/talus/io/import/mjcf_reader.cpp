#include "talus/io/import/mjcf_reader.h"

#include "talus/core/error.h"
#include "talus/io/import/mjcf_model.h"

namespace talus::robot {

namespace {

void read_options(MjcfModel& m) {
  m.model.gravity = Vec3{0, 0, -9.81};
  m.model.step = 0.002; // MuJoCo's own, unless the file has another
  for (const XmlElement& option : m.document.children(m.document.root())) {
    if (option.name() != "option") continue;
    option.mark();
    if (const auto gravity = option.vector("gravity")) m.model.gravity = *gravity;
    if (const auto step = option.number("timestep")) {
      if (!(*step > 0)) option.fail("timestep must be positive");
      m.model.step = *step;
    }
    if (const XmlElement flag = option.child("flag")) {
      if (!flag.flag("gravity").value_or(true)) m.model.gravity = Vec3{};
      if (!flag.flag("contact").value_or(true)) m.contacts = false;
      if (!flag.flag("filterparent").value_or(true)) m.model.neighbours_touch = true;
    }
  }
}

} // namespace

RobotModel read_mjcf(const ModelFiles& files, const std::string& keyframe, Warnings& warnings) {
  MjcfDocument document(files);
  MjcfModel m{document, warnings, {}, {}, {}, {}, true};
  m.model.name = document.root().find("model").value_or("");
  m.model.friction_rule = CombineRule::maximum;
  m.model.children_touch_fixed_parents = true;
  read_options(m);
  read_mesh_assets(m);
  read_bodies(m);
  read_contacts(m);
  read_equalities(m);
  std::vector<double> control;
  apply_keyframe(m, keyframe, control);
  read_actuators(m, control);
  document.report_unused(warnings);
  return std::move(m.model);
}

} // namespace talus::robot
