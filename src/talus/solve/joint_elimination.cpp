#include "talus/solve/joint_elimination.h"

#include "talus/core/error.h"
#include "talus/core/stop_test.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/infeasible.h"

#include <Eigen/SparseCholesky>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <numeric>

namespace talus {

namespace {

using Dense = Eigen::MatrixXd;
using DenseVector = Eigen::VectorXd;
using Vector6 = Eigen::Matrix<double, 6, 1>;

bool is_free(const ContactProblem& problem, Index row) {
  return problem.row_lower.empty() ||
         (std::isinf(problem.row_lower[row]) && std::isinf(problem.row_upper[row]));
}

/// One entry of x seen from the bodies: the wrench of its unit impulse on both sides, and the
/// velocity M⁻¹ wrench it gives them. Bodies that cannot move do not count (-1).
struct Column {
  std::array<Index, 2> body{-1, -1};
  std::array<Vector6, 2> wrench, motion;
};

/// (Dᵀ M⁻¹ D)_ij.
double coupling(const Column& i, const Column& j) {
  double sum = 0;
  for (int s = 0; s < 2; ++s) {
    for (int t = 0; t < 2; ++t) {
      if (i.body[s] >= 0 && i.body[s] == j.body[t]) sum += i.wrench[s].dot(j.motion[t]);
    }
  }
  return sum;
}

/// A mechanism: bodies joined by free rows.
struct Mechanism {
  std::vector<Index> rows; ///< Free entries of x.
  std::vector<Index> kept; ///< Other entries of x that touch its bodies.
  DenseVector scale;       ///< 1 / sqrt of the diagonal of N_ff.
  Eigen::SparseMatrix<double> matrix;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor;
  Dense coupling; ///< N_fc, scaled by `scale` from the left.
};

class JointElimination {
public:
  /// Where `stop` is met between mechanisms, the elimination is left unfinished.
  JointElimination(const ContactProblem& problem, const DelassusOperator& n, const StopTest& stop)
      : problem_(problem), model_(std::get<RigidModel>(problem.model)), n_(n) {
    for (Index i = 0; i < problem.size(); ++i) columns_.push_back(column(i));
    find_mechanisms();
    for (Mechanism& mechanism : mechanisms_)
      if (!is_met(stop)) factorise(mechanism);
    if (!is_met(stop)) reduce(stop);
  }

  const ContactProblem& reduced() const { return reduced_; }
  /// Entries of x that the reduced problem holds.
  Vector restrict(ConstSpan x) const {
    Vector result;
    result.reserve(kept_.size());
    for (const Index i : kept_) result.push_back(x[i]);
    return result;
  }
  /// The whole x: multipliers of the free rows that make them vanish.
  Vector expand(ConstSpan reduced_x) const {
    Vector x(problem_.size(), 0.0), y(problem_.size());
    for (std::size_t k = 0; k < kept_.size(); ++k) x[kept_[k]] = reduced_x[k];
    // The second pass removes what rounding left of the first.
    for (int pass = 0; pass < 2; ++pass) {
      n_.apply(x, y);
      axpy(1.0, n_.free_velocity(), y);
      for (const Mechanism& mechanism : mechanisms_) {
        const DenseVector change = solve(mechanism, gather(mechanism, y));
        for (std::size_t k = 0; k < mechanism.rows.size(); ++k) {
          x[mechanism.rows[k]] -= mechanism.scale[k] * change[k];
        }
      }
    }
    return x;
  }

private:
  static constexpr double regularisation = 1e-10;

  Index row_of(Index entry) const { return entry - problem_.impulses(); }

  Column column(Index entry) const {
    Column result;
    BodyPair pair;
    RigidRow row;
    if (entry < problem_.impulses()) {
      const Index c = entry / 3;
      pair = model_.contact_bodies[c];
      const RigidContact& contact = model_.contacts[c];
      const Vec3 axes[3] = {contact.normal, contact.tangent,
                            cross(contact.normal, contact.tangent)};
      const Vec3 d = axes[entry % 3];
      row = {-d, -cross(contact.arm_a, d), d, cross(contact.arm_b, d)};
    } else {
      pair = model_.row_bodies[row_of(entry)];
      row = model_.rows[row_of(entry)];
    }
    set_side(result, 0, pair.a, row.linear_a, row.angular_a);
    set_side(result, 1, pair.b, row.linear_b, row.angular_b);
    return result;
  }

