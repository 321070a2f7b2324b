// Generalised (semismooth) Newton, preclik2009 sec. 3.3: F(z) = 0 for a nonsmooth F, with any
// element of its generalised Jacobian (eq. 20) and a line search on ½ F'F.
//
//     function    min_max        eq. 18, constant or variable bounds (none, box, pyramid; in the
//                                plane every set)
//                 natural        z - P_K(z - û), every set and law
//                 alart_curnier  Coulomb's law with the bound of the friction disc varying
//                 normal_map     eq. 21: û(P_K(y)) + y - P_K(y) = 0 in the variable y
//                 automatic      alart_curnier for Coulomb's law on cone-shaped sets, else min_max
//                                where it describes the problem, else natural
//
// N is rank deficient in most contact problems (3 nc > number of freedoms) and the Newton equation
// singular with it: the linear systems take N + δ I with a small δ (`regularisation`), which bends
// the direction a little and leaves F alone. Where no step reduces |F|, δ rises, up to
// `largest_regularisation`. The line search may be caught in a local minimum; a step of
// `minimum_step` tries to escape, as the paper suggests.
//
// Convergence: local and superlinear from a good start; no global theory. Slow at finding the
// active set, done in one step once it is known. Use it as the textbook method to compare with, or
// warm-started; prox-newton is its robust sibling, hybrid-newton finds the active set first.
// Cost: one factorisation and one product per iteration; normal_map one product per trial of the
// line search.

#include "talus/core/small_matrix.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/natural_map.h"
#include "talus/solve/monitor.h"
#include "talus/solve/newton/newton_functions.h"
#include "talus/solve/newton/newton_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace talus {
namespace {

constexpr int max_block = max_dimension * max_dimension;

enum class Function { automatic, min_max, natural, alart_curnier, normal_map };

/// What the run needs, allocated once.
struct Work {
  Work(const ScaledProblem& problem, NewtonSpace space, Index dense_limit, StopTest stop)
      : system(problem, space, dense_limit, std::move(stop)), c(block_diagonal_size(problem)),
        k(c.size()), shifted(c.size()) {
    for (Vector* vector : {&u, &f, &minus_f, &dz, &n_dz, &trial, &trial_u, &trial_f, &y})
      vector->resize(problem.size());
  }
  NewtonSystem system;
  Vector c, k, shifted;
  Vector u, f, minus_f, dz, n_dz, trial, trial_u, trial_f, y;
};

class Newton : public Solver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("function", function_,
                  {"automatic", "min_max", "natural", "alart_curnier", "normal_map"},
                  "the function whose zero is sought");
    visitor.visit(
        "regularisation", regularisation_, Range::at_least(0),
        "added to the diagonal of N in the linear systems, relative to its mean diagonal");
    visitor.visit("largest_regularisation", largest_regularisation_, Range::at_least(0),
                  "up to which it rises when no step reduces |F|");
    visitor.visit("minimum_step", minimum_step_, Range::between(0, 1),
                  "step taken when still no step reduces |F|; 0: stop there");
    visitor.visit("bound_derivative", bound_derivative_,
                  "differentiate the variable bounds of min-max and alart-curnier");
    visitor.visit("patience", patience_, Range::at_least(1),
                  "iterations without a better iterate before it gives up");
    visitor.visit("space", space_, {"automatic", "dense", "contact", "body"},
                  "where the linear systems are solved");
    visitor.visit("dense_limit", dense_limit_, Range::at_least(0),
                  "most active rows that are factorised densely");
  }

  std::string refuses(const ScaledProblem& problem) const override {
    std::string_view why;
    const auto function = static_cast<Function>(function_);
    if (function == Function::min_max) why = min_max_refusal(problem);
    if (function == Function::alart_curnier) why = alart_curnier_refusal(problem);
    if (!why.empty()) return fmt::format("this problem with the function chosen: {}", why);
    return NewtonSystem::refusal(problem, static_cast<NewtonSpace>(space_));
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    const Function function = chosen_function(problem);
    Work work(problem, static_cast<NewtonSpace>(space_), dense_limit_, monitor.stop_test());
    problem.velocity(z, work.u);
    if (!monitor.proceed(z, work.u)) return;
    if (function == Function::normal_map)
      iterate(monitor, work, NormalMapSteps{problem, work, z});
    else
      iterate(monitor, work, DirectSteps{problem, work, z, function, bound_derivative_});
  }

