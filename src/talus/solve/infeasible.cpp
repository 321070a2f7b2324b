#include "talus/solve/infeasible.h"

#include "talus/core/vector_ops.h"
#include "talus/solve/contradiction.h"
#include "talus/solve/islands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// In multiples of |F(0)|: larger impulses make one look for a contradiction.
constexpr double suspicious_size = 100;
constexpr long search_products = 4000;
/// Of contacts made compliant, relative to their own diagonal block of N: impulses stay below
/// 1/compliance times |F(0)|.
constexpr double compliance = 1e-4;
constexpr double compliant_tolerance = 1e-6;
constexpr long compliant_iterations = 5000;

/// Contacts and rows up to which looking costs next to nothing.
constexpr Index always_worth_a_look = 50;

bool needs_treatment(const ContactProblem& problem, const SolveResult& result) {
  switch (result.status) {
  case Status::infeasible:
    return true;
  case Status::stalled:
  case Status::iteration_limit:
  case Status::product_limit:
  case Status::time_limit:
    // An answer that is not finite has no size: it needs another one, too.
    return problem.contacts() + problem.equalities() <= always_worth_a_look ||
           !(relative_size(result.quality) <= suspicious_size);
  default:
    return false;
  }
}

/// The problem with every contact and row made compliant; it always has a solution.
ContactProblem with_compliance(const ContactProblem& problem, const DelassusOperator& n) {
  ContactProblem soft = problem;
  soft.compliance.resize(problem.size(), 0.0);
  for (Index c = 0; c < problem.contacts(); ++c)
    for (int i = 0; i < problem.dimension; ++i) {
      const double length = i < n.first_moment() || n.lengths().empty() ? 1.0 : n.lengths()[c];
      soft.compliance[problem.dimension * c + i] += compliance / n.rho()[c] / (length * length);
    }
  for (Index j = 0; j < problem.equalities(); ++j)
    soft.compliance[problem.impulses() + j] += compliance / n.rho()[problem.contacts() + j];
  return soft;
}

Vector compliant_answer(Solver& solver, const ContactProblem& problem, const DelassusOperator& n,
                        const SolveOptions& options) {
  SolveOptions inner;
  inner.tolerance = compliant_tolerance;
  inner.max_iterations = std::min(compliant_iterations, options.max_iterations);
  inner.max_products = options.max_products;
  inner.time_limit = options.time_limit;
  inner.stop = options.stop;
  SolveResult result = solve(solver, with_compliance(problem, n), inner);
  const bool usable = !result.x.empty() && all_finite(result.x);
  return usable ? std::move(result.x) : Vector(problem.size(), 0.0);
}

/// One island of the problem, treated on its own.
class IslandTreatment {
public:
  IslandTreatment(const Island& island, Vector x)
      : island_(island), n_(make_operator(island.problem)), scaled_(island.problem, *n_),
        x_(std::move(x)) {}

  void run(Solver& solver, const SolveOptions& options) {
    if (scaled_.reference() == 0) return;
    const Quality now = quality_of(x_);
    // Written so that sizes and errors that are not numbers count as too large.
    const bool suspicious = !(relative_size(now) <= suspicious_size);
    const bool admissible = relative_size(now) <= largest_relative_size;
    if (now.error <= options.tolerance && admissible) return;
    const long most = options.max_products > 0 ? options.max_products : search_products;
    contradiction_ = find_contradiction(scaled_, std::min(most, search_products));
    if (admissible && !contradiction_) return;
    Vector other = compliant_answer(solver, island_.problem, *n_, options);
    if (suspicious || !(now.error <= quality_of(other).error)) x_ = std::move(other);
  }

  ConstSpan x() const { return x_; }
  const std::optional<Contradiction>& contradiction() const { return contradiction_; }

private:
  Quality quality_of(ConstSpan x) const {
    Vector z(x.size()), u(x.size());
    return judge(scaled_, x, z, u);
  }

  const Island& island_;
  std::unique_ptr<DelassusOperator> n_;
  ScaledProblem scaled_;
  Vector x_;
  std::optional<Contradiction> contradiction_;
};

std::string list_of(std::span<const Index> numbers) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
  if (numbers.size() > most) text += fmt::format(" and {} more", numbers.size() - most);
  return text;
}

/// What the treatments of all islands found together.
struct Finding {
  std::vector<Index> contacts, rows;
  double least_size = std::numeric_limits<double>::infinity();

  void include(const Island& island, const Contradiction& found) {
    for (const Index c : found.contacts) contacts.push_back(island.contacts[c]);
    for (const Index j : found.rows) rows.push_back(island.rows[j]);
    least_size = std::min(least_size, found.least_size);
  }
  std::string message() const {
    std::string who;
    if (!contacts.empty()) who = fmt::format("contacts {}", list_of(contacts));
    if (!rows.empty())
      who += fmt::format("{}equality rows {}", who.empty() ? "" : " and ", list_of(rows));
    return fmt::format("{} contradict each other: impulses that satisfy them would have to be over "
                       "{:.0e} times those that stop each contact on its own",
                       who, least_size);
  }
};

} // namespace

void treat_infeasible(Solver& solver, const ContactProblem& problem, const DelassusOperator& n,
                      const SolveOptions& options, SolveResult& result) {
  if (!needs_treatment(problem, result)) return;
  const Islands islands = find_islands(problem);
  const std::vector<Island> parts = split(problem, islands, std::vector<bool>(islands.count, true));
  Finding finding;
  for (const Island& island : parts) {
    Vector x(island.problem.size());
    gather(problem, island, result.x, x);
    IslandTreatment treatment(island, std::move(x));
    treatment.run(solver, options);
    scatter(problem, island, treatment.x(), result.x);
    if (treatment.contradiction()) finding.include(island, *treatment.contradiction());
  }
  const bool found = !finding.contacts.empty() || !finding.rows.empty();
  if (result.status == Status::infeasible && !found) result.status = Status::stalled;
  judge_answer(problem, n, options, "", result);
  if (result.status == Status::converged || !found) return;
  std::ranges::sort(finding.contacts);
  std::ranges::sort(finding.rows);
  result.status = Status::infeasible;
  result.message = finding.message();
  result.contradiction = std::move(finding.contacts);
}

} // namespace talus
