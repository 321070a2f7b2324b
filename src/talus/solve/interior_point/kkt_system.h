#pragma once
// The linear systems of interior-point methods, in the scaled variables of ScaledProblem,
//
//     M̃ dv − D̃ dz = a,       D̃ᵀ dv + (E + H) dz = b,        N = D̃ᵀ M̃⁻¹ D̃ + E,
//
// where H, block diagonal and positive definite, is the Hessian of the cones' barrier and 0 on free
// rows (joints). Without a, it is (N + H) dz = b.
//
//   augmented   the quasi-definite matrix [M̃ −D̃; −D̃ᵀ −(E+H)] itself (mangoni2015 eq. 20): LDLᵀ
//   schur       contacts eliminated, M̃ + D̃ (E+H)⁻¹ D̃ᵀ in the bodies' velocities: supernodal
//               Cholesky; free rows stay as a border (then LDLᵀ)
//   contact     N + H, for local models, which know nothing but N: Cholesky, or LU when N is not
//               symmetric
//
// Over ranks schur alone, by an engine that works over ranks (rank_bodies.h), with the contacts'
// residual instead of (a, b).
//
// Near the solution H spans more than 16 decades, within one sliding contact even: as a matrix it
// would forget its small eigenvalues. It is therefore given by a root, H = RᵀR, and the inverse
// C = R⁻¹, both accurate in every direction, and matrices are formed in the variables ẑ = R z, in
// which H is 1. Factors are those of H + δ with a small δ > 0 that grows when a factorisation
// fails, and every solution is refined against the system without δ; solve() says how well the
// system was solved in the end. Orderings and symbolic analyses live in the SymmetricFactor, which
// a solver keeps from solve to solve.

#include "talus/core/block_system.h"
#include "talus/core/stop_test.h"
#include "talus/linalg/symmetric_factor.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

enum class KktForm { automatic, augmented, schur, contact };
std::string_view to_string(KktForm form);

class KktSystem {
public:
  /// `active` holds for every block how many of its leading entries take part; the others keep
  /// dz = 0 (tangential impulses of frictionless contacts). `automatic` takes schur where there is
  /// a symmetric velocity space and contact elsewhere; the other two forms asked for a problem
  /// without one throw InvalidArgument. Keeps references to the problem and the factor. Once
  /// `stop` is met, between the phases of the set-up or of a factorisation, the system is not to be
  /// used but for factorise(), which then answers false.
  KktSystem(const ScaledProblem& problem, const std::vector<signed char>& active, KktForm form,
            SymmetricFactor& factor, StopTest stop = {}, LinearEngine engine = LinearEngine::own);
  ~KktSystem();

  /// What of the problem the form does not suit, for Solver::refuses(); empty if it does.
  static std::string refusal(const ScaledProblem& problem, KktForm form,
                             LinearEngine engine = LinearEngine::own);

  /// R and C = R⁻¹, stored like DelassusOperator::diagonal(); free rows have R = 0, C = 1. Keeps a
  /// view of both. False when the matrix cannot be factorised, whatever the regularisation, and
  /// when the stop test was met.
  bool factorise(ConstSpan root, ConstSpan inverse_root);
  /// Why an engine over ranks could not factorise the last time, whatever the regularisation; empty
  /// if it could.
  std::string engine_failure() const;

  /// Solves for (dv, dz). In the contact form, and where a is empty, a counts as zero and dv may be
  /// empty. Answers the residual of the refined solution relative to |(a, b)|; infinite when it is
  /// not finite or the stop test was met.
  double solve(ConstSpan a, ConstSpan b, Span dv, Span dz);

  KktForm form() const { return form_; }
  /// Length of dv; 0 in the contact form.
  Index dofs() const;
  /// y = D̃ᵀ v + E z and y = M̃ v − D̃ z; not in the contact form.
  void apply_rows(ConstSpan v, ConstSpan z, Span y) const;
  void apply_mass(ConstSpan v, ConstSpan z, Span y) const;

  /// What the linear algebra did so far.
  struct Statistics {
    long factorisations = 0, refinements = 0, repaired_pivots = 0;
    double regularisation = 0; ///< δ of the last factorisation.
  };
  const Statistics& statistics() const { return statistics_; }

  /// One linear algebra (kkt_velocity_space.cpp, kkt_contact_space.cpp, kkt_rank_space.cpp).
  struct Method {
    virtual ~Method() = default;
    virtual bool factorise(ConstSpan root, ConstSpan inverse_root, double shift) = 0;
    virtual void solve(ConstSpan a, ConstSpan b, Span dv, Span dz) = 0;
    /// ra = a − (M̃ dv − D̃ dz), rb = b − (D̃ᵀ dv + (E + H) dz).
    virtual void residual(ConstSpan root, ConstSpan a, ConstSpan b, ConstSpan dv, ConstSpan dz,
                          Span ra, Span rb) const = 0;
    virtual void apply_rows(ConstSpan v, ConstSpan z, Span y) const = 0;
    virtual void apply_mass(ConstSpan v, ConstSpan z, Span y) const = 0;
    virtual Index dofs() const = 0;
  };

private:
  void choose_method(const ScaledProblem& problem, const std::vector<signed char>& active);
  double joint_norm(ConstSpan a, ConstSpan b) const;

  const ScaledProblem& problem_;
  KktForm form_;
  SymmetricFactor& factor_;
  StopTest stop_;
  LinearEngine engine_;
  std::unique_ptr<Method> method_; ///< None when the stop test was met before.
  Statistics statistics_;
  ConstSpan root_;
  double shift_;
  bool has_factors_ = true; ///< Of the last attempt.
  Vector a_, dv_, ra_, rb_, cv_, cz_, trial_v_, trial_z_;
};

} // namespace talus
