// How `auto` solves islands on their own.
//
// The squared residual of the whole is the sum of the islands' (islands.h). An island must bring
// its residual below tolerance · |F(0)| · √(its share of the contacts), so that the residual of
// the whole is below tolerance · |F(0)|.

#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/auto/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr double product_share = 0.9; ///< Of the squared tolerance that islands share.

Index blocks_of(const Island& island) {
  return static_cast<Index>(island.contacts.size() + island.rows.size());
}

/// What is left of the products of the whole, in products of an island: as many for each of the
/// islands that are solved, whose products cost less than those of the whole.
long products_of_each(long left, Index blocks, const std::vector<Island>& parts) {
  if (left == 0) return 0;
  double wanted = 0;
  for (const Island& part : parts) wanted += blocks_of(part);
  return std::max(1L, std::lround(static_cast<double>(left) * blocks / std::max(1.0, wanted)));
}

} // namespace

/// The solve of one island within that of the whole.
struct Auto::IslandRun {
  Vector x; ///< Its impulses: the start, then the answer.
  long iterations = 0;
  double products = 0, work = 0; ///< Times blocks.
  std::string trouble;           ///< Why it is not good enough, if so.
  Status status = Status::converged;
};

void Auto::solve_island(const Island& island, const SolveOptions& options, double goal,
                        IslandRun& run) {
  const auto n = make_operator(island.problem);
  ScaledProblem part(island.problem, *n);
  Vector z(part.size(), 0.0);
  if (part.reference() > 0) {
    part.to_scaled(run.x, z);
    SolveOptions own = options;
    own.tolerance = goal / part.reference();
    Monitor monitor(part, own);
    const Solve solve = begin(part, false, z, monitor);
    if (run_part(Part::quick, solve)) run_other_parts(solve);
    if (!monitor.best().empty()) copy(monitor.best(), z);
    run.iterations = monitor.iterations();
    run.status = monitor.status();
    if (run.status != Status::converged)
      run.trouble = fmt::format("an island of {} contacts: {}", part.contacts(), monitor.message());
    run.work = static_cast<double>(monitor.work()) * blocks_of(island);
  }
  part.to_physical(z, run.x);
  run.products = static_cast<double>(part.products()) * blocks_of(island);
}

struct Auto::IslandTotals {
  long iterations = 0;
  double products = 0, work = 0; ///< Times blocks.
  std::string trouble;           ///< Of an island that is not solved.
  bool infeasible = false, limited = false;

  void include(const IslandRun& run) {
    // Islands do not wait for each other: each has the iterations of the whole.
    iterations = std::max(iterations, run.iterations);
    products += run.products;
    work += run.work;
    if (!run.trouble.empty()) trouble = run.trouble;
    infeasible |= run.status == Status::infeasible;
    limited |= run.status == Status::product_limit;
  }
};

/// Those whose residual is above their goal, from x on; x holds their answers afterwards.
Auto::IslandTotals Auto::run_islands(const Solve& solve, const std::vector<Island>& parts,
                                     const Vector& goals, Span x) const {
  const ContactProblem& whole = solve.problem.problem();
  SolveOptions options = solve.monitor.options_within(0);
  options.max_products =
      products_of_each(options.max_products, CostModel(solve.problem).blocks(), parts);
  std::vector<IslandRun> runs(parts.size());
  parallel_for(
      static_cast<Index>(parts.size()),
      [&](Index begin, Index end) {
        Auto own; // methods have a memory of their own
        own.sizes_ = sizes_;
        own.solve_regions_ = solve_regions_;
        for (Index k = begin; k < end; ++k) {
          runs[k].x.resize(parts[k].problem.size());
          gather(whole, parts[k], x, runs[k].x);
          own.solve_island(parts[k], options, goals[k], runs[k]);
        }
      },
      1);
  IslandTotals totals;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    scatter(whole, parts[k], runs[k].x, x);
    totals.include(runs[k]);
  }
  return totals;
}

void Auto::solve_islands(const Solve& solve, const Islands& islands) {
  ScaledProblem& problem = solve.problem;
  Monitor& monitor = solve.monitor;
  const Index blocks = CostModel(problem).blocks();
  Vector u(problem.size()), x(problem.size());
  problem.velocity(solve.z, u);
  const IslandResiduals residuals = island_residuals(problem, islands, solve.z, u);
  const double goal = monitor.options().tolerance * problem.reference();
  std::vector<bool> wanted(islands.count);
  Vector goals;
  for (Index i = 0; i < islands.count; ++i) {
    const double own = goal * std::sqrt(product_share * residuals.blocks[i] / blocks);
    wanted[i] = std::sqrt(residuals.squared[i]) > own;
    if (wanted[i]) goals.push_back(own);
  }
  monitor.note(
      fmt::format("{} of {} islands are solved on their own", goals.size(), islands.count));
  problem.to_physical(solve.z, x);
  const IslandTotals totals =
      run_islands(solve, split(problem.problem(), islands, wanted), goals, x);
  monitor.add_solves(totals.iterations,
                     std::lround(std::max(0.0, totals.work - totals.products) / blocks));
  problem.count_products(std::lround(totals.products / blocks));
  problem.to_scaled(x, solve.z);
  problem.velocity(solve.z, u);
  if (!monitor.proceed(solve.z, u)) return;
  if (totals.infeasible) return monitor.declare_infeasible();
  if (totals.limited) return monitor.end_at_product_limit();
  if (totals.trouble.empty()) return run_other_parts(solve);
  // An island that a limit has ended did so at the limit of the whole, which is then said.
  if (monitor.count_iteration()) monitor.stall(totals.trouble);
}

} // namespace talus
