// Hertz' law and Mindlin's shear against closed forms: overlaps at rest, the time of an impact, the
// shear under a load, and that neither nor the linearised step creates energy.

#include "step/step_test_support.h"
#include "talus/step/laws/contact_radius.h"
#include "talus/step/laws/hertz_contacts.h"

namespace talus {
namespace {

constexpr double young = 2e7, poisson = 0.25;
/// E* of two such surfaces, and k_t / k_n.
constexpr double pair_modulus = young / (2 * (1 - poisson * poisson));
constexpr double mindlin = 2 * (1 - poisson) / (2 - poisson);

World hertz_world(double friction, double restitution = 0) {
  World world = world_with_floor(friction);
  world.materials.replace(0, {.name = "default",
                              .friction = friction,
                              .restitution = restitution,
                              .young = young,
                              .poisson = poisson});
  return world;
}

double hertz_overlap(double force, double modulus, double radius) {
  return std::cbrt(std::pow(3 * force / (4 * modulus), 2) / radius);
}

double total_energy(const StepReport& report) {
  return report.kinetic_energy + report.potential_energy + report.elastic_energy;
}

TEST(Hertz, a_sphere_on_a_plane_sinks_by_hertz_overlap) {
  constexpr double mass = 3, radius = 0.1;
  for (const bool planar : {false, true}) {
    for (const double step : {1.0 / 60, 1.0 / 1000}) {
      World world = hertz_world(0.5);
      if (planar) world.confine_to_plane({0, 1, 0});
      const Index ball = world.add(body().with(make_sphere(radius)).mass(mass).at({0, 0, radius}));
      Simulation simulation(std::move(world), {.step = step});
      run(simulation, 1500);
      const double overlap = hertz_overlap(mass * gravity, pair_modulus, radius);
      EXPECT_NEAR(radius - simulation.world().pose(ball).position.z, overlap, 1e-9);
      EXPECT_NEAR(simulation.report().elastic_energy, 0.4 * mass * gravity * overlap, 1e-8);
    }
  }
}

TEST(Hertz, one_modulus_counts_alone_against_rigid_and_automatic_surfaces) {
  constexpr double mass = 3, radius = 0.1, other = 4e4;
  for (const double stiffness : {rigid_stiffness, automatic_stiffness, other}) {
    World world = world_with_floor(0.5);
    world.materials.replace(0, {.name = "default", .friction = 0.5, .stiffness = stiffness});
    const Index soft = world.add(Material{.name = "soft", .young = young, .poisson = poisson});
    const Index ball =
        world.add(body().with(make_sphere(radius)).of(soft).mass(mass).at({0, 0, radius}));
    Simulation simulation(std::move(world), {.step = fine_step});
    run(simulation, 500);
    const double series = stiffness == other ? mass * gravity / other : 0.0;
    EXPECT_NEAR(radius - simulation.world().pose(ball).position.z,
                hertz_overlap(mass * gravity, 2 * pair_modulus, radius) + series, 1e-9);
  }
}

TEST(Hertz, a_column_of_spheres_yields_at_each_contact_by_its_load) {
  constexpr int balls = 8;
  constexpr double radius = 0.05, mass = 0.5;
  World world = hertz_world(0.5);
  for (int k = 0; k < balls; ++k)
    world.add(body()
                  .with(make_sphere(radius))
                  .mass(mass)
                  .at({0, 0, (2 * k + 1) * radius})
                  .without_rotation());
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 1500);
  int pressed = 0;
  for (const ContactPoint& contact : simulation.contacts()) {
    if (contact.gap > 0) continue;
    const int upper = std::max(contact.body_a, contact.body_b) - 1; // the floor is body 0
    const double load = (balls - upper) * mass * gravity;
    const double r = upper == 0 ? radius : radius / 2;
    EXPECT_NEAR(-contact.gap, hertz_overlap(load, pair_modulus, r), 1e-9) << upper;
    ++pressed;
  }
  EXPECT_EQ(pressed, balls);
  EXPECT_LT(simulation.report().kinetic_energy, 1e-14);
}

TEST(Hertz, an_impact_takes_hertz_time_and_gives_the_speed_back) {
  constexpr double mass = 0.4, radius = 0.03, speed = 0.7;
  const double duration =
      2.8683 * std::pow(mass * mass / (radius * pair_modulus * pair_modulus * speed), 0.2);
  double last_error = 1;
  for (const double parts : {500.0, 4000.0}) {
    World world = hertz_world(0);
    world.gravity = {};
    const Index ball = world.add(
        body().with(make_sphere(radius)).mass(mass).at({0, 0, radius}).moving({0, 0, -speed}));
    const double step = duration / parts;
    Simulation simulation(std::move(world), {.step = step, .envelope = 0.01});
    long pressed = 0;
    for (int k = 0; k < 1.2 * parts; ++k) {
      simulation.step();
      if (!simulation.contact_impulses().empty() && simulation.contact_impulses()[0].z > 0)
        ++pressed;
    }
    EXPECT_NEAR(static_cast<double>(pressed) * step / duration, 1, 8 / parts);
    const double error = 1 - simulation.world().state(ball).velocity.z / speed;
    EXPECT_GT(error, 0) << "energy must not grow";
    EXPECT_LT(error, 8 / parts);
    EXPECT_LT(error, 0.2 * last_error) << "of first order in the step";
    last_error = error;
  }
}

TEST(Hertz, a_loaded_contact_shears_as_mindlin_says_and_never_creeps) {
  constexpr double mass = 3, radius = 0.1, sideways = 1.5;
  World world = hertz_world(0.5);
  const Index ball =
      world.add(body().with(make_sphere(radius)).mass(mass).at({0, 0, radius}).without_rotation());
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 500);
  simulation.world().gravity.x = sideways;
  run(simulation, 500);
  const double overlap = hertz_overlap(mass * gravity, pair_modulus, radius);
  const double shear = mass * sideways / (mindlin * 2 * pair_modulus * std::sqrt(radius * overlap));
  const Vec3 early = simulation.world().pose(ball).position;
  expect_near(early, {shear, 0, radius - overlap}, 1e-9);
  run(simulation, 5000);
  expect_near(simulation.world().pose(ball).position, early, 1e-10, "it creeps");
}

