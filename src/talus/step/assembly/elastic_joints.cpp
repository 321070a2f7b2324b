#include "talus/step/assembly/elastic_joints.h"

#include "talus/core/elementary.h"

#include <cmath>

namespace talus {

ElasticRow elastic_row(double stiffness, double damping, double elongation, double h) {
  if (std::isinf(stiffness)) return {elongation / h, 0};
  const double rate = h * stiffness + damping;
  return {stiffness * elongation / rate, 1 / (h * rate)};
}

SpringElongation spring_elongation(const World& world, const Joint& joint, double coordinate) {
  const double rest = joint.spring ? joint.spring->rest : 0;
  if (has_coordinate(joint.kind)) return {1, {coordinate - rest, 0, 0}};
  const auto [a, b] = joint_frames(world, joint);
  const Quaternion relative = conjugate(a.rotation) * b.rotation;
  if (joint.kind == JointKind::spherical) return {3, logarithmic_map(relative)};
  if (joint.kind == JointKind::universal) {
    // The rotation is first φ₂ about x, then φ₁ about z: x_b = (cos φ₁, sin φ₁, 0) seen from a, and
    // the parts of y_b and z_b along z of a are sin φ₂ and cos φ₂.
    const Vec3 x = rotate(relative, {1, 0, 0}), y = rotate(relative, {0, 1, 0}),
               z = rotate(relative, {0, 0, 1});
    return {2, {angle_of(x.y, x.x), angle_of(y.z, z.z), 0}};
  }
  return {1, {norm(b.position - a.position) - joint.distance - rest, 0, 0}};
}

namespace {

double bushing_energy(const World& world, const Joint& joint) {
  const auto [a, b] = joint_frames(world, joint);
  const Vec3 apart = rotate_back(a.rotation, b.position - a.position);
  const Vec3 angle = logarithmic_map(conjugate(a.rotation) * b.rotation);
  double sum = 0;
  for (int k = 0; k < 3; ++k)
    sum += 0.5 * joint.bushing.stiffness[k] * apart[k] * apart[k] +
           0.5 * joint.bushing.angular_stiffness[k] * angle[k] * angle[k];
  return sum;
}

} // namespace

double spring_energy(const World& world) {
  double sum = 0;
  const auto joints = world.joints();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].removed) continue;
    if (joints[j].kind == JointKind::bushing) sum += bushing_energy(world, joints[j]);
    if (!joints[j].spring) continue;
    const Vec3 g = spring_elongation(world, joints[j], world.joint_coordinates()[j]).values;
    sum += 0.5 * joints[j].spring->stiffness * dot(g, g);
  }
  return sum;
}

} // namespace talus
