#pragma once
// A rigid motion with its rotation as a matrix: cheaper than a Transform to apply many times.

#include "talus/core/transform.h"

namespace talus {

struct Frame {
  Mat3 rotation = Mat3::identity();
  Vec3 position;

  Frame() = default;
  explicit Frame(const Transform& t)
      : rotation(rotation_matrix(t.rotation)), position(t.position) {}
  Vec3 point(const Vec3& local) const { return rotation * local + position; }
  Vec3 direction(const Vec3& local) const { return rotation * local; }
  Vec3 local_point(const Vec3& world) const { return transpose_times(rotation, world - position); }
  Vec3 local_direction(const Vec3& world) const { return transpose_times(rotation, world); }
};

} // namespace talus