TEST(Hertz, a_cube_on_a_slope_never_creeps) {
  World world = hertz_world(0.5);
  world.gravity = {gravity * std::sin(0.3), 0, -gravity * std::cos(0.3)};
  const Index cube = world.add(body().with(make_box({0.1, 0.1, 0.1})).mass(2).at({0, 0, 0.1}));
  // What solves leave over shifts it, too: by 0.1 nm with the tolerance of 1e-8.
  Simulation simulation(std::move(world), {.step = fine_step, .tolerance = 1e-11});
  run(simulation, 1000);
  const Vec3 early = simulation.world().pose(cube).position;
  run(simulation, 5000);
  expect_near(simulation.world().pose(cube).position, early, 1e-12, "it creeps");
}

TEST(Hertz, beyond_the_friction_angle_it_slides_by_coulombs_law) {
  constexpr double friction = 0.3, slope = 0.6;
  World world = hertz_world(friction);
  world.gravity = {gravity * std::sin(slope), 0, -gravity * std::cos(slope)};
  const Index cube =
      world.add(body().with(make_box({0.1, 0.1, 0.1})).mass(2).at({0, 0, 0.1}).without_rotation());
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 240);
  const double speed = simulation.world().state(cube).velocity.x;
  run(simulation, 240);
  EXPECT_NEAR(simulation.world().state(cube).velocity.x - speed,
              gravity * (std::sin(slope) - friction * std::cos(slope)), 1e-6);
}

TEST(Hertz, a_tangential_ratio_softens_linear_springs_along_the_surface) {
  constexpr double mass = 2, stiffness = 1e5, ratio = 0.4, slope = 0.3;
  World world = world_with_floor(0.5);
  world.materials.replace(
      0,
      {.name = "default", .friction = 0.5, .stiffness = 2 * stiffness, .tangential_ratio = ratio});
  world.gravity = {gravity * std::sin(slope), 0, -gravity * std::cos(slope)};
  const Index cube = world.add(
      body().with(make_box({0.1, 0.1, 0.1})).mass(mass).at({0, 0, 0.1}).without_rotation());
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 500);
  const double yield = mass * gravity / (4 * stiffness);
  expect_near(simulation.world().pose(cube).position,
              {yield * std::sin(slope) / ratio, 0, 0.1 - yield * std::cos(slope)}, 1e-9);
}

/// Balls of one or two materials that fall into a heap between walls.
World hertz_heap(int balls, double friction, unsigned seed) {
  World world = hertz_world(friction);
  const Index hard = world.add(Material{.name = "hard", .friction = friction, .young = 2e9});
  for (const Vec3& inwards : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}})
    world.add(fixed_body().with(make_half_space(inwards, -0.35)));
  Random random(seed);
  for (int k = 0; k < balls; ++k)
    world.add(body()
                  .with(make_sphere(random(0.06, 0.09)))
                  .of(k % 2 == 0 ? hard : 0)
                  .moving(random.vector(2))
                  .at(Vec3{0.2 * (k % 3 - 1), 0.2 * (k / 3 % 3 - 1), 0.1 + 0.2 * (k / 9)} +
                      random.vector(0.01)));
  return world;
}