  void set_side(Column& column, int side, Index body, const Vec3& linear,
                const Vec3& angular) const {
    if (body < 0) return;
    const RigidInverseMass& m = model_.inverse_mass[body];
    const double* j = m.inertia;
    if (m.mass == 0 && j[0] == 0 && j[3] == 0 && j[5] == 0) return;
    column.body[side] = body;
    column.wrench[side] << linear.x, linear.y, linear.z, angular.x, angular.y, angular.z;
    column.motion[side] << m.mass * linear.x, m.mass * linear.y, m.mass * linear.z,
        j[0] * angular.x + j[1] * angular.y + j[2] * angular.z,
        j[1] * angular.x + j[3] * angular.y + j[4] * angular.z,
        j[2] * angular.x + j[4] * angular.y + j[5] * angular.z;
  }

  Index root(Index body) {
    while (parent_[body] != body) body = parent_[body] = parent_[parent_[body]];
    return body;
  }

  void find_mechanisms() {
    parent_.resize(model_.inverse_mass.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    std::vector<bool> jointed(parent_.size());
    for (Index j = 0; j < problem_.equalities(); ++j) {
      if (!is_free(problem_, j)) continue;
      const auto& body = columns_[problem_.impulses() + j].body;
      for (const Index b : body) {
        if (b >= 0) jointed[b] = true;
      }
      if (body[0] < 0 || body[1] < 0) continue;
      const Index a = root(body[0]), b = root(body[1]);
      parent_[std::max(a, b)] = std::min(a, b);
    }
    std::vector<Index> mechanism_of(parent_.size(), -1);
    const auto mechanism = [&](Index body) -> Mechanism* {
      if (body < 0 || !jointed[body]) return nullptr;
      Index& index = mechanism_of[root(body)];
      if (index < 0) {
        index = static_cast<Index>(mechanisms_.size());
        mechanisms_.emplace_back();
      }
      return &mechanisms_[index];
    };
    for (Index i = 0; i < problem_.size(); ++i) {
      const auto& body = columns_[i].body;
      const bool free = i >= problem_.impulses() && is_free(problem_, row_of(i));
      if (free) {
        // A row between immovable bodies moves nothing: its multiplier stays 0.
        if (Mechanism* own = mechanism(body[0] >= 0 ? body[0] : body[1])) own->rows.push_back(i);
        continue;
      }
      kept_.push_back(i);
      Mechanism *first = mechanism(body[0]), *second = mechanism(body[1]);
      if (first) first->kept.push_back(i);
      if (second && second != first) second->kept.push_back(i);
    }
  }

  void factorise(Mechanism& mechanism) {
    const auto count = static_cast<Index>(mechanism.rows.size());
    mechanism.scale.resize(count);
    for (Index k = 0; k < count; ++k) {
      const Column& column = columns_[mechanism.rows[k]];
      mechanism.scale[k] = 1 / std::sqrt(coupling(column, column));
    }
    std::vector<std::pair<Index, Index>> of_body; // (body, place)
    for (Index k = 0; k < count; ++k) {
      for (const Index b : columns_[mechanism.rows[k]].body) {
        if (b >= 0) of_body.emplace_back(b, k);
      }
    }
    std::ranges::sort(of_body);
    std::vector<Eigen::Triplet<double>> entries;
    for (Index k = 0; k < count; ++k) {
      std::vector<Index> neighbours;
      for (const Index b : columns_[mechanism.rows[k]].body) {
        if (b < 0) continue;
        const auto first = std::ranges::lower_bound(of_body, std::pair{b, Index{0}});
        for (auto it = first; it != of_body.end() && it->first == b; ++it) {
          neighbours.push_back(it->second);
        }
      }
      std::ranges::sort(neighbours);
      neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
      for (const Index other : neighbours) {
        const double value = mechanism.scale[k] * mechanism.scale[other] *
                             coupling(columns_[mechanism.rows[k]], columns_[mechanism.rows[other]]);
        entries.emplace_back(k, other, value);
      }
    }
    for (Index k = 0; k < count && !problem_.compliance.empty(); ++k) {
      entries.emplace_back(
          k, k, mechanism.scale[k] * mechanism.scale[k] * problem_.compliance[mechanism.rows[k]]);
    }
    mechanism.matrix.resize(count, count);
    mechanism.matrix.setFromTriplets(entries.begin(), entries.end());
    Eigen::SparseMatrix<double> regular = mechanism.matrix;
    for (Index k = 0; k < count; ++k) regular.coeffRef(k, k) += regularisation;
    mechanism.factor.compute(regular);
    if (mechanism.factor.info() != Eigen::Success) {
      throw InvalidProblem("the joint rows cannot be factorised: an entry is not finite");
    }
    mechanism.coupling.resize(count, static_cast<Index>(mechanism.kept.size()));
    for (Index k = 0; k < count; ++k) {
      for (std::size_t c = 0; c < mechanism.kept.size(); ++c) {
        mechanism.coupling(k, static_cast<Index>(c)) =
            mechanism.scale[k] *
            talus::coupling(columns_[mechanism.rows[k]], columns_[mechanism.kept[c]]);
      }
    }
  }

  /// N_ff⁺ b in scaled variables: the regularised solve and its refinement, which converges like
  /// (regularisation / eigenvalue)^k on the range of N_ff.
  Dense solve(const Mechanism& mechanism, const Dense& b) const {
    Dense x = mechanism.factor.solve(b);
    for (int k = 0; k < 2; ++k) x += mechanism.factor.solve(b - mechanism.matrix * x);
    return x;
  }

  DenseVector gather(const Mechanism& mechanism, ConstSpan y) const {
    DenseVector result(mechanism.rows.size());
    for (std::size_t k = 0; k < mechanism.rows.size(); ++k) {
      result[k] = mechanism.scale[k] * y[mechanism.rows[k]];
    }
    return result;
  }

  /// Contacts and bounded rows that the mechanisms leave no freedom lose their place: no impulse
  /// there changes anything.
  void drop_blocked(const Vector& diagonal) {
    const auto mobility = [&](Index entry) { return coupling(columns_[entry], columns_[entry]); };
    const auto compliance = [&](Index entry) {
      return problem_.compliance.empty() ? 0.0 : problem_.compliance[entry];
    };
    std::vector<bool> blocked(problem_.size());
    for (Index c = 0; c < problem_.contacts(); ++c) {
      double before = 0, after = 0;
      for (Index i = 3 * c; i < 3 * c + 3; ++i) {
        before += mobility(i);
        after += diagonal[i] + compliance(i);
      }
      for (Index i = 3 * c; i < 3 * c + 3; ++i) blocked[i] = after <= 1e-9 * before;
    }
    for (Index i = problem_.impulses(); i < problem_.size(); ++i) {
      blocked[i] = diagonal[i] + compliance(i) <= 1e-9 * mobility(i);
    }
    std::erase_if(kept_, [&](Index i) { return blocked[i]; });
  }

  void reduce(const StopTest& stop) {
    const Index size = problem_.size();
    std::vector<Triplet> entries;
    Vector q(n_.free_velocity().begin(), n_.free_velocity().end()), diagonal(size, 0.0);
    const auto add = [&](Index i, Index j, double value) {
      entries.push_back({i, j, value});
      if (i == j) diagonal[i] += value;
    };
    add_couplings(add);
    for (const Mechanism& mechanism : mechanisms_) {
      if (is_met(stop)) return;
      const Dense through = solve(mechanism, mechanism.coupling);
      const Dense correction = mechanism.coupling.transpose() * through;
      const DenseVector shift = through.transpose() * gather(mechanism, n_.free_velocity());
      const auto& kept = mechanism.kept;
      for (std::size_t i = 0; i < kept.size(); ++i) {
        q[kept[i]] -= shift[static_cast<Index>(i)];
        for (std::size_t j = 0; j < kept.size(); ++j) {
          const auto a = static_cast<Index>(i), b = static_cast<Index>(j);
          add(kept[i], kept[j], -0.5 * (correction(a, b) + correction(b, a)));
        }
      }
    }
    drop_blocked(diagonal);
    set_reduced(entries, q);
  }

  /// N_cc: entries that share a body.
  template <class Add>
  void add_couplings(Add&& add) const {
    std::vector<std::vector<Index>> of_body(model_.inverse_mass.size());
    for (const Index i : kept_) {
      for (const Index b : columns_[i].body) {
        if (b >= 0) of_body[b].push_back(i);
      }
    }
    for (std::size_t b = 0; b < of_body.size(); ++b) {
      for (const Index i : of_body[b]) {
        for (const Index j : of_body[b]) {
          // The part of the coupling that goes through this body alone.
          double value = 0;
          for (int s = 0; s < 2; ++s) {
            for (int t = 0; t < 2; ++t) {
              if (columns_[i].body[s] == static_cast<Index>(b) &&
                  columns_[j].body[t] == static_cast<Index>(b)) {
                value += columns_[i].wrench[s].dot(columns_[j].motion[t]);
              }
            }
          }
          add(i, j, value);
        }
      }
    }
  }

  void set_reduced(const std::vector<Triplet>& entries, const Vector& q) {
    std::vector<Index> place(problem_.size(), -1);
    for (std::size_t k = 0; k < kept_.size(); ++k) place[kept_[k]] = static_cast<Index>(k);
    const auto impulses =
        static_cast<Index>(std::ranges::lower_bound(kept_, problem_.impulses()) - kept_.begin());
    const auto rows = static_cast<Index>(kept_.size()) - impulses;
    std::vector<Triplet> w, v, r;
    for (const Triplet& entry : entries) {
      const Index i = place[entry.row], j = place[entry.column];
      if (i < 0 || j < 0) continue;
      if (i < impulses && j < impulses) w.push_back({i, j, entry.value});
      if (i < impulses && j >= impulses) v.push_back({i, j - impulses, entry.value});
      if (i >= impulses && j >= impulses) r.push_back({i - impulses, j - impulses, entry.value});
    }
    LocalModel local;
    local.W = from_triplets(impulses, impulses, std::move(w));
    if (rows > 0) {
      local.V = from_triplets(impulses, rows, std::move(v));
      local.R = from_triplets(rows, rows, std::move(r));
    }
    reduced_.dimension = 3;
    reduced_.law = problem_.law;
    reduced_.friction = problem_.friction;
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      const Index i = kept_[k];
      if (!problem_.compliance.empty()) reduced_.compliance.push_back(problem_.compliance[i]);
      if (i >= problem_.impulses()) {
        local.s.push_back(q[i]);
        reduced_.row_lower.push_back(problem_.row_lower[row_of(i)]);
        reduced_.row_upper.push_back(problem_.row_upper[row_of(i)]);
        continue;
      }
      local.q.push_back(q[i]);
      if (i % 3 != 0) continue;
      reduced_.mu.push_back(problem_.mu[i / 3]);
      if (!problem_.normal_estimate.empty()) {
        reduced_.normal_estimate.push_back(problem_.normal_estimate[i / 3]);
      }
    }
    reduced_.model = std::move(local);
  }

