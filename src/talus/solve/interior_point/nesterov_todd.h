#pragma once
// Nesterov-Todd scaling of a pair (w, y) inside the symmetric cones C of a ConeProduct: matrices T,
// block diagonal, with
//
//     T⁻¹ w = Tᵀ y = λ          (half-lines: T = √(w/y), λ = √(w y))
//
// so that steps are measured around the same point λ for both, and the Hessian of the linearised
// complementarity is H = Aᵀ (T Tᵀ)⁻¹ A (Nesterov, Todd 1997).
//
// w and y are not stored. Near the solution both come so close to the boundary of a second-order
// cone that w_0² − |w_1|² is lost to rounding; in scaled coordinates nothing is near a boundary
// while the iterates stay central. A step is therefore taken there: from λ + α dw̃ and λ + α dỹ (dw̃
// = T⁻¹ dw, dỹ = Tᵀ dy) follow a small scaling T̃ and the new λ, and T becomes T T̃.

#include "talus/solve/interior_point/cone_product.h"

namespace talus {

class NesterovTodd {
public:
  explicit NesterovTodd(const ConeProduct& cones);

  /// The scaling of w and y, both inside C.
  void start(ConstSpan w, ConstSpan y);

  ConstSpan lambda() const { return lambda_; }
  /// λᵀλ / degree = wᵀy / degree.
  double duality_measure() const;
  /// w = T λ, y = T⁻ᵀ λ.
  void primal(Span w) const;
  void dual(Span y) const;

  /// y = T⁻¹ x and y = T⁻ᵀ x; y may be x.
  void scale_primal(ConstSpan x, Span y) const;
  void unscale_dual(ConstSpan x, Span y) const;

  /// A root R of H = Aᵀ (T Tᵀ)⁻¹ A = RᵀR and C = R⁻¹, stored like DelassusOperator::diagonal(), for
  /// KktSystem; free rows get R = 0, C = 1.
  void hessian_root(Span root, Span inverse_root) const;

  /// The largest α with λ + α d in C, on all ranks; infinite when there is none.
  double largest_step(ConstSpan d) const;
  /// Takes a step along dw̃, dỹ.
  void advance(double step, ConstSpan dw, ConstSpan dy);

  /// t = λ ∖ (σμ e − dw̃ ∘ dỹ) in the Jordan algebra of C: the second-order correction and the
  /// centring.
  void correction(double centring, ConstSpan dw, ConstSpan dy, Span t) const;

private:
  double& size_of(Index block, int cone) { return size_[ConeProduct::most_cones * block + cone]; }
  double size_of(Index block, int cone) const {
    return size_[ConeProduct::most_cones * block + cone];
  }

  const ConeProduct& cones_;
  Vector lambda_;
  Vector t_, inverse_; ///< T and T⁻¹: a number per half-line, 3 x 3 per second-order cone.
  /// η of each block's second-order cones, most_cones per block: T is η times a Lorentz map.
  Vector size_;
  std::vector<std::size_t> scaling_; ///< Of each block's numbers in t_.
};

} // namespace talus
