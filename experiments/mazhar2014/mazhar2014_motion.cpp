#include "mazhar2014_motion.h"

#include "experiments/frame/paper_step.h"
#include "talus/core/error.h"
#include "talus/shape/shape.h"
#include "talus/step/formulation.h"
#include "talus/step/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::experiments {
namespace {

constexpr double gravity = 9.81;
constexpr double ball_radius = 1, half_edge = 0.5;
/// Slower than this the contact point rests, m/s.
constexpr double no_slip = 1e-4;
constexpr std::string_view by_apgd = "apgd, dual";

double slope(const Slide& slide) {
  return slide.degrees * std::numbers::pi / 180;
}

double rest_height(const Slide& slide) {
  return slide.ball ? ball_radius : half_edge;
}

Quaternion tilt(const Slide& slide) {
  return axis_angle({0, 1, 0}, slope(slide));
}

World world_of(const Slide& slide) {
  World world;
  world.materials.replace(0, {.name = "default", .friction = slide.friction});
  const Quaternion turned = tilt(slide);
  world.add(fixed_body("plane").with(make_half_space(rotate(turned, {0, 0, 1}))));
  world.add(
      body("body")
          .with(slide.ball ? make_sphere(ball_radius) : make_box({half_edge, half_edge, half_edge}))
          .placed({rotate(turned, {0, 0, rest_height(slide)}), turned})
          .moving(rotate(turned, {slide.speed, 0, 0})));
  return world;
}

MotionRecord observed(const Slide& slide, const Simulation& simulation) {
  const BodyState& state = simulation.world().states().back();
  const Quaternion turned = tilt(slide);
  const Vec3 along = rotate(turned, {1, 0, 0}), normal = rotate(turned, {0, 0, 1});
  return {simulation.time(),           dot(state.pose.position, along),
          dot(state.velocity, along),  dot(state.pose.position, normal) - rest_height(slide),
          dot(state.velocity, normal), state.angular_velocity.y};
}

struct MotionRun {
  std::string curve, formulation, solver;
  bool relaxed;
};

std::vector<MotionRun> motion_runs() {
  std::vector<MotionRun> runs;
  for (const bool relaxed : {false, true}) {
    const std::string ending = relaxed ? "-relaxed" : "";
    for (const char* name : {"primal", "dual", "eom"})
      runs.push_back({name, name + ending, "", relaxed});
    runs.push_back({std::string(by_apgd), "dual" + ending, "apgd", relaxed});
  }
  return runs;
}

Json simulated(const Slide& slide, const MotionRun& run) {
  StepOptions options = paper_step(slide.step);
  choose_formulation(options, run.formulation, run.solver);
  options.tolerance = 1e-8;
  Simulation simulation(world_of(slide), options);
  Json records = Json::array();
  long unconverged = 0;
  const auto keep = [&](const MotionRecord& r) {
    records.push_back(Json::array({r.time, r.distance, r.speed, r.height, r.rise, r.spin}));
  };
  keep(observed(slide, simulation));
  for (long left = std::lround(slide.seconds / slide.step); left > 0; --left) {
    if (!simulation.step().converged()) ++unconverged;
    keep(observed(slide, simulation));
  }
  return {{"records", records}, {"unconverged", unconverged}};
}

Motion motion_from(const MotionRun& run, const Json& json) {
  Motion motion{run.curve, run.relaxed, {}, json.at("unconverged")};
  for (const Json& r : json.at("records"))
    motion.records.push_back({r[0], r[1], r[2], r[3], r[4], r[5]});
  return motion;
}

std::string panel_of(bool relaxed) {
  return relaxed ? "relaxed" : "fixed point (Coulomb)";
}

DataTable drawn(const Slide& slide, const std::vector<Motion>& motions) {
  DataTable table{"motion",
                  "The motions.",
                  {"panel", "curve", "time", "distance", "off", "speed", "height", "spin", "total"},
                  {},
                  false};
  const auto add = [&](bool relaxed, const std::string& curve, const MotionRecord& r) {
    const double off = r.distance - exact_motion(slide, r.time).distance;
    table.rows.push_back({panel_of(relaxed), curve, r.time, r.distance, 1e3 * off, r.speed,
                          1e3 * r.height, r.spin, std::hypot(r.speed, r.rise)});
  };
  for (const bool relaxed : {false, true}) {
    for (const MotionRecord& record : motions.front().records)
      add(relaxed, "closed form", exact_motion(slide, record.time));
    for (const Motion& motion : motions)
      if (motion.relaxed == relaxed && motion.curve != by_apgd)
        for (const MotionRecord& record : motion.records) add(relaxed, motion.curve, record);
  }
  return table;
}

DataTable outcome(const Slide& slide, const std::vector<Motion>& motions) {
  DataTable table{"outcome",
                  "How each formulation ends.",
                  {"formulation", "law", "slips until [s]", "distance [m]", "final speed [m/s]",
                   "lift-off [mm]", "off the closed form [mm]", "unconverged steps"},
                  {}};
  const MotionRecord end = exact_motion(slide, slide.seconds);
  table.rows.push_back(
      {"closed form", "Coulomb", slipping_time(slide), end.distance, end.speed, 0.0, 0.0, 0});
  for (const Motion& motion : motions)
    table.rows.push_back({motion.curve, motion.relaxed ? "relaxed" : "Coulomb",
                          motion.slips_until(slide), motion.last().distance, motion.last().speed,
                          1e3 * motion.lift(), 1e3 * motion.off_closed_form(slide),
                          motion.unconverged});
  return table;
}

/// "primal 6.2, dual 6.2, eom 6.2 mm".
std::string lifts(const std::vector<Motion>& motions) {
  std::vector<std::string> words;
  for (const Motion& motion : motions)
    if (motion.relaxed && motion.curve != by_apgd)
      words.push_back(fmt::format("{} {:.3g}", motion.curve, 1e3 * motion.lift()));
  return fmt::format("{} mm", fmt::join(words, ", "));
}

void report_stopping(Report& report, const Slide& slide, const std::vector<Motion>& motions) {
  const double distance = exact_motion(slide, slide.seconds).distance;
  for (const char* curve : {"primal", "dual", "eom"}) {
    const Motion& motion = find_motion(motions, curve, false);
    report.findings.push_back(compare_numbers(
        fmt::format("{}: stops after [s], beside the closed form", curve), slipping_time(slide),
        motion.slips_until(slide), 1.02, "the step in which it stops is counted whole"));
    report.findings.push_back(
        compare_numbers(fmt::format("{}: stops after [m], beside the closed form", curve), distance,
                        motion.last().distance, 1.02,
                        "implicit steps brake from the end of a step: half a step short"));
  }
  const Motion& relaxed = find_motion(motions, "dual", true);
  report.findings.push_back(check_statement(
      "the relaxation does not change where it comes to rest", "steady state not affected",
      fmt::format("{:.3f} s, {:.3f} m; up to {:.1f} mm away on the way", relaxed.slips_until(slide),
                  relaxed.last().distance, 1e3 * relaxed.off_closed_form(slide)),
      std::abs(relaxed.last().distance / distance - 1) < 0.01,
      "friction lost in flight and gained at take-off and landing do not cancel here"));
}

void report_divergence(Report& report, const std::vector<Motion>& motions,
                       const std::string& figure) {
  const Motion& primal = find_motion(motions, "primal", true);
  const double eom = apart(primal, find_motion(motions, "eom", true)),
               others = std::max(apart(primal, find_motion(motions, "dual", true)),
                                 apart(primal, find_motion(motions, by_apgd, true)));
  report.findings.push_back(check_statement(
      figure + ": the relaxed EOM leaves the other relaxed motions", "diverges",
      fmt::format("{:.1g} mm from the primal one; the dual ones {:.1g} mm", 1e3 * eom,
                  1e3 * others),
      eom > 1e-3,
      shown("All relaxed formulations are one convex problem whose velocities are unique; each of "
            "them is solved to 1e-8 here.")));
}

} // namespace

