// Iterations and times of the interior-point methods: over the size of walls of blocks (stacked,
// nearly planar) and of sphere packings, and over mass ratios.
//
//     interior_bench          all tables

#include "sphere_packing.h"
#include "support/random_problems.h"
#include "talus/solve/registry.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::bench {
namespace {

/// A wall of `columns` x `rows` blocks in running bond, each resting with four contacts on every
/// block or on the ground below; masses spread over `ratio`, heavy ones high up.
ContactProblem wall(int columns, int rows, double ratio) {
  constexpr double step = 1e-3;
  RigidModel model;
  ContactProblem problem;
  problem.law = Law::associated;
  const auto add = [&](Index a, Index b, const Vec3& point, const Vec3& from, const Vec3& to) {
    for (double depth : {-0.25, 0.25}) {
      const Vec3 at{point.x, depth, point.z};
      model.contact_bodies.push_back({a, b});
      model.contacts.push_back({{0, 0, 1}, {1, 0, 0}, at - from, at - to});
      model.w.insert(model.w.end(), {0, 0, 0});
      problem.mu.push_back(0.5);
    }
  };
  const auto centre = [&](int column, int row) {
    return Vec3{column + 0.5 * (row % 2), 0, row + 0.5};
  };
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const Index body = row * columns + column;
      const double mass = std::pow(ratio, static_cast<double>(row) / std::max(1, rows - 1));
      model.inverse_mass.push_back({1 / mass, {6 / mass, 0, 0, 6 / mass, 0, 6 / mass}});
      model.free_velocity.insert(model.free_velocity.end(),
                                 {0.01 * step, 0, -9.81 * step, 0, 0, 0});
      const Vec3 here = centre(column, row);
      if (row == 0) {
        for (double side : {-0.5, 0.5}) add(-1, body, {here.x + side, 0, 0}, {}, here);
        continue;
      }
      // The block overlaps two below by half, at the ends one.
      for (int below : {column - 1 + row % 2, column + row % 2}) {
        if (below < 0 || below >= columns) continue;
        const Vec3 there = centre(below, row - 1);
        const double left = std::max(here.x, there.x) - 0.5,
                     right = std::min(here.x, there.x) + 0.5;
        for (double x : {left, right})
          add((row - 1) * columns + below, body, {x, 0, static_cast<double>(row)}, there, here);
      }
    }
  problem.model = model;
  return problem;
}

/// Spheres on a lattice with random approach velocities.
ContactProblem packing(Index spheres) {
  ContactProblem problem = lattice_packing(spheres);
  test::Random random(1);
  for (double& value : std::get<RigidModel>(problem.model).free_velocity)
    value = test::uniform(random, -1, 1);
  return problem;
}

/// Above the default, which spares the restart that light bodies under 1e6 times their mass need.
constexpr const char* start_height = "300";

void report(const char* family, const std::string& solver, const char* set, ContactProblem problem,
            const std::string& note) {
  problem.friction = parse_friction_set(set);
  SolveOptions options;
  options.tolerance = 1e-8;
  options.time_limit = 60;
  const auto made = make_solver(solver);
  if (solver == "conic-ip") set_option(*made, "start_height", start_height);
  const SolveResult result = solve(*made, problem, options);
  fmt::print("{:<8} {:<9} {:<8} {:>9} {:>7} {:>10} {:>12.3g} {:>14.3g}  {}\n", family, solver, set,
             note, problem.contacts(), result.iterations, result.quality.error,
             1e6 * result.seconds / std::max(1L, result.iterations) / problem.contacts(),
             to_string(result.status));
}

void run() {
  fmt::print("{:<8} {:<9} {:<8} {:>9} {:>7} {:>10} {:>12} {:>14}\n", "family", "solver", "set",
             "case", "contacts", "iterations", "error", "us/it/contact");
  for (int side : {3, 6, 12, 25, 35})
    for (const char* solver : {"conic-ip", "pdip"})
      report("wall", solver, solver[0] == 'c' ? "cone" : "none", wall(side, side, 1),
             fmt::format("{}x{}", side, side));
  for (double ratio : {1.0, 1e2, 1e4, 1e6})
    for (const char* solver : {"conic-ip", "pdip"})
      report("wall", solver, solver[0] == 'c' ? "cone" : "none", wall(10, 10, ratio),
             fmt::format("1:{:.0e}", ratio));
  for (Index spheres : {27, 125, 343, 729, 1331})
    for (const char* solver : {"conic-ip", "pdip"})
      report("packing", solver, solver[0] == 'c' ? "cone" : "none", packing(spheres),
             std::to_string(spheres));
}

} // namespace
} // namespace talus::bench

int main() {
  talus::bench::run();
}
