// Steps that are stopped while they are being solved.

#include "step/step_test_support.h"
#include "talus/core/large_problem.h"
#include "talus/solve/registry.h"

#include <algorithm>
#include <atomic>

namespace talus {
namespace {

/// A solver of the catalogue that sets the flag when it begins its next solve, if it is told to.
class FlagSetter : public Solver {
public:
  FlagSetter(const std::string& name, std::atomic<bool>& stop)
      : solver_(make_solver(name)), stop_(stop) {}
  const SolverInfo& info() const override { return solver_->info(); }
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    if (std::exchange(sets_flag, false)) {
      stop_ = true;
      std::ranges::fill(z, 0.0); // a warm start may be good enough
    }
    solver_->run(problem, z, monitor);
  }

  bool sets_flag = false;

private:
  std::unique_ptr<Solver> solver_;
  std::atomic<bool>& stop_;
};

World tumbling_boxes(double stiffness = 0) {
  World world = world_with_floor(0.4);
  Material material = world.materials[0];
  if (stiffness > 0) material.stiffness = stiffness;
  world.materials.replace(0, material);
  for (int k = 0; k < 4; ++k)
    world.add(body()
                  .with(make_box({0.2, 0.15, 0.1}))
                  .mass(1 + k)
                  .at({0.02 * k, 0.03 * k, 0.1 + 0.2 * k})
                  .moving({0.3, -0.2 * k, 0}));
  return world;
}

StepOptions one_thread(double tolerance = 1e-10) {
  StepOptions options;
  options.step = 0.01;
  options.tolerance = tolerance;
  options.threads = 1;
  return options;
}

/// Stops every third step once and compares with a simulation that nobody stops.
void expect_nothing_lost(const std::string& solver, const std::function<World()>& world,
                         StepOptions options, int steps) {
  SCOPED_TRACE(solver);
  std::atomic<bool> stop = false, never = false;
  const auto setter = std::make_shared<FlagSetter>(solver, stop);
  StepOptions disturbed_options = options, undisturbed_options = options;
  disturbed_options.stop = &stop;
  use_solver(disturbed_options, setter);
  use_solver(undisturbed_options, std::make_shared<FlagSetter>(solver, never));
  Simulation disturbed(world(), disturbed_options), undisturbed(world(), undisturbed_options);
  for (int step = 0; step < steps; ++step) {
    if (step % 3 == 1) {
      const SimulationState before = disturbed.state();
      setter->sets_flag = true;
      EXPECT_THROW(disturbed.step(), StepStopped);
      EXPECT_TRUE(before == disturbed.state());
      EXPECT_TRUE(disturbed.contacts().empty());
      EXPECT_THROW(disturbed.step(), StepStopped) << "as long as the flag is set";
      EXPECT_TRUE(before == disturbed.state());
      stop = false;
    }
    disturbed.step();
    undisturbed.step();
    ASSERT_TRUE(undisturbed.state() == disturbed.state()) << "step " << step;
  }
}

TEST(StoppedStep, LeavesTheSimulationAsItWas) {
  for (const char* solver : {"auto", "nsgs", "apgd", "coulomb-apgd", "admm", "newton",
                             "prox-newton", "ip-newton", "fold-ip", "coulomb-ip", "conic-ip"})
    expect_nothing_lost(
        solver, [] { return tumbling_boxes(); }, one_thread(), 7);
}

TEST(StoppedStep, KeepsTheShearOfContactsThatYield) {
  expect_nothing_lost(
      "nsgs", [] { return tumbling_boxes(1e5); }, one_thread(), 7);
}

TEST(StoppedStep, MayBeOneWithBoundsThatAreEstimated) {
  StepOptions options = one_thread();
  options.friction = {FrictionKind::box};
  expect_nothing_lost(
      "nsgs", [] { return tumbling_boxes(); }, options, 7);
}

TEST(StoppedStep, MayBeOneOfManyContacts) {
  const auto world = [] {
    World many;
    many.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
    const ShapePtr sphere = make_sphere(0.1);
    for (Index k = 0; k <= most_contacts_kept; ++k)
      many.add(body().with(sphere).mass(1).at({0.3 * (k % 250), 0.3 * (k / 250), 0.1}));
    return many;
  };
  expect_nothing_lost("nsgs", world, one_thread(1e-6), 3);
}

TEST(StoppedStep, BuildsNoProblemEither) {
  std::atomic<bool> stop = true;
  StepOptions options = one_thread();
  options.stop = &stop;
  Simulation simulation(tumbling_boxes(), options);
  EXPECT_THROW(simulation.next_problem(), StepStopped);
  stop = false;
  EXPECT_GT(simulation.next_problem().contacts(), 0);
}

} // namespace
} // namespace talus
