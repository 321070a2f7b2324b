#pragma once
// Contacts in colours: no two contacts of a colour touch the same body, so that a Gauss-Seidel
// sweep may treat them at once without changing what either of them sees. The colours follow from
// the bodies of the contacts alone, and so do the results of a sweep that takes them in order.

#include "talus/problem/contact_problem.h"

namespace talus {

struct ContactColours {
  /// Beyond these, contacts stay without a colour: those of a body that very many others touch.
  static constexpr int most = 64;

  std::vector<Index> contacts; ///< Colour by colour, increasing within each.
  std::vector<Index> start;    ///< Colour k holds contacts[start[k]] to contacts[start[k + 1] - 1].
  std::vector<Index> uncoloured; ///< Increasing; to be treated one after the other.

  Index count() const { return static_cast<Index>(start.size()) - 1; }
};

/// Each contact gets the first colour that neither of its bodies has: at most one more than the
/// contacts of both bodies. A negative body is the immovable world, which contacts may share.
/// O(bodies + contacts).
ContactColours colour_contacts(Index bodies, const std::vector<BodyPair>& pairs);

} // namespace talus
