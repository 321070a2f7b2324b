// (N + H) dz = b over the bodies of all ranks, by an engine that works over ranks: all blocks are
// eliminated, M̃ + D̃ Θ D̃ᵀ with Θ = (E + H + δ)⁻¹. Free rows, whose H is 0, too: their Θ is large,
// and the refinement of KktSystem removes what δ does to them.

#include "talus/core/division.h"
#include "talus/core/ranks.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/interior_point/barrier_blocks.h"
#include "talus/solve/interior_point/kkt_spaces.h"
#include "talus/solve/rank_bodies.h"

namespace talus {
namespace {

/// Of one solve by a Krylov method, relative; refinement goes on from there.
constexpr double krylov_accuracy = 1e-8;

class RankVelocitySpace : public KktSystem::Method {
public:
  RankVelocitySpace(const ScaledProblem& problem, const std::vector<signed char>& active,
                    LinearEngine engine)
      : problem_(problem), active_(active), barrier_(problem, active),
        bodies_(problem, engine, true), root_theta_(layout().entry(layout().blocks)),
        theta_(root_theta_.size()), weighted_(problem.size()), response_(problem.size()) {}

  Index dofs() const override { return 0; }

  bool factorise(ConstSpan, ConstSpan inverse_root, double shift) override {
    bool good = true;
    fill(root_theta_, 0.0);
    for (Index block = 0; good && block < layout().blocks; ++block)
      if (active_[block] > 0)
        good = barrier_.make_root_theta(block, inverse_root, shift, root_theta_);
    if (problem_.division()->ranks->any(!good)) return false;
    for (Index block = 0; block < layout().blocks; ++block) square_root(block);
    return bodies_.factorise(theta_);
  }

  void solve(ConstSpan, ConstSpan b, Span, Span dz) override {
    multiply_theta(b, weighted_);
    // Where an engine does not get there, the residual says how far it got.
    bodies_.solve(weighted_, krylov_accuracy * problem_.norm(b), response_);
    combine(1.0, b, -1.0, response_, weighted_);
    multiply_theta(weighted_, dz);
  }

  void residual(ConstSpan root, ConstSpan, ConstSpan b, ConstSpan, ConstSpan dz, Span,
                Span rb) const override {
    problem_.product(dz, rb);
    combine(1.0, b, -1.0, rb, rb);
    subtract_hessian(layout(), active_, root, dz, rb);
  }

  void apply_rows(ConstSpan, ConstSpan z, Span y) const override { problem_.product(z, y); }
  void apply_mass(ConstSpan, ConstSpan, Span) const override {}

private:
  const BlockLayoutOfRows& layout() const { return barrier_.layout(); }

  void square_root(Index block) {
    const int n = layout().size(block);
    const double* root = &root_theta_[layout().entry(block)];
    double* theta = &theta_[layout().entry(block)];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += root[n * i + k] * root[n * j + k];
        theta[n * i + j] = sum;
      }
  }

  /// y must not be x.
  void multiply_theta(ConstSpan x, Span y) const {
    for (Index block = 0; block < layout().blocks; ++block) {
      const int n = layout().size(block);
      const Index row = layout().row(block);
      const double* theta = &theta_[layout().entry(block)];
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += theta[n * i + j] * x[row + j];
        y[row + i] = sum;
      }
    }
  }

  const ScaledProblem& problem_;
  std::vector<signed char> active_;
  BarrierBlocks barrier_;
  RankBodies bodies_;
  Vector root_theta_, theta_, weighted_, response_;
};

} // namespace

std::unique_ptr<KktSystem::Method> make_kkt_rank_space(const ScaledProblem& problem,
                                                       const std::vector<signed char>& active,
                                                       LinearEngine engine) {
  return std::make_unique<RankVelocitySpace>(problem, active, engine);
}

} // namespace talus
