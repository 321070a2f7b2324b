#pragma once
// What every engine of the race understands: spheres, capsules, boxes and octahedra between fixed
// planes and boxes, ball joints, one coefficient of friction, no restitution, no sleeping.

#include "talus/core/transform.h"
#include "talus/core/types.h"
#include "talus/step/simulation_state.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace talus::peers {

struct PeerBody {
  double radius = 0;          ///< Of a sphere or capsule; 0 for a box or octahedron.
  double half_length = 0;     ///< Of the cylinder of a capsule, along z; 0 for a sphere.
  Vec3 half;                  ///< Half extents of a box; half axes of an octahedron.
  bool is_octahedron = false; ///< Convex hull of the six ends of its axes.
  double mass = 1;            ///< kg, spread evenly over the volume.
  Vec3 position;
  Quaternion rotation;
  Vec3 velocity;
  bool is_box() const { return radius == 0 && !is_octahedron; }
  bool is_capsule() const { return half_length > 0; }
};

/// The half-space normal·x >= offset is free.
struct PeerPlane {
  Vec3 normal;
  double offset = 0;
};

/// Holds two bodies together at a point, which is given at the start. Their shapes do not touch.
struct PeerJoint {
  Index a, b; ///< a = -1: the world.
  Vec3 point;
};

struct PeerScene {
  Vec3 gravity{0, 0, -9.81};
  double friction = 0.5;
  std::vector<PeerPlane> planes;
  std::vector<PeerBody> obstacles; ///< Fixed boxes.
  std::vector<PeerBody> bodies;
  std::vector<PeerJoint> joints;
  /// Of the simulation that settled them, from which Talus goes on. The others find their impulses,
  /// which are far less exact, in their warm-up.
  std::shared_ptr<const SimulationState> settled;
};

/// An engine holding one scene.
class Peer {
public:
  virtual ~Peer() = default;
  virtual void step() = 0;
  /// A step before the clock runs; may be cheaper where it only has to find the impulses at rest.
  virtual void warm_up() { step(); }
  virtual void set_gravity(const Vec3& gravity) = 0;
  virtual Vec3 position(Index body) const = 0;
  virtual Quaternion rotation(Index body) const = 0;
  virtual Vec3 velocity(Index body) const = 0;
  /// The engine's own measure of its last solve, where it has one; else negative.
  virtual double error() const { return -1; }
  /// Whether that solve missed its tolerance.
  virtual bool missed() const { return false; }
  /// Processor time so far of an engine that is a process of its own.
  virtual double seconds_elsewhere() const { return 0; }
};

/// A way to run an engine: its default settings, its careful ones, ...
struct Contender {
  std::string engine, setting;
  Index most_bodies; ///< Larger scenes do not fit or take minutes per step.
  std::function<std::unique_ptr<Peer>(const PeerScene&, double step)> load;
  bool spheres_only = false; ///< Spheres between planes along the axes, under constant gravity.
};

/// Whether the scene is one of spheres between planes along the axes.
bool has_spheres_only(const PeerScene& scene);

/// Ends of the axes of an octahedron: ±x, ±y, ±z.
std::vector<Vec3> corners(const PeerBody& octahedron);
/// Moments of inertia of an octahedron about its axes: m (b² + c²) / 10 about the first.
Vec3 moments(const PeerBody& octahedron);

/// Each returns nothing when the program was built without the engine.
std::vector<Contender> talus_contenders(int threads);
/// With the contacts that the targets of the race in motion speak of: relative compliances of 0.01
/// and 0.05, and rigid ones.
std::vector<Contender> talus_motion_contenders(int threads);
std::vector<Contender> bullet_contenders();
std::vector<Contender> ode_contenders();
std::vector<Contender> mujoco_contenders();
std::vector<Contender> liggghts_contenders();

} // namespace talus::peers
