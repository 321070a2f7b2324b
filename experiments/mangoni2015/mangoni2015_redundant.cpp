// mangoni2015 sec. 4.3: redundant contacts, with and without compliance E (eq. 39).

#include "experiments/frame/fingerprint.h"
#include "mangoni2015.h"
#include "talus/core/vector_ops.h"
#include "talus/inspect/spectrum.h"
#include "talus/shape/shape.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::experiments::mangoni2015_redundant {
namespace {

constexpr double step_length = 0.01;

/// Bricks in running bond, each on four corners of every brick below.
World brick_wall(int columns, int rows) {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  const Vec3 half{0.5, 0.25, 0.15};
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns - row % 2; ++column)
      world.add(body()
                    .with(make_box(half))
                    .density(1000)
                    .at({column + 0.5 * (row % 2), 0, half.z * (2 * row + 1)}));
  return world;
}

/// Contacts as springs of stiffness k (N/m): γ = h F and u = (gap change) / h make E = 1 / (k h²).
ContactProblem with_stiffness(ContactProblem problem, double stiffness) {
  if (std::isfinite(stiffness))
    problem.compliance.assign(problem.size(), 1 / (stiffness * step_length * step_length));
  return problem;
}

std::string stiffness_words(double stiffness) {
  return std::isfinite(stiffness) ? fmt::format("{:.0e} N/m", stiffness) : "rigid";
}

Json measured(const ContactProblem& problem) {
  SolveOptions options;
  options.tolerance = 1e-10;
  const SolveResult pdip = run_solver(problem, {"pdip"}, options);
  const SolveResult apgd = run_solver(problem, {"apgd"}, options);
  const SolveResult conic = run_solver(problem, {"conic-ip"}, options);
  const Spectrum spectrum = dense_spectrum(*make_operator(problem));
  return {{"iterations", pdip.iterations},
          {"conic_ip", conic.iterations},
          {"error", pdip.quality.error},
          {"converged", pdip.status == Status::converged},
          {"v", pdip.v},
          {"impulses_apart", distance(pdip.x, apgd.x) / norm(apgd.x)},
          {"velocities_apart", distance(pdip.v, apgd.v)},
          {"condition", spectrum.condition},
          {"redundant", spectrum.size - spectrum.rank}};
}

} // namespace

Report run(Context& context) {
  const int columns = context.sized(3, 6);
  const double infinite = std::numeric_limits<double>::infinity();
  const Json inputs = {{"columns", columns}, {"by", inputs_of(paper_steps("none"))}};
  const ContactProblem wall =
      normal_rows(context.problem(fmt::format("mangoni2015-wall-{}", columns), inputs, [&] {
        Simulation simulation(brick_wall(columns, columns), paper_steps("none"));
        return simulation.next_problem();
      }));
  Report report;
  DataTable table{
      "stiffness",
      "pdip to an error of 1e-10; how far the impulses of another method (apgd) are, relative "
      "to their size, and the largest change of a velocity against rigid contacts.",
      {"contact stiffness", "iterations", "conic-ip", "error", "redundant rows", "condition number",
       "impulses apart", "change of v (m/s)"},
      {}};
  Vector rigid_velocity;
  bool converged = true;
  double rigid_apart = 0, soft_apart = 0, redundant = 0;
  for (double stiffness : {infinite, 1e12, 1e10, 1e8, 1e6}) {
    const ContactProblem soft = with_stiffness(wall, stiffness);
    const Json run = context.once(fmt::format("{}-{:.0e}", columns, stiffness), fingerprint(soft),
                                  [&] { return measured(soft); });
    const Vector v = run["v"].get<Vector>();
    if (rigid_velocity.empty()) {
      rigid_velocity = v;
      redundant = run["redundant"];
      rigid_apart = run["impulses_apart"];
    }
    Vector change = v;
    axpy(-1, rigid_velocity, change);
    soft_apart = run["impulses_apart"];
    converged = converged && run["converged"].get<bool>();
    table.rows.push_back({stiffness_words(stiffness), run["iterations"], run["conic_ip"],
                          run["error"], run["redundant"], run["condition"], run["impulses_apart"],
                          max_abs(change)});
  }
  report.findings.push_back(check_statement(
      "redundant contacts: the method converges to the required accuracy without removing them",
      "always",
      fmt::format("{:.0f} of {} rows redundant, error {:.1e} in {} iterations", redundant,
                  wall.contacts(), table.rows[0][3].get<double>(), table.rows[0][1].get<long>()),
      converged && redundant > 0,
      "the ratios Y/W that regularise redundant rows reach the rounding of the factorisation "
      "before the tolerance"));
  report.findings.push_back(
      check_statement("compliance E gives the rank-deficient matrix a nonzero diagonal", "yes",
                      fmt::format("{} redundant rows at {}", table.rows.back()[4].get<long>(),
                                  table.rows.back()[0].get<std::string>()),
                      table.rows.back()[4].get<long>() == 0,
                      "the compliance is below the rounding of the largest singular value"));
  report.findings.push_back(
      answer("are the impulses unique? relative distance between pdip's and apgd's",
             fmt::format("{:.2g} rigid, {:.1e} at 1e6 N/m", rigid_apart, soft_apart),
             "redundant rows leave a family of solutions; compliance chooses one"));
  report.summary = fmt::format(
      "A wall of {} rows of bricks in running bond, {} contacts without friction: every brick "
      "rests on four corners of each neighbour below, where three per brick would do.",
      columns, wall.contacts());
  report.tables.push_back(std::move(table));
  return report;
}

} // namespace talus::experiments::mangoni2015_redundant