double slipping_acceleration(const Slide& slide) {
  return gravity * (std::sin(slope(slide)) - slide.friction * std::cos(slope(slide)));
}

double slipping_time(const Slide& slide) {
  if (slide.ball) return 2 * slide.speed / (7 * slide.friction * gravity);
  const double acceleration = slipping_acceleration(slide);
  return acceleration < 0 ? slide.speed / -acceleration : std::numeric_limits<double>::infinity();
}

MotionRecord exact_motion(const Slide& slide, double time) {
  const double slipping = std::min(time, slipping_time(slide)), a = slipping_acceleration(slide);
  MotionRecord record{.time = time, .speed = slide.speed + a * slipping};
  record.distance =
      (slide.speed + 0.5 * a * slipping) * slipping + record.speed * (time - slipping);
  // The torque μ m g r on the inertia ⅖ m r².
  if (slide.ball) record.spin = 2.5 * slide.friction * gravity / ball_radius * slipping;
  return record;
}

double predicted_hop(const Slide& slide) {
  const double h = slide.step, mu = slide.friction, fall = h * gravity * std::cos(slope(slide));
  const double slip = slide.speed + h * gravity * std::sin(slope(slide));
  const double kappa = slide.ball ? 3.5 : 1;
  double rise = (mu * slip + fall) / (1 + kappa * mu * mu) - fall, height = 0;
  for (; rise > 0; rise -= fall) height += h * rise;
  return height;
}

double predicted_cushion(const Slide& slide, double speed) {
  return slide.step * slide.friction * std::abs(speed);
}

double Motion::lift() const {
  double greatest = 0;
  for (const MotionRecord& record : records) greatest = std::max(greatest, record.height);
  return greatest;
}

double Motion::slips_until(const Slide& slide) const {
  double until = std::numeric_limits<double>::infinity();
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    const double slip = slide.ball ? record->speed - ball_radius * record->spin : record->speed;
    if (std::abs(slip) > no_slip) break;
    until = record->time;
  }
  return until;
}

