// The six formulations of a step on mazhar2014's sliding box: the same motion without relaxation,
// and with it a body that leaves the ground.

#include "step/step_test_support.h"
#include "talus/core/error.h"
#include "talus/step/formulation.h"

namespace talus {
namespace {

struct Motion {
  double distance = 0, lift = 0;
};

/// A unit cube pushed off with 2 m/s, mu = 0.3, h = 0.0025, for 0.5 s.
Motion slide(std::string_view formulation, std::string_view solver = "") {
  World world = world_with_floor(0.3);
  const Index box =
      world.add(body("box").with(make_box({0.5, 0.5, 0.5})).at({0, 0, 0.5}).moving({-2, 0, 0}));
  StepOptions options{.step = 0.0025};
  choose_formulation(options, formulation, solver);
  options.tolerance = 1e-8;
  Simulation simulation(std::move(world), options);
  Motion motion;
  for (int k = 0; k < 200; ++k) {
    EXPECT_TRUE(simulation.step().converged())
        << formulation << " step " << k << ": " << simulation.report().message << " (error "
        << simulation.report().error << ")";
    const Vec3 position = simulation.world().state(box).pose.position;
    motion.lift = std::max(motion.lift, position.z - 0.5);
    motion.distance = -position.x;
  }
  return motion;
}

// v0 t - mu g t² / 2 with the friction of the cone, up to the lag of a step.
constexpr double exact = 2 * 0.5 - 0.3 * gravity * 0.25 / 2;

TEST(Formulation, unrelaxed_ones_slide_as_coulomb_says) {
  for (const char* name : {"primal", "dual"}) {
    const Motion motion = slide(name);
    EXPECT_NEAR(motion.distance, exact, 0.005) << name;
    EXPECT_LT(motion.lift, 1e-6) << name;
  }
  const Motion apgd = slide("dual", "apgd");
  EXPECT_NEAR(apgd.distance, slide("primal").distance, 1e-5);
}

TEST(Formulation, equations_of_motion_have_polyhedral_friction) {
  // The octagon inscribed in the circle holds back a little less.
  const Motion motion = slide("eom");
  EXPECT_LT(motion.lift, 1e-6);
  EXPECT_GT(motion.distance, exact - 0.005);
  EXPECT_LT(motion.distance, exact + 0.09 * (1 - exact));
}

TEST(Formulation, relaxed_ones_lift_the_body_when_it_slides) {
  for (const char* name : {"primal-relaxed", "dual-relaxed", "eom-relaxed"}) {
    const Motion motion = slide(name);
    // h mu v0 in the first step.
    EXPECT_GT(motion.lift, 0.5 * 0.0025 * 0.3 * 2) << name;
    EXPECT_NEAR(motion.distance, exact, 0.03) << name;
  }
  EXPECT_NEAR(slide("primal-relaxed").distance, slide("dual-relaxed").distance, 1e-5);
}

TEST(Formulation, another_one_forgets_the_model_of_the_last) {
  StepOptions options;
  choose_formulation(options, "primal");
  ASSERT_EQ(1u, options.solver_options.size());
  choose_formulation(options, "dual", "apgd");
  EXPECT_TRUE(options.solver_options.empty());
  EXPECT_NO_THROW(Simulation(world_with_floor(0.3), options));
}

TEST(Formulation, says_what_it_is_made_of) {
  StepOptions options;
  choose_formulation(options, "eom-relaxed");
  EXPECT_EQ("eom-relaxed", options.formulation);
  EXPECT_EQ(Law::associated, options.law);
  EXPECT_EQ("path", options.solver);
  EXPECT_EQ("polyhedron:8", to_string(options.friction));
  EXPECT_THROW(choose_formulation(options, "eom", "apgd"), InvalidArgument);
  EXPECT_THROW(choose_formulation(options, "newton"), InvalidArgument);
  options.law = Law::coulomb;
  EXPECT_THROW(validate(options), InvalidArgument);
  EXPECT_EQ(6u, formulation_names().size());
}

} // namespace
} // namespace talus