private:
  static constexpr double sufficient_decrease = 1e-4, shortest_step = 1e-3;
  static constexpr double smallest_rise = 1e-8;

  Function chosen_function(const ScaledProblem& problem) const {
    const Function function = static_cast<Function>(function_);
    if (function != Function::automatic) return function;
    if (has_moments(problem.problem().friction.kind)) return Function::natural;
    return problem.is_tilted()                ? Function::alart_curnier
           : min_max_refusal(problem).empty() ? Function::min_max
                                              : Function::natural;
  }

  /// Steps in z itself: N z moves linearly along the direction.
  struct DirectSteps {
    const ScaledProblem& problem;
    Work& work;
    Span z;
    Function function;
    bool bound_derivative;

    double start() { return evaluate(z, work.u, work.f); }

    double evaluate(ConstSpan x, ConstSpan u, Span f) const {
      switch (function) {
      case Function::min_max:
        return min_max(problem, x, u, f);
      case Function::alart_curnier:
        return alart_curnier(problem, {}, x, u, f);
      default:
        return natural_map(problem, {}, x, u, f);
      }
    }

    bool find_direction(double regularisation) {
      switch (function) {
      case Function::min_max:
        min_max_derivative(problem, bound_derivative, z, work.u, work.c, work.k);
        break;
      case Function::alart_curnier:
        alart_curnier_derivative(problem, {}, bound_derivative, z, work.u, work.c, work.k);
        break;
      default:
        natural_map_derivative(problem, {}, z, work.u, work.c, work.k);
      }
      combine(1.0, work.c, regularisation, work.k, work.shifted);
      combine(-1.0, work.f, 0.0, work.f, work.minus_f);
      if (!work.system.solve({work.shifted, work.k}, work.minus_f, work.dz)) return false;
      problem.product(work.dz, work.n_dz);
      return true;
    }

    double try_step(double t) {
      combine(1.0, z, t, work.dz, work.trial);
      combine(1.0, work.u, t, work.n_dz, work.trial_u);
      return evaluate(work.trial, work.trial_u, work.trial_f);
    }

    void accept() {
      copy(work.trial, z);
      std::swap(work.u, work.trial_u);
      std::swap(work.f, work.trial_f);
    }
    ConstSpan iterate() const { return z; }
  };

  /// Steps in y, z = P_K(y). With p = J dy the Newton equation C dy + T N p = -G, C = I - J + δ J,
  /// becomes (I + J C⁻¹ T N) p = -J C⁻¹ G, and dy follows block by block.
  struct NormalMapSteps {
    const ScaledProblem& problem;
    Work& work;
    Span z;

    double start() {
      // y = z - û, the point whose projection is z at a solution.
      tilted_velocity(work.u, work.trial_f);
      combine(1.0, z, -1.0, work.trial_f, work.y);
      problem.project(work.y, z);
      problem.velocity(z, work.u);
      return evaluate(work.y, z, work.u, work.f);
    }

    void tilted_velocity(ConstSpan u, Span result) const {
      copy(u, result);
      if (!problem.is_tilted()) return;
      const int d = problem.dimension();
      for (Index c = 0; c < problem.contacts(); ++c)
        result[d * c] += tilt(problem.contact_set(c), &u[d * c]);
    }

    double evaluate(ConstSpan y, ConstSpan x, ConstSpan u, Span g) const {
      tilted_velocity(u, g);
      axpy(1.0, y, g);
      axpy(-1.0, x, g);
      return norm(g);
    }

    bool find_direction(double regularisation) {
      if (!eliminate(regularisation)) return false;
      if (!work.system.solve({work.c, work.k}, work.minus_f, work.dz)) return false;
      problem.product(work.dz, work.n_dz);
      return recover_dy();
    }

    /// Makes I, J C⁻¹ T and -J C⁻¹ G; keeps C⁻¹ in work.shifted.
    bool eliminate(double regularisation) {
      const int d = problem.dimension();
      fill(work.c, 0.0);
      for (Index contact = 0; contact < problem.contacts(); ++contact) {
        const ContactSet set = problem.contact_set(contact);
        const std::size_t at = static_cast<std::size_t>(d) * d * contact;
        double jacobian[max_block], c[max_block];
        projection_jacobian(set, &work.y[d * contact], jacobian);
        for (int i = 0; i < d * d; ++i)
          c[i] = (i % (d + 1) == 0 ? 1.0 : 0.0) - (1 - regularisation) * jacobian[i];
        double* inverse = &work.shifted[at];
        if (!invert_small(c, inverse, d)) return false;
        double gradient[max_dimension] = {};
        if (problem.is_tilted()) tilt_gradient(set, &work.u[d * contact], gradient);
        for (int i = 0; i < d; ++i) {
          double response[max_dimension] = {}; // row i of J C⁻¹
          for (int j = 0; j < d; ++j)
            for (int l = 0; l < d; ++l) response[j] += jacobian[d * i + l] * inverse[d * l + j];
          double sum = 0;
          for (int j = 0; j < d; ++j) {
            sum += response[j] * work.f[d * contact + j];
            work.k[at + d * i + j] = response[j] + (j > 0 ? response[0] * gradient[j - 1] : 0.0);
          }
          work.minus_f[d * contact + i] = -sum;
          work.c[at + (d + 1) * i] = 1;
        }
      }
      const std::size_t first = static_cast<std::size_t>(d) * d * problem.contacts();
      for (Index j = 0; j < problem.equalities(); ++j) {
        const Index row = d * problem.contacts() + j;
        const double slope = problem.project_row(j, work.y[row]) == work.y[row] ? 1 : 0;
        const double inverse = 1 / (1 - (1 - regularisation) * slope);
        work.shifted[first + j] = inverse;
        work.c[first + j] = 1;
        work.k[first + j] = slope * inverse;
        work.minus_f[row] = -slope * inverse * work.f[row];
      }
      return all_finite(work.k);
    }

    /// dz = dy = -C⁻¹ (G + T N p).
    bool recover_dy() {
      const int d = problem.dimension();
      for (Index contact = 0; contact < problem.contacts(); ++contact) {
        double right[max_dimension], gradient[max_dimension] = {};
        for (int i = 0; i < d; ++i) right[i] = work.f[d * contact + i] + work.n_dz[d * contact + i];
        if (problem.is_tilted())
          tilt_gradient(problem.contact_set(contact), &work.u[d * contact], gradient);
        for (int i = 1; i < d; ++i) right[0] += gradient[i - 1] * work.n_dz[d * contact + i];
        const double* inverse = &work.shifted[static_cast<std::size_t>(d) * d * contact];
        for (int i = 0; i < d; ++i) {
          double sum = 0;
          for (int j = 0; j < d; ++j) sum += inverse[d * i + j] * right[j];
          work.dz[d * contact + i] = -sum;
        }
      }
      const std::size_t first = static_cast<std::size_t>(d) * d * problem.contacts();
      for (Index j = 0; j < problem.equalities(); ++j) {
        const Index row = d * problem.contacts() + j;
        work.dz[row] = -work.shifted[first + j] * (work.f[row] + work.n_dz[row]);
      }
      return all_finite(work.dz);
    }

    double try_step(double t) {
      combine(1.0, work.y, t, work.dz, work.trial);
      problem.project(work.trial, work.n_dz);
      problem.velocity(work.n_dz, work.trial_u);
      return evaluate(work.trial, work.n_dz, work.trial_u, work.trial_f);
    }

    void accept() {
      std::swap(work.y, work.trial);
      copy(work.n_dz, z);
      std::swap(work.u, work.trial_u);
      std::swap(work.f, work.trial_f);
    }
    ConstSpan iterate() const { return z; }
  };

  template <class Steps>
  void iterate(Monitor& monitor, Work& work, Steps steps) const {
    double size = steps.start(), delta = regularisation_;
    double best = std::numeric_limits<double>::infinity();
    int idle = 0;
    while (true) {
      double t = 0;
      if (steps.find_direction(delta)) t = search(steps, size);
      if (t == 0 && delta < largest_regularisation_) {
        delta = std::min(std::max(100 * delta, smallest_rise), largest_regularisation_);
        if (!monitor.count_iteration()) return monitor.measure_last(steps.iterate(), work.u);
        continue;
      }
      if (t == 0) {
        if (minimum_step_ <= 0 || !all_finite(work.dz))
          return monitor.stall("no step reduces |F|: a local minimum of the merit function");
        size = steps.try_step(minimum_step_);
        monitor.note("minimum step out of a local minimum");
      } else if (t == 1) {
        delta = std::max(regularisation_, 0.1 * delta);
      }
      steps.accept();
      if (!monitor.proceed(steps.iterate(), work.u)) return;
      idle = monitor.error() < 0.99 * best ? 0 : idle + 1;
      best = std::min(best, monitor.error());
      if (idle >= patience_)
        return monitor.stall(fmt::format("no better iterate in {} iterations", patience_));
    }
  }
  /// The step length whose trial is in the work vectors; 0 when none reduces |F| enough.
  template <class Steps>
  static double search(Steps& steps, double& size) {
    for (double t = 1; t >= shortest_step; t *= 0.5) {
      const double trial_size = steps.try_step(t);
      if (!(trial_size <= (1 - sufficient_decrease * t) * size)) continue;
      size = trial_size;
      return t;
    }
    return 0;
  }

  SolverInfo info_ = {.name = "newton",
                      .summary = "generalised Newton on the min-max function and its relatives",
                      .paper = "preclik2009 sec. 3.3, eqs. 18-21",
                      .friction = AdmittedSets::every(),
                      .coulomb = "direct",
                      .products_per_iteration = "1 and a factorisation"};
  int function_ = 0, patience_ = 100;
  double regularisation_ = 1e-8, largest_regularisation_ = 1, minimum_step_ = 0.05;
  bool bound_derivative_ = true;
  int space_ = 0, dense_limit_ = NewtonSystem::default_dense_limit;
};

} // namespace

std::unique_ptr<Solver> make_newton() {
  return std::make_unique<Newton>();
}

} // namespace talus