TEST(Hertz, energy_of_falling_heaps_does_not_grow) {
  for (const double step : {1.0 / 60, 1.0 / 240, 1.0 / 2000}) {
    Simulation simulation(hertz_heap(36, 0.4, 11), {.step = step, .tolerance = 1e-8});
    double last = total_energy(simulation.step());
    const double whole = last;
    for (int k = 0; k < 300; ++k) {
      const double now = total_energy(simulation.step());
      ASSERT_LE(now, last + 1e-7 * whole) << "step " << k << " of length " << step;
      last = now;
    }
    EXPECT_LT(last, 0.99 * whole);
  }
}

// A ball strikes a row at rest in a step that is far longer than the impact: all contacts of the
// row close by more than anyone could foresee.
TEST(Hertz, a_struck_row_gains_no_energy_in_long_steps) {
  constexpr double radius = 0.1;
  World world = hertz_world(0);
  world.gravity = {};
  world.add(fixed_body("wall").with(make_half_space({-1, 0, 0}, -2)));
  for (int k = 0; k < 6; ++k)
    world.add(body()
                  .with(make_sphere(radius))
                  .mass(k == 0 ? 50 : 1)
                  .at({2 - (11 - 2 * k) * radius - (k == 0 ? 0.01 : 0.0), 0, 1})
                  .moving({k == 0 ? 20.0 : 0.0, 0, 0}));
  Simulation simulation(std::move(world), {.step = 1.0 / 60});
  double last = 0.5 * 50 * 20 * 20;
  for (int k = 0; k < 60; ++k) {
    const double now = total_energy(simulation.step());
    ASSERT_LE(now, last * (1 + 1e-6)) << k;
    last = now;
  }
}

TEST(Hertz, restoring_then_stepping_equals_stepping) {
  const StepOptions options{.step = fine_step, .tolerance = 1e-6};
  Simulation simulation(hertz_heap(30, 0.4, 7), options);
  run(simulation, 150);
  const SimulationState saved = simulation.state();
  EXPECT_EQ(saved.warm_start.shear.size(), saved.warm_start.contacts.size());
  EXPECT_FALSE(saved.warm_start.shear.empty());
  run(simulation, 20);
  Simulation fresh(hertz_heap(30, 0.4, 7), options);
  fresh.restore(saved);
  run(fresh, 20);
  EXPECT_EQ(fresh.state(), simulation.state());

  SimulationState broken = saved;
  broken.warm_start.shear.pop_back();
  EXPECT_THROW(fresh.restore(broken), InvalidArgument);
}

TEST(Hertz, a_bounce_is_newtons_where_there_is_restitution) {
  World world = hertz_world(0, 0.5);
  const Index ball =
      world.add(body().with(make_sphere(0.1)).mass(1).at({0, 0, 0.105}).moving({0, 0, -2}));
  Simulation simulation(std::move(world), {.step = fine_step});
  simulation.step();
  EXPECT_NEAR(simulation.world().state(ball).velocity.z, 1, 1e-7);
}

TEST(HertzLaw, force_slope_and_energy_belong_together) {
  for (const double series : {0.0, 1e-6, 1e-2}) {
    const HertzLaw law{3e6, series};
    for (const double overlap : {1e-6, 1e-4, 1e-2}) {
      const double step = 1e-4 * overlap;
      EXPECT_NEAR((law.force(overlap + step) - law.force(overlap - step)) / (2 * step),
                  law.slope(overlap), 1e-6 * law.slope(overlap));
      EXPECT_NEAR((law.energy(overlap + step) - law.energy(overlap - step)) / (2 * step),
                  law.force(overlap), 1e-6 * law.force(overlap));
      const double force = law.force(overlap);
      EXPECT_NEAR(std::cbrt(std::pow(force / 3e6, 2)) + series * force, overlap, 1e-12);
    }
    EXPECT_EQ(law.force(-1e-3), 0);
    EXPECT_EQ(law.energy(0), 0);
  }
}

// (x − δ) r / h ≥ U(x) − U(δ) up to the predicted overlap, and with the tangent up to 11 δ.
TEST(HertzLaw, the_line_of_a_step_creates_no_energy) {
  Random random(4);
  for (int trial = 0; trial < 1000; ++trial) {
    HertzContact contact;
    contact.law = {random(1e3, 1e8), trial % 2 == 0 ? 0.0 : random(0, 1e-5)};
    contact.gap = -random(0, 1e-3);
    const double start = contact.overlap(), predicted = start + random(0, 1e-2);
    contact.set_slope(predicted);
    const auto gain = [&](double x) {
      const double force = std::max(0.0, contact.law.force(start) + contact.slope * (x - start));
      return contact.law.energy(x) - contact.law.energy(start) - force * (x - start);
    };
    for (int k = 0; k <= 20; ++k)
      EXPECT_LE(gain(predicted * k / 20), 1e-12 * contact.law.energy(predicted));
    contact.set_slope(0);
    EXPECT_LE(gain(10.9 * start), 1e-12 * contact.law.energy(predicted));
  }
}

