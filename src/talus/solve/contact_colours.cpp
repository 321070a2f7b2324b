#include "talus/solve/contact_colours.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace talus {

ContactColours colour_contacts(Index bodies, const std::vector<BodyPair>& pairs) {
  ContactColours colours;
  std::vector<std::uint64_t> used(bodies, 0); // a bit per colour
  std::vector<signed char> colour_of(pairs.size(), -1);
  std::vector<Index> size(ContactColours::most, 0);
  Index count = 0;
  for (std::size_t c = 0; c < pairs.size(); ++c) {
    std::uint64_t taken = 0;
    for (const Index body : {pairs[c].a, pairs[c].b})
      if (body >= 0) taken |= used[body];
    const int colour = std::countr_one(taken);
    if (colour == ContactColours::most) {
      colours.uncoloured.push_back(static_cast<Index>(c));
      continue;
    }
    for (const Index body : {pairs[c].a, pairs[c].b})
      if (body >= 0) used[body] |= std::uint64_t{1} << colour;
    colour_of[c] = static_cast<signed char>(colour);
    ++size[colour];
    count = std::max<Index>(count, colour + 1);
  }
  colours.start.assign(1, 0);
  for (Index k = 0; k < count; ++k) colours.start.push_back(colours.start[k] + size[k]);
  colours.contacts.resize(colours.start[count]);
  std::vector<Index> next(colours.start.begin(), colours.start.end() - 1);
  for (std::size_t c = 0; c < pairs.size(); ++c)
    if (colour_of[c] >= 0) colours.contacts[next[colour_of[c]]++] = static_cast<Index>(c);
  return colours;
}

} // namespace talus
