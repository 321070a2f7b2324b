// Lemke's method on the linear complementarity problem of the time step (anitescu2002, "Solving the
// LCP"; Anitescu and Potra 1997 prove that it ends in a solution for Coulomb friction when no
// penetration has to be undone).
//
// The problem is written with the generators of polyhedral friction (polyhedral_step.h), joints are
// eliminated (standard_lcp.h), and complementary pivoting with lexicographic ties runs from a
// covering vector of ones (lemke_pivoting.h). When that ends in a ray, other covering vectors and
// other complementary bases are tried; the message says how the last attempt ended.
//
// Class: polyhedral friction under both laws, no symmetry and no definiteness asked for; plain and
// mixed linear complementarity problems. Exact up to rounding, no tolerance involved.
// Cost: dense, 2 n² flops per pivot (an iteration) and n to 3 n pivots, with n = 6 unknowns per
// contact for pyramids, 2 + m for polyhedron:m, 4 in the plane: for tens of bodies.

#include "talus/core/vector_ops.h"
#include "talus/linalg/eigen_sparse.h"
#include "talus/solve/lcp/lemke_pivoting.h"
#include "talus/solve/lcp/pivot_tableau.h"
#include "talus/solve/lcp/standard_lcp.h"
#include "talus/solve/monitor.h"
#include "talus/solve/sweeps/polyhedral_solver.h"

#include <fmt/format.h>

#include <random>

namespace talus {
namespace {

constexpr Index most_unknowns = 3000;

/// Unknowns of the mixed problem, joints included.
long count_unknowns(const ScaledProblem& problem) {
  const ContactSet set{problem.problem().friction, problem.dimension()};
  const bool has_friction = problem.dimension() > 1 && set.set.kind != FrictionKind::none;
  const long per_contact =
      has_friction ? 2 + static_cast<long>(generators(set.set, problem.dimension()).size()) : 1;
  return per_contact * problem.contacts() + problem.equalities();
}

double uniform(std::mt19937& random) {
  return static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
}

/// A start for complementary pivoting: an equivalent problem in which w and z of some pairs have
/// changed places, and a covering vector. The first is the problem itself, covered by ones; the
/// others are random, the same in every run.
class Start {
public:
  Start(const StandardLcp& lcp, int attempt) : tableau_(lcp.size(), lcp.size() + 1) {
    const Index n = lcp.size();
    tableau_ << lcp.M(), lcp.q();
    is_exchanged_.resize(n, false);
    cover_ = Eigen::VectorXd::Ones(n);
    if (attempt == 0) return;
    std::mt19937 random(static_cast<unsigned>(attempt));
    for (double& value : cover_) value = 0.1 + uniform(random);
    const double share = uniform(random);
    for (Index i = 0; i < n; ++i)
      if (uniform(random) < share) exchange_pair(i);
  }

  LemkeAnswer run(const std::function<bool()>& go_on) const {
    const Index n = static_cast<Index>(cover_.size());
    const Eigen::MatrixXd M = tableau_.leftCols(n);
    const Eigen::VectorXd q = tableau_.col(n);
    LemkeAnswer answer = lemke(M, q, cover_, go_on);
    const Eigen::VectorXd w = M * answer.z + q;
    for (Index i = 0; i < n; ++i)
      if (is_exchanged_[i]) answer.z[i] = w[i];
    return answer;
  }

private:
  /// By a pivot on the diagonal, or together with a second pair.
  void exchange_pair(Index i) {
    constexpr double good_pivot = 1e-2;
    if (is_exchanged_[i]) return;
    const Index n = static_cast<Index>(cover_.size());
    Index partner = i;
    double best = std::abs(tableau_(i, i));
    for (Index j = 0; j < n && best <= good_pivot; ++j) {
      const double size = std::min(std::abs(tableau_(i, j)), std::abs(tableau_(j, i)));
      if (is_exchanged_[j] || size <= best) continue;
      partner = j;
      best = size;
    }
    if (best <= good_pivot) return;
    exchange(tableau_, i, partner);
    is_exchanged_[i] = true;
    if (partner == i) return;
    // The pairs now lie across: put them back into their own rows and columns.
    if (std::abs(tableau_(partner, i)) <= good_pivot) {
      exchange(tableau_, i, partner);
      is_exchanged_[i] = false;
      return;
    }
    exchange(tableau_, partner, i);
    tableau_.row(i).swap(tableau_.row(partner));
    tableau_.col(i).swap(tableau_.col(partner));
    is_exchanged_[partner] = true;
  }

  Eigen::MatrixXd tableau_; ///< M and q.
  std::vector<bool> is_exchanged_;
  Eigen::VectorXd cover_;
};

std::string describe(LemkeEnd end) {
  switch (end) {
  case LemkeEnd::ray:
    return "ended in a ray";
  case LemkeEnd::lost:
    return "lost its basis to rounding";
  case LemkeEnd::stopped:
    return "did not end";
  case LemkeEnd::solution:
    return "ended in a basis that rounding had spoiled";
  }
  return "";
}

class Lemke : public Solver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("attempts", attempts_, Range::at_least(1),
                  "starts tried before a ray is final: the plain one, then random ones");
  }

  std::string refuses(const ScaledProblem& problem) const override {
    const long unknowns = count_unknowns(problem);
    if (unknowns <= most_unknowns) return "";
    return fmt::format("problems of more than {} unknowns (normal impulses, weights of generators, "
                       "multipliers); this one has {}",
                       most_unknowns, unknowns);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Vector u(problem.size());
    problem.velocity(z, u);
    if (!monitor.proceed(z, u)) return;
    const PolyhedralStep step = polyhedral_step(problem);
    const StandardLcp lcp(step.mixed, monitor.stop_test());
    if (monitor.must_stop()) return;
    LemkeAnswer answer;
    int attempt = 0;
    do {
      // Exponentially many pivots are possible; then another start is the better bet.
      long left = 1000 + 20L * lcp.size();
      bool within_limits = true;
      answer = Start(lcp, attempt).run([&] {
        within_limits = monitor.count_iteration();
        return within_limits && --left > 0;
      });
      as_eigen(z) = step.impulses * lcp.recover(answer.z);
      const bool is_finite = all_finite(z);
      if (is_finite) problem.velocity(z, u);
      if (!within_limits) return is_finite ? monitor.measure_last(z, u) : void();
      if (!is_finite) continue;
      if (!monitor.measure(z, u)) return;
    } while (++attempt < attempts_);
    monitor.stall(
        fmt::format("complementary pivoting {}{}{}", describe(answer.end),
                    attempts_ > 1 ? fmt::format(" in each of {} attempts", attempts_) : "",
                    lcp.is_contradictory() ? "; joints contradict each other" : ""));
  }

private:
  SolverInfo info_ = polyhedral_info("lemke", "complementary pivoting, exact, for tens of bodies",
                                     "anitescu2002; Lemke 1965", "a dense pivot");
  int attempts_ = 10;
};

} // namespace

std::unique_ptr<Solver> make_lemke() {
  return std::make_unique<Lemke>();
}

} // namespace talus