double Motion::off_closed_form(const Slide& slide) const {
  double greatest = 0;
  for (const MotionRecord& record : records)
    greatest =
        std::max(greatest, std::abs(record.distance - exact_motion(slide, record.time).distance));
  return greatest;
}

namespace {

Json inputs_of(const Slide& slide, const MotionRun& run) {
  return {{"ball", slide.ball},
          {"degrees", slide.degrees},
          {"friction", slide.friction},
          {"speed", slide.speed},
          {"seconds", slide.seconds},
          {"step", slide.step},
          {"formulation", run.formulation},
          {"solver", run.solver}};
}

} // namespace

std::vector<Motion> run_motions(const Context& context, const Slide& slide) {
  std::vector<Motion> motions;
  for (const MotionRun& run : motion_runs())
    motions.push_back(motion_from(
        run, context.once(run.formulation + (run.solver.empty() ? "" : "-" + run.solver),
                          inputs_of(slide, run), [&] { return simulated(slide, run); })));
  return motions;
}

const Motion& find_motion(const std::vector<Motion>& motions, std::string_view curve,
                          bool relaxed) {
  for (const Motion& motion : motions)
    if (motion.curve == curve && motion.relaxed == relaxed) return motion;
  throw InvalidArgument(fmt::format("no motion '{}'", curve));
}

double apart(const Motion& a, const Motion& b) {
  double greatest = 0;
  for (std::size_t i = 0; i < a.records.size(); ++i)
    greatest = std::max(greatest, std::abs(a.records[i].distance - b.records[i].distance));
  return greatest;
}

void report_motions(Report& report, const Slide& slide, const std::vector<Motion>& motions) {
  const Motion& primal = find_motion(motions, "primal", false);
  const Motion& dual = find_motion(motions, "dual", false);
  const Motion& eom = find_motion(motions, "eom", false);
  const double spread = std::max(apart(primal, dual), apart(primal, eom));
  report.findings.push_back(check_statement(
      "primal, dual and EOM without relaxation give one solution", "the same",
      fmt::format("at most {:.2g} mm apart", 1e3 * spread), spread < 1e-3,
      "eight sides of a cone are not the cone unless a corner points along the motion, or a solve "
      "missed its tolerance"));
  double fixed_point_lift = 0, relaxed_lift = std::numeric_limits<double>::infinity();
  for (const Motion& motion : motions)
    if (motion.relaxed)
      relaxed_lift = std::min(relaxed_lift, motion.lift());
    else
      fixed_point_lift = std::max(fixed_point_lift, motion.lift());
  report.findings.push_back(check_statement(
      "lift-off without relaxation", "none",
      fmt::format("at most {:.1g} mm", 1e3 * fixed_point_lift), fixed_point_lift < 1e-6,
      "a fixed point that has not converged keeps part of the relaxation"));
  report.findings.push_back(
      check_statement("lift-off of the relaxed laws", "lifts off", lifts(motions),
                      relaxed_lift > 0.1 * predicted_cushion(slide, slide.speed) &&
                          relaxed_lift > 10 * fixed_point_lift,
                      "a hop is as high as the first step's slip makes it, and sliding later on "
                      "rides on h μ |u_t|"));
  report.summary += " EOM has an eight-sided cone, a corner of which points along the motion. The "
                    "dual formulations are solved by conic-ip (drawn) and by APGD (in the table).";
  report.tables.push_back(outcome(slide, motions));
  report.tables.push_back(drawn(slide, motions));
}

void report_hop(Report& report, const Slide& slide, const std::vector<Motion>& motions) {
  report.findings.push_back(answer("hop of the relaxed law",
                                   fmt::format("{:.2f} mm; predicted {:.2f} mm",
                                               1e3 * find_motion(motions, "dual", true).lift(),
                                               1e3 * predicted_hop(slide)),
                                   "u_n = μ |u_t| at the end of the first step, then free flight"));
}

Plot motion_plot(std::string name, std::string title, std::string caption, std::string y,
                 std::string label) {
  return {.name = std::move(name),
          .title = std::move(title),
          .caption = std::move(caption),
          .table = "motion",
          .x = "time",
          .y = std::move(y),
          .curve = "curve",
          .panel = "panel",
          .x_label = "time [s]",
          .y_label = std::move(label)};
}

void report_braked_box(Report& report, const Slide& slide, const std::vector<Motion>& motions,
                       const std::string& figure) {
  report_stopping(report, slide, motions);
  report_motions(report, slide, motions);
  report_hop(report, slide, motions);
  report_divergence(report, motions, figure);
  report.plots.push_back(motion_plot(
      "distance", figure + ": distance from the closed form",
      "Left: the lag of a step. Right: the relaxed box is braked by the impulse of the "
      "hop, not at all while it flies, and by the impulse of landing. The sum is "
      "Coulomb's, for friction is μ times the normal impulse, and that carries the same "
      "weight: it comes to rest at the same place.",
      "off", "ahead of the closed form [mm]"));
}

} // namespace talus::experiments
