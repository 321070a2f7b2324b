// A warm simulation steps without allocating. This program counts every call of operator new.

#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
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

/// A block of touching spheres at rest on a plane.
World resting_block(int side) {
  World world;
  world.add(fixed_body().with(make_half_space({0, 0, 1})));
  const ShapePtr sphere = make_sphere(0.1);
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z)
        world.add(body().with(sphere).mass(1).at({0.2 * x, 0.2 * y, 0.1 + 0.2 * z}));
  return world;
}

long allocations_of_warm_steps(const StepOptions& options, int steps) {
  Simulation simulation(resting_block(6), options);
  for (int k = 0; k < 5; ++k) simulation.step();
  const long before = allocations;
  for (int k = 0; k < steps; ++k) {
    simulation.step();
    EXPECT_TRUE(simulation.report().converged());
    EXPECT_GT(simulation.report().contacts, 0);
  }
  return allocations - before;
}

// One thread: with more, a thread allocates its scratch memory when its first work comes, which
// may be in any step.
TEST(WarmSteps, AllocateNothing) {
  EXPECT_EQ(allocations_of_warm_steps({.threads = 1}, 5), 0) << "otherwise default settings";
  EXPECT_EQ(allocations_of_warm_steps({.law = Law::associated, .threads = 1}, 5), 0);
}

TEST(WarmSteps, AreCounted) {
  const long before = allocations;
  const std::vector<double> memory(100);
  EXPECT_GT(allocations, before) << memory.size();
}

} // namespace
} // namespace talus
