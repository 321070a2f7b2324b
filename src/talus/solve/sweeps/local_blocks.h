#pragma once
// The scaled diagonal blocks of N, ready for the one-contact problems of a sweep. Of a block that
// is not symmetric the upper triangle counts; a sweep comes to rest at the same impulses all the
// same, because b = u - A z and the one-contact problem have the same A.
//
// For the same reason A may be rounded. In large problems, whose sweeps wait for memory, blocks are
// kept in single precision and inverted when they are needed, at a quarter of the memory. All of
// them must be well conditioned for that: then neither the rounding nor the inverse in closed form
// changes how fast a sweep converges.

#include "talus/contact/local_contact.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <array>

namespace talus {

class LocalBlocks {
public:
  /// In the memory it has.
  void prepare(const ScaledProblem& problem);

  /// Of a contact of dimension 5 or 6.
  const PackedRollingContact& rolling(Index c) const { return rolling_[c]; }

  template <int d>
  void load(Index c, LocalContact& contact) const {
    if constexpr (d > 3)
      return unpack<d>(rolling_[c], contact);
    else if (rounded_.empty())
      return unpack<d>(exact_[c], contact);
    for (int i = 0, k = 0; i < d; ++i)
      for (int j = i; j < d; ++j, ++k) contact.A[d * i + j] = contact.A[d * j + i] = rounded_[c][k];
    invert_symmetric<d>(contact.A, contact.inverse);
  }

  /// Starts loading what load(c) will read.
  void prefetch(Index c) const {
    if (!rounded_.empty()) return __builtin_prefetch(&rounded_[c]);
    if (!rolling_.empty()) return prefetch_lines(rolling_[c]);
    prefetch_lines(exact_[c]);
  }

private:
  template <class Block>
  static void prefetch_lines(const Block& block) {
    const auto* first = reinterpret_cast<const char*>(&block);
    for (std::size_t line = 0; line < sizeof(Block); line += 64) __builtin_prefetch(first + line);
  }
  /// By cofactors. Inlined, it is done while the sweep waits for the velocities of the bodies.
  template <int d>
  [[gnu::always_inline]] static void invert_symmetric(const double* a, double* inverse);
  template <int d>
  void prepare(const ScaledProblem& problem);
  /// False when a block is not well conditioned.
  template <int d>
  bool round_blocks(const ScaledProblem& problem);

  std::vector<PackedContact> exact_;
  std::vector<PackedRollingContact> rolling_; ///< Those of contacts with moments.
  std::vector<std::array<float, 6>> rounded_; ///< Upper triangles, row by row; or the others.
};

template <int d>
inline void LocalBlocks::invert_symmetric(const double* a, double* inverse) {
  if constexpr (d == 1) {
    inverse[0] = 1 / a[0];
  } else if constexpr (d == 2) {
    const double scale = 1 / (a[0] * a[3] - a[1] * a[1]);
    inverse[0] = scale * a[3];
    inverse[1] = inverse[2] = -scale * a[1];
    inverse[3] = scale * a[0];
  } else {
    const double nn = a[4] * a[8] - a[5] * a[5], ns = a[2] * a[5] - a[1] * a[8],
                 nt = a[1] * a[5] - a[2] * a[4];
    const double scale = 1 / (a[0] * nn + a[1] * ns + a[2] * nt);
    inverse[0] = scale * nn;
    inverse[1] = inverse[3] = scale * ns;
    inverse[2] = inverse[6] = scale * nt;
    inverse[4] = scale * (a[0] * a[8] - a[2] * a[2]);
    inverse[5] = inverse[7] = scale * (a[1] * a[2] - a[0] * a[5]);
    inverse[8] = scale * (a[0] * a[4] - a[1] * a[1]);
  }
}

} // namespace talus
