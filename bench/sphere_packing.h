#pragma once
// Synthetic sphere packings of any size for benchmarks: spheres on a cubic lattice along a
// Morton curve, joined to their lattice neighbours and to some diagonal ones, 3.6 contacts per
// sphere as in settled piles. On a floor they are piles under gravity; without one nothing presses
// on anything, which is enough for kernels.

#include "talus/problem/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace talus::bench {

inline std::uint64_t spread_bits(std::uint64_t v) {
  std::uint64_t spread = 0;
  for (int bit = 0; bit < 21; ++bit) spread |= ((v >> bit) & 1) << (3 * bit);
  return spread;
}

constexpr double lattice_step = 1e-3; ///< s, the length of the step whose problem a lattice is.

/// About `spheres` spheres of radius 0.1 m and 6.28 kg under gravity, law associated, mu = 0.25.
inline ContactProblem lattice_packing(Index spheres, bool floor = false) {
  const Index side = static_cast<Index>(std::lround(std::cbrt(static_cast<double>(spheres))));
  struct Site {
    std::uint64_t morton;
    Index x, y, z;
  };
  std::vector<Site> sites;
  for (Index x = 0; x < side; ++x)
    for (Index y = 0; y < side; ++y)
      for (Index z = 0; z < side; ++z)
        sites.push_back({spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2, x, y, z});
  std::sort(sites.begin(), sites.end(),
            [](const Site& a, const Site& b) { return a.morton < b.morton; });
  std::vector<Index> body_at(sites.size());
  const auto cell = [&](Index x, Index y, Index z) { return (x * side + y) * side + z; };
  for (Index i = 0; i < static_cast<Index>(sites.size()); ++i)
    body_at[cell(sites[i].x, sites[i].y, sites[i].z)] = i;

  constexpr double mass = 6.28, radius = 0.1, step = lattice_step;
  RigidModel model;
  const double spin = 1 / (0.4 * mass * radius * radius);
  model.inverse_mass.assign(sites.size(), {1 / mass, {spin, 0, 0, spin, 0, spin}});
  ContactProblem problem;
  problem.law = Law::associated;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  constexpr Index neighbours[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
  for (Index i = 0; i < static_cast<Index>(sites.size()); ++i) {
    model.free_velocity.insert(model.free_velocity.end(), {0, 0, -9.81 * step, 0, 0, 0});
    if (floor && sites[i].z == 0) {
      const Vec3 up{0, 0, 1};
      model.contact_bodies.push_back({-1, i});
      model.contacts.push_back({up, orthogonal_unit(up), {}, -radius * up});
      model.w.insert(model.w.end(), {0, 0, 0});
      problem.mu.push_back(0.25);
    }
    for (int k = 0; k < 4; ++k) {
      const Index x = sites[i].x + neighbours[k][0], y = sites[i].y + neighbours[k][1],
                  z = sites[i].z + neighbours[k][2];
      if (x >= side || y >= side || z >= side || (k == 3 && uniform(random) > 0.65)) continue;
      const Vec3 jitter{0.1 * uniform(random), 0.1 * uniform(random), 0.1 * uniform(random)};
      const Vec3 normal = normalized(Vec3{static_cast<double>(neighbours[k][0]),
                                          static_cast<double>(neighbours[k][1]),
                                          static_cast<double>(neighbours[k][2])} +
                                     jitter);
      model.contact_bodies.push_back({i, body_at[cell(x, y, z)]});
      model.contacts.push_back(
          {normal, orthogonal_unit(normal), radius * normal, -radius * normal});
      model.w.insert(model.w.end(), {0, 0, 0});
      problem.mu.push_back(0.25);
    }
  }
  problem.model = std::move(model);
  return problem;
}

} // namespace talus::bench
