// Time of one collision detection on one thread: packed spheres on a plane, numbered layer by layer
// or at random (which costs cache misses), and stacked boxes. Run with: bench/collide_bench. The
// counter "per_body" is the processor time per body.

#include "talus/collide/collision.h"
#include "talus/core/parallel.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

using namespace talus;

/// A staggered packing with about as many neighbours as settled spheres have.
std::vector<Collider> sphere_packing(Index count, bool shuffled) {
  const auto side = static_cast<int>(std::cbrt(count));
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<> noise(-0.01, 0.01);
  const ShapePtr ball = make_sphere(0.5);
  std::vector<Collider> colliders;
  for (Index i = 0; i < count; ++i) {
    const int x = i % side, y = i / side % side, z = i / (side * side);
    const double shift = z % 2 == 0 ? 0 : 0.5;
    const Vec3 p{x + shift + noise(engine), y + shift + noise(engine), 0.71 * z + noise(engine)};
    colliders.push_back({ball, {p, {}}, i});
  }
  if (shuffled) std::shuffle(colliders.begin(), colliders.end(), engine);
  for (Index i = 0; i < count; ++i) colliders[i].body = i;
  colliders.push_back({make_half_space({0, 0, 1}, -0.5), {}, count, false});
  return colliders;
}

std::vector<Collider> box_columns(Index count) {
  const auto side = static_cast<int>(std::sqrt(count / 10.0));
  const ShapePtr box = make_box({0.5, 0.5, 0.5});
  std::vector<Collider> colliders;
  for (Index i = 0; i < count; ++i) {
    const int column = i / 10;
    colliders.push_back(
        {box, {{1.5 * (column % side), 1.5 * (column / side), 0.5 + i % 10}, {}}, i});
  }
  colliders.push_back({make_half_space({0, 0, 1}), {}, count, false});
  return colliders;
}

void detect(benchmark::State& state, const std::vector<Collider>& colliders) {
  CollisionDetector detector;
  std::vector<ContactPoint> contacts;
  with_threads(1, [&] {
    detector.detect(colliders, 0.01, contacts);
    for (auto _ : state) detector.detect(colliders, 0.01, contacts);
  });
  const auto bodies = static_cast<double>(colliders.size());
  state.counters["contacts_per_body"] = static_cast<double>(contacts.size()) / bodies;
  state.counters["per_body"] =
      benchmark::Counter(bodies * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void spheres(benchmark::State& state) {
  detect(state, sphere_packing(static_cast<Index>(state.range(0)), false));
}
void shuffled_spheres(benchmark::State& state) {
  detect(state, sphere_packing(static_cast<Index>(state.range(0)), true));
}
void boxes(benchmark::State& state) {
  detect(state, box_columns(static_cast<Index>(state.range(0))));
}

BENCHMARK(spheres)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(shuffled_spheres)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(boxes)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

} // namespace
