// The body space of a problem that is divided over ranks, by an engine that works over ranks. All
// contacts are in the pattern of the matrix, whether they take part or not, so that it is analysed
// once.

#include "talus/core/division.h"
#include "talus/core/ranks.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/newton/eliminated_blocks.h"
#include "talus/solve/rank_bodies.h"

namespace talus {
namespace {

class RankSpace : public NewtonSystem::Method {
public:
  RankSpace(const ScaledProblem& problem, LinearEngine engine)
      : problem_(problem), layout_(problem), eliminated_(problem),
        bodies_(problem, engine, !problem.is_tilted()), response_(problem.size()) {}

  /// The residual of the system is K D̃ᵀ times that of the velocities, where K and D̃ are of order 1.
  bool solve(const NewtonMatrices& matrices, ConstSpan rhs, Span dz, bool factorised) override {
    const double tolerance = accuracy * problem_.norm(rhs);
    const bool singular = !eliminated_.eliminate(matrices, rhs);
    if (problem_.division()->ranks->any(singular)) return false;
    if (!factorised && !bodies_.factorise(eliminated_.theta())) return false;
    if (!bodies_.solve(eliminated_.start(), tolerance, response_)) return false;
    copy(eliminated_.start(), dz);
    for (Index block = 0; block < layout_.blocks; ++block)
      eliminated_.subtract_response(block, &response_[layout_.row(block)], dz);
    return true;
  }

  /// Not known.
  int determinant_sign() override { return 0; }

private:
  /// Of directions by Krylov's methods. Newton's method would do with less, but its line search
  /// asks for directions in which |F| falls.
  static constexpr double accuracy = 1e-6;

  const ScaledProblem& problem_;
  BlockLayoutOfRows layout_;
  EliminatedBlocks eliminated_;
  RankBodies bodies_;
  Vector response_;
};

} // namespace

std::unique_ptr<NewtonSystem::Method> make_rank_space(const ScaledProblem& problem,
                                                      LinearEngine engine) {
  return std::make_unique<RankSpace>(problem, engine);
}

} // namespace talus
