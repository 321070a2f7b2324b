#include "talus/problem/delassus/body_layout.h"

namespace talus {

BodyAdjacency make_adjacency(Index bodies, const std::vector<BodyPair>& pairs) {
  BodyAdjacency adjacency;
  fill_adjacency(bodies, pairs, adjacency);
  return adjacency;
}

void fill_adjacency(Index bodies, const std::vector<BodyPair>& pairs, BodyAdjacency& adjacency) {
  auto& start = adjacency.start;
  start.assign(static_cast<std::size_t>(bodies) + 1, 0);
  for (const BodyPair& pair : pairs) {
    if (pair.a >= 0) ++start[pair.a];
    if (pair.b >= 0) ++start[pair.b];
  }
  // start[b] becomes the end of body b and moves down to its begin as the items come in, last
  // first.
  for (Index body = 0, sum = 0; body <= bodies; ++body) start[body] = sum += start[body];
  adjacency.item.resize(start[bodies]);
  for (Index c = static_cast<Index>(pairs.size()); c-- > 0;) {
    if (pairs[c].b >= 0) adjacency.item[--start[pairs[c].b]] = 2 * c + 1;
    if (pairs[c].a >= 0) adjacency.item[--start[pairs[c].a]] = 2 * c;
  }
}

} // namespace talus
