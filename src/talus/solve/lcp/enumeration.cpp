// Total enumeration of the whole problem (preclik2009 sec. 3.1): every combination of bound states
// of all contacts until one fits. An oracle for tests and a last resort for tiny problems.
//
// Class: Coulomb's law on none, box and pyramid, in the plane on every set; tiny problems. Needs no
// symmetry, no definiteness, no start and no tolerance; finds an answer wherever one exists with
// linearly independent components between their bounds (always for positive semi-definite N without
// redundant friction; dependent components are set to zero). Cost: up to the number of combinations
// times a dense solve. At most 2²¹ combinations are admitted: 21
// frictionless contacts, 5 with box friction, 6 with pyramids (in the plane 8 and 10).

#include "talus/contact/bounded_lcp.h"
#include "talus/solve/monitor.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus {
namespace {

constexpr double most_combinations = 1 << 21;

/// The matrix of scaled products, column by column.
Vector dense_matrix(const ScaledProblem& problem) {
  const Index n = problem.size();
  Vector unit(n, 0.0), column(n), matrix(static_cast<std::size_t>(n) * n);
  for (Index j = 0; j < n; ++j) {
    unit[j] = 1;
    problem.product(unit, column);
    unit[j] = 0;
    for (Index i = 0; i < n; ++i) matrix[static_cast<std::size_t>(n) * i + j] = column[i];
  }
  return matrix;
}

std::vector<BoundedComponent> components_of(const ScaledProblem& problem) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<BoundedComponent> components;
  for (Index c = 0; c < problem.contacts(); ++c)
    append_components(problem.contact_set(c), problem.dimension() * c, components);
  for (Index j = 0; j < problem.equalities(); ++j)
    components.push_back({problem.project_row(j, -infinity), problem.project_row(j, infinity)});
  return components;
}

class Enumeration : public Solver {
public:
  const SolverInfo& info() const override { return info_; }

  std::string refuses(const ScaledProblem& problem) const override {
    const double combinations = count_bound_states(components_of(problem));
    if (combinations <= most_combinations) return "";
    return fmt::format(
        "problems of more than {} combinations of bound states; {} contacts have {:.3g}",
        most_combinations, problem.contacts(), combinations);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Vector u(problem.size());
    problem.velocity(z, u);
    if (!monitor.proceed(z, u)) return;
    if (monitor.must_stop()) return;
    const Vector matrix = dense_matrix(problem);
    const std::vector<BoundedComponent> components = components_of(problem);
    std::vector<BoundState> states(components.size(), BoundState::at_lower);
    BoundEnumeration enumeration(problem.size());
    enumeration.solve(matrix.data(), problem.free_velocity().data(), components, states, z.data(),
                      monitor.stop_test());
    monitor.note(fmt::format("{} linear systems", enumeration.systems()));
    problem.velocity(z, u);
    if (monitor.proceed(z, u)) monitor.stall("no combination of bound states fits");
  }

private:
  SolverInfo info_ = {.name = "enumeration",
                      .summary = "total enumeration of bound states, for tiny problems",
                      .paper = "preclik2009 sec. 3.1",
                      .laws = {Law::coulomb},
                      .friction = {Section::interval, Section::square},
                      .coulomb = "direct",
                      .products_per_iteration = "size of the problem"};
};

} // namespace

std::unique_ptr<Solver> make_enumeration() {
  return std::make_unique<Enumeration>();
}

} // namespace talus
