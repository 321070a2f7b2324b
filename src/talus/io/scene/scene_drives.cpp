// Drives of kinematic bodies, and plates that a motor of limited force pushes.

#include "talus/io/scene/scene_bodies.h"

#include <fmt/format.h>

#include <numbers>

namespace talus {

namespace {

constexpr double per_degree = std::numbers::pi / 180;

Vec3 read_axis(const SceneFields& f) {
  const Vec3 axis = f.vector("axis", Vec3{0, 0, 1});
  if (!(norm(axis) > 0)) f.fail("the axis must not be zero");
  return normalized(axis);
}

void append_term(std::string& formula, double factor, const std::string& term) {
  if (factor == 0) return;
  formula += fmt::format("{}{}*({})", formula.empty() ? "" : " + ", factor, term);
}

/// `sines`: terms amplitude (sin(2π f t + phase) - sin phase), as formulas.
void read_sines(const SceneValue& list, const std::string& what, const Vec3& axis,
                DriveDescription& drive) {
  for (const SceneValue& value : to_list(list, what)) {
    const SceneFields f(value, what, {"amplitude", "angle", "frequency", "phase"});
    const Vec3 amplitude = f.vector("amplitude", Vec3{});
    const Vec3 turn = f.number("angle", 0.0) * per_degree * axis;
    const double frequency = f.number("frequency", positive);
    const double phase = f.number("phase", 0.0) * per_degree;
    const std::string term = fmt::format("sin(2*pi*{}*t + {}) - sin({})", frequency, phase, phase);
    for (int k = 0; k < 3; ++k) {
      append_term(drive.displacement_formula[static_cast<std::size_t>(k)], amplitude[k], term);
      append_term(drive.rotation_formula[static_cast<std::size_t>(k)], turn[k], term);
    }
  }
}

} // namespace

DriveDescription read_drive(const SceneValue& value, const std::string& what) {
  const SceneFields f(value, what,
                      {"amplitude", "frequency", "phase", "axis", "angle", "start", "stop",
                       "displacement", "sines"});
  DriveDescription drive;
  drive.amplitude = f.vector("amplitude", Vec3{});
  const Vec3 axis = read_axis(f);
  double angle = 0;
  TimeTable<double> angles;
  std::string angle_formula;
  if (f.find("angle")) read_over_time(f, "angle", per_degree, angle, angles, angle_formula);
  drive.turn = angle * axis;
  for (const auto& [time, each] : angles) drive.rotations.emplace_back(time, each * axis);
  for (int k = 0; k < 3 && !angle_formula.empty(); ++k)
    append_term(drive.rotation_formula[static_cast<std::size_t>(k)], axis[k], angle_formula);
  Vec3 constant;
  read_over_time(f, "displacement", constant, drive.displacements, drive.displacement_formula);
  if (constant != Vec3{} || (f.find("displacement") && drive.displacements.empty() &&
                             is_empty(drive.displacement_formula)))
    f.fail("displacement must be a time table or three formulas of t; a place is `position`");
  if (const SceneValue* sines = f.find("sines")) read_sines(*sines, what + ": sines", axis, drive);
  const bool has_others = !angles.empty() || !drive.displacements.empty() ||
                          !is_empty(drive.displacement_formula) ||
                          !is_empty(drive.rotation_formula);
  if (!has_others || f.find("frequency")) drive.frequency = f.number("frequency", positive);
  drive.phase = f.number("phase", 0.0) * per_degree;
  drive.start = f.number("start", 0.0, not_negative);
  drive.stop = f.number("stop", drive.stop, positive);
  if (!(drive.stop > drive.start))
    f.fail(fmt::format("stop = {} s is not after start = {} s", drive.stop, drive.start));
  return drive;
}

void add_servo(const SceneValue& value, const std::string& what, Index body, WorldDraft& draft) {
  std::vector<std::string_view> keys = motor_keys;
  std::erase(keys, "max_effort");
  keys.insert(keys.end(), {"axis", "max_force"});
  const SceneFields f(value, what, keys);
  const Body& plate = draft.world().body(body);
  if (plate.kind != BodyKind::dynamic)
    f.fail("only a dynamic body has a servo; a kinematic one has a drive, of unlimited force");
  JointDescription joint;
  joint.name = plate.name + " servo";
  joint.kind = JointKind::prismatic;
  joint.body_b = plate.name;
  joint.at = draft.world().pose(body).position;
  joint.axis = read_axis(f);
  joint.motor = read_motor(f, 1);
  read_largest_effort(f, "max_force", *joint.motor);
  with_location(f.place(), f.what(), [&] { return draft.add(std::move(joint)); });
}

} // namespace talus
