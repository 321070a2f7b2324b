#include "talus_peer.h"

#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::peers {

ShapePtr shape_of(const PeerBody& body) {
  if (body.is_octahedron) return make_convex_hull(corners(body));
  if (body.is_box()) return make_box(body.half);
  return body.is_capsule() ? make_capsule(body.radius, body.half_length) : make_sphere(body.radius);
}

std::vector<Vec3> corners(const PeerBody& octahedron) {
  const auto& [a, b, c] = octahedron.half;
  return {{a, 0, 0}, {-a, 0, 0}, {0, b, 0}, {0, -b, 0}, {0, 0, c}, {0, 0, -c}};
}

Vec3 moments(const PeerBody& octahedron) {
  const Vec3& h = octahedron.half;
  return (octahedron.mass / 10) *
         Vec3{h.y * h.y + h.z * h.z, h.z * h.z + h.x * h.x, h.x * h.x + h.y * h.y};
}

World world_of(const PeerScene& scene, double stiffness) {
  World world;
  world.gravity = scene.gravity;
  const Index rough =
      world.add(Material{.name = "rough", .friction = scene.friction, .stiffness = 2 * stiffness});
  for (const PeerPlane& plane : scene.planes)
    world.add(fixed_body().with(make_half_space(plane.normal, plane.offset)).of(rough));
  for (const PeerBody& b : scene.obstacles)
    world.add(fixed_body().with(shape_of(b)).of(rough).placed({b.position, b.rotation}));
  const Index first = world.size();
  for (const PeerBody& b : scene.bodies)
    world.add(body()
                  .with(shape_of(b))
                  .of(rough)
                  .mass(b.mass)
                  .placed({b.position, b.rotation})
                  .moving(b.velocity));
  for (const PeerJoint& j : scene.joints)
    world.add(spherical().between(j.a < 0 ? ground : first + j.a, first + j.b).at(j.point));
  return world;
}

namespace {

class TalusPeer : public Peer {
public:
  TalusPeer(const PeerScene& scene, const StepOptions& options, double stiffness)
      : fixed_(static_cast<Index>(scene.planes.size() + scene.obstacles.size())), options_(options),
        simulation_(world_of(scene, stiffness), options) {
    if (scene.settled) simulation_.restore(*scene.settled);
  }

  void step() override {
    if (warming_up_) simulation_.set_options(options_);
    warming_up_ = false;
    simulation_.step();
  }
  /// The spheres settled with a rough tolerance: the iterations to a tight one are spread over the
  /// steps.
  void warm_up() override {
    if (!warming_up_) {
      StepOptions hasty = options_;
      hasty.max_iterations = std::min(hasty.max_iterations, 100L);
      simulation_.set_options(hasty);
    }
    warming_up_ = true;
    simulation_.step();
  }
  void set_gravity(const Vec3& gravity) override { simulation_.world().gravity = gravity; }
  Vec3 position(Index body) const override { return state(body).pose.position; }
  Quaternion rotation(Index body) const override { return state(body).pose.rotation; }
  Vec3 velocity(Index body) const override { return state(body).velocity; }
  double error() const override { return simulation_.report().error; }
  bool missed() const override { return !simulation_.report().converged(); }

private:
  const BodyState& state(Index body) const { return simulation_.world().states()[fixed_ + body]; }

  Index fixed_; ///< Bodies before those of the scene.
  StepOptions options_;
  Simulation simulation_;
  bool warming_up_ = false;
};

Contender contender(std::string solver, std::string setting, double tolerance, long iterations,
                    int threads, double stiffness = std::numeric_limits<double>::infinity()) {
  return {"talus", setting, 2'000'000,
          [=](const PeerScene& scene, double step) -> std::unique_ptr<Peer> {
            StepOptions options;
            options.step = step;
            options.solver = solver;
            options.tolerance = tolerance;
            options.max_iterations = iterations;
            options.threads = threads;
            return std::make_unique<TalusPeer>(scene, options, stiffness);
          }};
}

Contender in_motion(std::string setting, double relative_compliance, double tolerance,
                    int threads) {
  return {"talus", std::move(setting), 2'000'000,
          [=](const PeerScene& scene, double step) -> std::unique_ptr<Peer> {
            StepOptions options;
            options.step = step;
            options.tolerance = tolerance;
            options.threads = threads;
            options.relative_compliance = relative_compliance;
            return std::make_unique<TalusPeer>(scene, options, automatic_stiffness);
          }};
}

} // namespace

std::vector<Contender> talus_motion_contenders(int threads) {
  return {in_motion("0.01 to 1e-3", 0.01, 1e-3, threads),
          in_motion("0.01 to 1e-6", 0.01, 1e-6, threads),
          in_motion("0.05 to 1e-3", 0.05, 1e-3, threads),
          in_motion("rigid to 1e-3", 0, 1e-3, threads)};
}

std::vector<Contender> talus_contenders(int threads) {
  std::vector<Contender> all;
  for (int iterations : {10, 30, 100})
    all.push_back(contender("apgd", fmt::format("apgd {} iterations", iterations), 1e-8, iterations,
                            threads));
  all.push_back(contender("nsgs", "nsgs 10 iterations", 1e-8, 10, threads));
  const auto to_error = [&](const char* solver, double tolerance) {
    all.push_back(
        contender(solver, fmt::format("{} to {:g}", solver, tolerance), tolerance, 20000, threads));
  };
  for (double tolerance : {1e-2, 1e-3}) to_error("apgd", tolerance);
  for (double tolerance : {1e-2, 1e-3, 1e-6}) to_error("auto", tolerance);
  // By Hertz' formula between acrylic (2.5e6) and glass (2e7), for such spheres under their weight.
  constexpr double stiffness = 1e7; // N/m
  for (double tolerance : {1e-6, 1e-8})
    all.push_back(contender("auto", fmt::format("yielding to {:g}", tolerance), tolerance, 20000,
                            threads, stiffness));
  return all;
}

} // namespace talus::peers
