#include "talus/problem/body_layout.h"

namespace talus {

BodyAdjacency make_adjacency(Index bodies, const std::vector<BodyPair>& pairs) {
  BodyAdjacency adjacency;
  adjacency.start.assign(static_cast<std::size_t>(bodies) + 1, 0);
  for (const BodyPair& pair : pairs) {
    if (pair.a >= 0) ++adjacency.start[pair.a + 1];
    if (pair.b >= 0) ++adjacency.start[pair.b + 1];
  }
  for (Index body = 0; body < bodies; ++body) adjacency.start[body + 1] += adjacency.start[body];
  adjacency.item.resize(adjacency.start[bodies]);
  std::vector<Index> next(adjacency.start.begin(), adjacency.start.end() - 1);
  for (Index c = 0; c < static_cast<Index>(pairs.size()); ++c) {
    if (pairs[c].a >= 0) adjacency.item[next[pairs[c].a]++] = 2 * c;
    if (pairs[c].b >= 0) adjacency.item[next[pairs[c].b]++] = 2 * c + 1;
  }
  return adjacency;
}

RigidLayout::RigidLayout(const RigidModel& model) : model_(&model) {
  bias_.reserve(model.w.size() + model.b.size());
  bias_.insert(bias_.end(), model.w.begin(), model.w.end());
  bias_.insert(bias_.end(), model.b.begin(), model.b.end());
}

} // namespace talus
