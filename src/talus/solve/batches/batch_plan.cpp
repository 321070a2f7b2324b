#include "talus/solve/batches/batch_plan.h"

#include <algorithm>

namespace talus {

int BatchPlanner::fullest() const {
  const auto size = [](const Batch& batch) { return batch.size; };
  return static_cast<int>(std::ranges::max_element(open_, {}, size) - open_.begin());
}

void BatchPlanner::add(int batch, Index contact, Index a, Index b,
                       std::vector<BatchContacts>& batches) {
  Batch& open = open_[batch];
  const std::uint64_t bit = std::uint64_t{1} << batch;
  if (a >= 0) used_[a] |= bit;
  if (b >= 0) used_[b] |= bit;
  open.bodies[2 * open.size] = a;
  open.bodies[2 * open.size + 1] = b;
  open.contacts[open.size++] = contact;
  if (open.size == batch_width) close(batch, batches);
}

void BatchPlanner::close(int batch, std::vector<BatchContacts>& batches) {
  Batch& open = open_[batch];
  if (open.size == 0) return;
  const std::uint64_t others = ~(std::uint64_t{1} << batch);
  for (int i = 0; i < 2 * open.size; ++i)
    if (open.bodies[i] >= 0) used_[open.bodies[i]] &= others;
  std::fill(open.contacts.begin() + open.size, open.contacts.end(), Index{-1});
  batches.push_back(open.contacts);
  open.size = 0;
}

} // namespace talus