  const ContactProblem& problem_;
  const RigidModel& model_;
  const DelassusOperator& n_;
  std::vector<Column> columns_;
  std::vector<Index> parent_, kept_;
  std::deque<Mechanism> mechanisms_; ///< Factorisations cannot be moved.
  ContactProblem reduced_;
};

/// The limits of a solve whose parts share them.
class Limits {
public:
  explicit Limits(const SolveOptions& options) : options_(options) {}
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  /// Of the time limit; 0 means none, as there.
  double seconds_left() const {
    return options_.time_limit > 0 ? std::max(1e-6, options_.time_limit - seconds()) : 0;
  }
  bool is_stopped() const { return options_.stop && options_.stop->load(); }
  bool are_met() const {
    return is_stopped() || (options_.time_limit > 0 && seconds() > options_.time_limit);
  }

private:
  using Clock = std::chrono::steady_clock;
  const SolveOptions& options_;
  Clock::time_point begin_ = Clock::now();
};

/// The start itself, judged, where a limit was met before a solver could begin.
SolveResult answer_with_start(const ContactProblem& problem, const DelassusOperator& n,
                              const SolveOptions& options, const Limits& limits) {
  SolveResult result;
  result.x = options.initial;
  result.x.resize(problem.size(), 0.0);
  result.status = limits.is_stopped() ? Status::stopped : Status::time_limit;
  result.message = "ended while the joints were being eliminated";
  result.seconds = limits.seconds();
  judge_answer(problem, n, options, "the start is good enough", result);
  return result;
}

SolveResult eliminate_and_solve(Solver& solver, const ContactProblem& problem,
                                const SolveOptions& options) {
  const Limits limits(options);
  const auto n = make_operator(problem);
  bool unfinished = false;
  const JointElimination elimination(problem, *n,
                                     [&] { return unfinished = unfinished || limits.are_met(); });
  if (unfinished) return answer_with_start(problem, *n, options, limits);
  const ContactProblem& reduced = elimination.reduced();
  const auto complete = [&](SolveResult& result) {
    result.x = elimination.expand(result.x);
    result.seconds = limits.seconds();
    judge_answer(problem, *n, options, "the contacts are solved with the joints eliminated",
                 result);
  };
  if (reduced.size() == 0) {
    SolveResult result;
    result.status = Status::converged;
    complete(result);
    return result;
  }
  SolveOptions inner = options;
  if (!options.initial.empty()) inner.initial = elimination.restrict(options.initial);
  // The reduced problem is measured against a reference of its own: an error below the tolerance
  // there may be somewhat above it in the whole.
  constexpr int most_attempts = 4;
  long iterations = 0, products = 0, work = 0;
  for (int attempt = 1;; ++attempt) {
    inner.time_limit = limits.seconds_left();
    SolveResult result = solve(solver, reduced, inner);
    if (result.status == Status::unsupported || result.status == Status::invalid_problem)
      return result;
    result.iterations = iterations += result.iterations;
    result.products = products += result.products;
    result.work = work += result.work;
    const bool solved = result.status == Status::converged;
    inner.initial = result.x;
    complete(result);
    const double excess = error_of(result.quality, options.measure) / options.tolerance;
    if (!solved || !(excess > 1) || !std::isfinite(excess) || attempt == most_attempts) {
      // The reduced problem hides a contradiction between joints and contacts.
      treat_infeasible(solver, problem, *n, options, result);
      return result;
    }
    inner.tolerance *= 0.5 / excess;
    inner.max_iterations = std::max(1L, options.max_iterations - iterations);
    if (options.max_products > 0) inner.max_products = std::max(1L, options.max_products - work);
  }
}

} // namespace

bool has_free_rows(const ContactProblem& problem) {
  if (!std::holds_alternative<RigidModel>(problem.model)) return false;
  for (Index j = 0; j < problem.equalities(); ++j) {
    if (is_free(problem, j)) return true;
  }
  return false;
}

SolveResult solve_with_joints_eliminated(Solver& solver, const ContactProblem& problem,
                                         const SolveOptions& options) {
  if (!has_free_rows(problem)) return solve(solver, problem, options);
  try {
    validate(problem);
    // A contact problem is refused for its law and sets before work is put into it.
    if (std::string why = refusal(solver.info(), problem); !why.empty()) {
      SolveResult result;
      result.status = Status::unsupported;
      result.message = std::move(why);
      return result;
    }
    return eliminate_and_solve(solver, problem, options);
  } catch (const InvalidProblem& failure) {
    SolveResult result;
    result.status = Status::invalid_problem;
    result.message = failure.what();
    return result;
  }
}

} // namespace talus
