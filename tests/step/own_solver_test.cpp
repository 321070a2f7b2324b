// A solver outside the catalogue in a simulation.

#include "step/step_test_support.h"
#include "talus/solve/registry.h"
#include "talus/step/formulation.h"

namespace talus {
namespace {

/// apgd under another name, which counts its solves.
class CountingSolver : public Solver {
public:
  const SolverInfo& info() const override { return info_; }
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    ++runs;
    inner_->run(problem, z, monitor);
  }

  int runs = 0;

private:
  std::unique_ptr<Solver> inner_ = make_solver("apgd");
  SolverInfo info_ = {.name = "counting",
                      .summary = "",
                      .paper = "",
                      .coulomb = "fixed point",
                      .products_per_iteration = "1"};
};

Simulation sliding_ball(const StepOptions& options) {
  World world = world_with_floor(0.3);
  world.add(body("ball").with(make_sphere(0.5)).at({0, 0, 0.5}).moving({1, 0, 0}));
  return Simulation(std::move(world), options);
}

TEST(OwnSolver, takes_the_place_of_the_named_one) {
  const auto own = std::make_shared<CountingSolver>();
  StepOptions options;
  use_solver(options, own);
  EXPECT_EQ(options.solver, "counting");
  Simulation simulation = sliding_ball(options), reference = sliding_ball({.solver = "apgd"});
  run(simulation, 10);
  run(reference, 10);
  EXPECT_EQ(own->runs, 10);
  expect_near(simulation.world().state(1).velocity, reference.world().state(1).velocity, 0);
  simulation.set_options({});
  run(simulation, 1);
  EXPECT_EQ(own->runs, 10);
}

TEST(OwnSolver, gives_way_to_the_solver_of_a_formulation) {
  StepOptions options;
  use_solver(options, std::make_shared<CountingSolver>());
  choose_formulation(options, "dual", "counting");
  EXPECT_TRUE(options.own_solver);
  choose_formulation(options, "eom");
  EXPECT_FALSE(options.own_solver);
  EXPECT_EQ(options.solver, "path");
}

} // namespace
} // namespace talus
