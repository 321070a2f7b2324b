// A warm simulation steps without allocating. This program counts every call of operator new.

#include "talus/cluster/divide_problem.h"
#include "talus/problem/delassus/sweep_partition.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded * alignment)) return memory;
  throw std::bad_alloc();
}

} // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace talus {
namespace {

/// A block of touching spheres on a plane, whose weight changes so that every step has to iterate.
World resting_block(int side, double young) {
  World world;
  world.materials.replace(0, {.name = "default", .young = young});
  world.add([](const World&, double time, std::span<Wrench> wrenches) {
    for (Wrench& wrench : wrenches) wrench.force.z += std::sin(100 * time);
  });
  world.add(fixed_body().with(make_half_space({0, 0, 1})));
  const ShapePtr sphere = make_sphere(0.1);
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z)
        world.add(body().with(sphere).mass(1).at({0.2 * x, 0.2 * y, 0.1 + 0.2 * z}));
  return world;
}

long allocations_of_warm_steps(int side, const StepOptions& options, int steps, double young = 0) {
  Simulation simulation(resting_block(side, young), options);
  for (int k = 0; k < 5; ++k) simulation.step();
  const long before = allocations;
  for (int k = 0; k < steps; ++k) {
    simulation.step();
    EXPECT_TRUE(simulation.report().converged());
    EXPECT_GT(simulation.report().iterations, 0);
    EXPECT_EQ(simulation.report().contacts, side * side * (3 * side - 2));
  }
  return allocations - before;
}

// One thread: with more, a thread allocates its scratch memory when its first work comes, which
// may be in any step.
TEST(WarmSteps, AllocateNothing) {
  EXPECT_EQ(allocations_of_warm_steps(6, {.threads = 1}, 5), 0) << "otherwise default settings";
  EXPECT_EQ(
      allocations_of_warm_steps(6, {.law = Law::associated, .tolerance = 1e-4, .threads = 1}, 5),
      0);
}

TEST(WarmSteps, AllocateNothingWithHertzLaw) {
  EXPECT_EQ(allocations_of_warm_steps(6, {.tolerance = 1e-6, .threads = 1}, 5, 1e7), 0);
}

// From SweepPartition::least contacts on, sweeps divide them anew in every step.
TEST(WarmSteps, AllocateNothingWhereSweepsAreDivided) {
  constexpr int side = 12;
  static_assert(side * side * (3 * side - 2) >= SweepPartition::least);
  for (const char* solver : {"auto", "ansgs", "nncg", "nsgs"}) {
    const StepOptions options{.solver = solver, .tolerance = 1e-6, .threads = 1};
    EXPECT_EQ(allocations_of_warm_steps(side, options, 3), 0) << solver;
  }
}

/// Products of a divided problem, with bodies that all ranks share and without. Messages themselves
/// are not counted: there is one rank.
TEST(DividedProducts, AllocateNothing) {
  for (const Index most_contacts : {40, 4}) {
    const ContactProblem problem = read_fclib(TALUS_TEST_DATA_DIR "/settling_balls.hdf5").problem;
    Ranks one;
    const auto part =
        divide_problem(problem, one, {.bodies_per_cell = 4, .most_contacts = most_contacts});
    EXPECT_EQ(part->shared > 0, most_contacts == 4);
    Vector x(part->n->size(), 1.0), y(part->n->size());
    part->n->apply(x, y);
    const long before = allocations;
    for (int k = 0; k < 10; ++k) part->n->apply(x, y);
    EXPECT_EQ(allocations - before, 0);
  }
}

TEST(WarmSteps, AreCounted) {
  const long before = allocations;
  const std::vector<double> memory(100);
  EXPECT_GT(allocations, before) << memory.size();
}

} // namespace
} // namespace talus
