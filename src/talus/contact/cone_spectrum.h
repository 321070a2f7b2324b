#pragma once
// Points of a central path in one second-order cone L of up to three entries (with one entry: the
// half-line), all of them described by a vector p without constraints:
//
//     x = φ_ε(p),   y = φ_ε(−p),   φ_ε(λ) = (λ + √(λ² + 4ε)) / 2     applied to the eigenvalues
//
// are the only x, y ∈ int L with x − y = p and x ∘ y = ε e (Chen, Harker 1993; Kanzow 1996; in
// Jordan algebras: Fukushima, Luo, Tseng 2001). p = (p_0, p_t) has the eigenvalues λ± = p_0 ± |p_t|
// along (1, ±p_t/|p_t|). Everything is computed without cancellation: x and y keep their relative
// accuracy however small they are.

namespace talus::lorentz {

struct Spectrum {
  int size = 1;
  double direction[2] = {1, 0}; ///< p_t / |p_t|.
  double root[2] = {1, 1}; ///< √(λ² + 4ε) = x + y, of λ+ and λ−; with one entry only of λ+.
  double x[2] = {1, 1}, y[2] = {1, 1};
};

Spectrum spectrum(const double* p, int size, double epsilon);

/// The vector with the given eigenvalues along the directions of the spectrum.
void compose(const Spectrum& spectrum, const double* eigenvalue, double* v);

/// H with dy = −H dx along the curve x ∘ y = ε e, and its inverse; row-major size x size.
void slope(const Spectrum& spectrum, double* h);
void inverse_slope(const Spectrum& spectrum, double* h);

/// How much of x and y a change of p moves: the largest |dλ| / (x + y).
double relative_change(const Spectrum& spectrum, const double* dp);

} // namespace talus::lorentz
