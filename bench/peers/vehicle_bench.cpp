// Vehicles on stones in Talus and in Bullet: the bodies, joints, motors and springs of a scene, by
// default scenes/rover_on_rubble.yaml. For each engine and setting it lists the processor time per
// simulated second, how far the pins (revolute joints) come apart at worst, how far the bodies of
// rigid joints of other kinds do, and where the two vehicles are at the end.
//
//     vehicle_bench [--scene file] [--time 2] [--iterations 10,100] [--rates 240,960]
//                   [--threads 1] [--only talus]

#include "bullet_machine.h"
#include "processor_time.h"
#include "talus/core/error.h"
#include "talus/io/scene.h"
#include "talus/step/simulation.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

using namespace talus;
using namespace talus::peers;

struct Settings {
  std::string scene = TALUS_SCENES_DIR "/rover_on_rubble.yaml";
  double time = 2; ///< Simulated, s.
  std::vector<int> iterations{10, 100};
  std::vector<double> rates{240, 960}; ///< Steps per second of Bullet.
  int threads = 1;
  std::string only;
  std::vector<std::string> bodies{"rover", "crawler"};
};

/// How far apart a joint holds its two anchors that should be one, or off their distance.
double gap(const World& world, const Joint& joint) {
  const auto [a, b] = joint_frames(world, joint);
  const Vec3 between = b.position - a.position;
  switch (joint.kind) {
  case JointKind::prismatic: {
    const Vec3 axis = rotate(a.rotation, {0, 0, 1});
    return norm(between - dot(between, axis) * axis);
  }
  case JointKind::distance:
    return joint.spring ? 0 : std::abs(norm(between) - joint.distance);
  case JointKind::revolute:
  case JointKind::spherical:
    return norm(between);
  default:
    return 0;
  }
}

struct Outcome {
  double seconds = 0, simulated = 0;
  double pins = 0, others = 0; ///< Largest gaps, m.
  int missed = -1;             ///< Steps of Talus beyond the tolerance.
  bool finite = true;
};

void look(const World& world, Outcome& outcome) {
  for (const Joint& joint : world.joints()) {
    const double apart = gap(world, joint);
    if (!std::isfinite(apart)) outcome.finite = false;
    double& largest = joint.kind == JointKind::revolute ? outcome.pins : outcome.others;
    largest = std::max(largest, apart);
  }
}

void print(const char* engine, const std::string& setting, const Outcome& o, const World& world,
           const Settings& settings) {
  fmt::print("{:<7} {:<24} {:>10.3f} {:>11.2e} {:>11.2e} {:>7}", engine, setting,
             o.seconds / o.simulated, o.pins, o.others,
             o.missed < 0 ? "" : fmt::format("{}", o.missed));
  if (o.finite)
    for (const std::string& name : settings.bodies) {
      const Index body = world.find_body(name);
      if (body < 0) continue;
      const Vec3 p = world.pose(body).position;
      fmt::print("   {} {:.3f} {:.3f} {:.3f}", name, p.x, p.y, p.z);
    }
  fmt::print("{}\n", o.finite ? "" : "   exploded");
  std::fflush(stdout);
}

void run_talus(const Settings& settings) {
  Scene scene = load_scene(settings.scene);
  scene.options.threads = settings.threads;
  Simulation simulation(std::move(scene.world), scene.options);
  Outcome outcome;
  outcome.missed = 0;
  double tolerance = 0; // the largest of all steps
  while (simulation.time() < settings.time - 1e-9) {
    const double begin = processor_seconds();
    outcome.missed += !simulation.step().converged();
    outcome.seconds += processor_seconds() - begin;
    tolerance = std::max(tolerance, simulation.report().tolerance);
    look(simulation.world(), outcome);
  }
  outcome.simulated = simulation.time();
  print("talus", fmt::format("to {:g}", tolerance), outcome, simulation.world(), settings);
}

void run_bullet(const Settings& settings, int iterations, double rate) {
  Scene scene = load_scene(settings.scene);
  BulletMachine machine(scene.world, 1 / rate, iterations);
  Outcome outcome;
  const auto steps = static_cast<std::int64_t>(std::ceil(settings.time * rate - 1e-9));
  for (std::int64_t i = 0; i < steps && outcome.finite; ++i) {
    const double begin = processor_seconds();
    machine.step();
    outcome.seconds += processor_seconds() - begin;
    outcome.simulated += 1 / rate;
    machine.read(scene.world);
    look(scene.world, outcome);
  }
  print("bullet", fmt::format("{} iterations at {:g} Hz", iterations, rate), outcome, scene.world,
        settings);
}

} // namespace

int main(int count, char** arguments) {
  Settings settings;
  CLI::App app("Vehicles on stones in Talus and Bullet: time, and how far their pins drift");
  app.add_option("--scene", settings.scene, "scene file");
  app.add_option("--time", settings.time, "simulated seconds");
  app.add_option("--iterations", settings.iterations, "of Bullet")->delimiter(',');
  app.add_option("--rates", settings.rates, "steps per second of Bullet")->delimiter(',');
  app.add_option("--threads", settings.threads, "threads of Talus; times are of all together");
  app.add_option("--bodies", settings.bodies, "bodies whose places are listed")->delimiter(',');
  app.add_option("--only", settings.only, "talus or bullet");
  CLI11_PARSE(app, count, arguments);
  try {
    fmt::print("{:<7} {:<24} {:>10} {:>11} {:>11} {:>7}\n", "engine", "setting", "s per s",
               "pins, m", "others, m", "missed");
    if (settings.only != "bullet") run_talus(settings);
    if (settings.only == "talus") return 0;
    if (!has_bullet_machine())
      fmt::print("skipped: bullet (Debian package libbullet-dev is missing)\n");
    else
      for (const double rate : settings.rates)
        for (const int iterations : settings.iterations) run_bullet(settings, iterations, rate);
  } catch (const Error& error) {
    fmt::print(stderr, "vehicle_bench: {}\n", error.what());
    return 1;
  }
}
