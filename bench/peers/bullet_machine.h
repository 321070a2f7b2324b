#pragma once
// A Talus world of machines and stones in Bullet: the same bodies, shapes, friction, joints,
// motors, springs and efforts. For vehicle_bench; scenes of the race (peer.h) are simpler.

#include "talus/world/world.h"

#include <memory>

namespace talus::peers {

/// Bodies and joints of a world in Bullet. Revolute and prismatic joints, with motors of limited
/// effort, springs, limits and efforts, distance joints and spherical ones are understood.
class BulletMachine {
public:
  /// Throws InvalidArgument for what Bullet has no counterpart of here.
  BulletMachine(const World& world, double step, int iterations);
  ~BulletMachine();
  void step();
  /// Writes where everything is into a world of the same bodies.
  void read(World& world) const;

private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

/// Whether the program was built with Bullet.
bool has_bullet_machine();

} // namespace talus::peers