TEST(HertzLaw, shear_keeps_its_force_when_it_hardens_and_its_length_when_it_softens) {
  HertzContact contact;
  contact.law = {1e6, 0};
  contact.gap = -1e-4;
  contact.ratio = 0.8;
  contact.set_slope(0);
  constexpr double h = 0.01;
  const double now = contact.shear_compliance(h) * h * h;
  EXPECT_NEAR(now, 1 / (0.8 * contact.law.slope(1e-4)), 1e-12 * now);
  EXPECT_EQ(contact.kept_shear(h), 1) << "nothing is known of the last step";
  contact.shear_before = 3 * now;
  EXPECT_EQ(contact.kept_shear(h), 1) << "hardened";
  contact.shear_before = now / 3;
  EXPECT_NEAR(contact.kept_shear(h), 1.0 / 3, 1e-12) << "softened";
}

// dn = K dx on the surface.
TEST(ContactRadius, curvature_is_the_change_of_the_normal) {
  Random random(9);
  for (const ShapePtr& shape : {make_sphere(0.3), make_ellipsoid({0.1, 0.2, 0.4}),
                                make_ellipsoid({0.3, 0.3, 0.05}), make_capsule(0.2, 1e-9)}) {
    for (int trial = 0; trial < 50; ++trial) {
      const Transform pose{random.vector(1), random.rotation()};
      const Vec3 n = normalized(random.vector(1));
      const Vec3 m = normalized(n + 1e-6 * orthogonal_unit(n));
      const auto at = [&](const Vec3& direction) {
        return pose.position +
               rotate(pose.rotation, support_point(*shape, rotate_back(pose.rotation, direction)));
      };
      const Mat3 k = surface_curvature(*shape, pose, 0, at(n), n);
      expect_near(k * (at(m) - at(n)), m - n, 1e-10);
      EXPECT_NEAR(norm(k * n), 0, 1e-12);
    }
  }
}

TEST(ContactRadius, follows_hertz_for_spheres_and_the_rules_for_the_rest) {
  const Vec3 up{0, 0, 1};
  const auto of = [&](const ShapePtr& shape, const Vec3& point, const Vec3& normal) {
    return surface_curvature(*shape, {}, 0, point, normal);
  };
  const Mat3 flat = of(make_box({1, 1, 1}), {0, 0, 1}, up);
  EXPECT_NEAR(contact_radius(of(make_sphere(0.3), {0, 0, 0.3}, up) + flat, up, 0.3), 0.3, 1e-12);
  EXPECT_NEAR(contact_radius(of(make_sphere(0.3), {0, 0, 0.3}, up) +
                                 of(make_sphere(0.6), {0, 0, -0.6}, -1.0 * up),
                             up, 0.3),
              0.2, 1e-12);
  EXPECT_NEAR(contact_radius(flat, up, 0.3), 1.2, 1e-12) << "faces and corners";
  const Vec3 side{1, 0, 0};
  EXPECT_NEAR(contact_radius(of(make_cylinder(0.1, 1), {0.1, 0, 0}, side), side, 1.005),
              std::sqrt(0.1 * 4.02), 1e-12);
  EXPECT_NEAR(contact_radius(of(make_cylinder(0.1, 1), {0, 0, 1}, up), up, 1), 4, 1e-12);
  // Crossed cylinders of equal radius are a sphere on a plane.
  const Transform crossed{{}, exponential_map({0.5 * M_PI, 0, 0})};
  EXPECT_NEAR(
      contact_radius(of(make_cylinder(0.1, 1), {0.1, 0, 0}, side) +
                         surface_curvature(*make_cylinder(0.1, 1), crossed, 0, {0.1, 0, 0}, side),
                     side, 1),
      0.1, 1e-12);
  // Of a compound, the child that touches counts.
  const ShapePtr pair =
      make_compound({{make_sphere(0.2), {{-1, 0, 0}, {}}}, {make_sphere(0.4), {{1, 0, 0}, {}}}});
  EXPECT_NEAR(contact_radius(surface_curvature(*pair, {}, 1, {1, 0, 0.4}, up), up, 1.4), 0.4,
              1e-12);
}

} // namespace
} // namespace talus
