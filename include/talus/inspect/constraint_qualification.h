#pragma once
// Can the bodies be taken apart? The regularity that the convergence results of anitescu2002 rest
// on (the Mangasarian-Fromovitz condition): a velocity that respects the joints and strictly
// separates every contact,
//
//     Gᵀ v = 0,   nᵀ v > 0 at all contacts.
//
// Its opposite is a set of normal impulses, not all zero, that balance each other without any load:
// bodies wedged between others, or contacts that press on one body from both sides. Then impulses
// can grow without bound, and a step may have no solution when such contacts are to open.
//
// One of the two is found by a small quadratic problem that always has a solution,
//
//     min ½ cᵀ N c + ½ (1 - Σ c)²,   c ≥ 0 on contacts, free on joints,
//
// at whose minimum N c ≥ ρ = 1 - Σ c: v = M⁻¹ (n c + G l) separates at speed ρ when ρ > 0, and c
// balances when ρ = 0. Solved exactly by principal pivoting, dense. Joint limits count as contacts;
// redundant joints do not matter; motors of limited strength hold nothing.

#include "talus/problem/delassus/delassus.h"

namespace talus {

enum class Disassemblable { yes, no, unknown };
std::string_view to_string(Disassemblable answer);

struct Disassembly {
  Disassemblable answer = Disassemblable::unknown;
  /// With `yes`, ρ: how fast the best velocity separates the worst contact, in scaled units, in
  /// (0, 1]. Small for tall stacks, whose uppermost body must be fastest.
  double separation = 0;
  /// With `no`: the contacts whose impulses balance each other.
  std::vector<Index> wedged;
};

/// Rows (contacts and equality rows) up to which it is computed; above, the answer is `unknown`.
inline constexpr Index disassembly_limit = 2000;

Disassembly examine_disassembly(const ContactProblem& problem, const DelassusOperator& n);

} // namespace talus
