#include "talus/step/assembly/compact_contacts.h"

#include "talus/core/parallel.h"

#include <algorithm>

namespace talus {

CompactContacts::CompactContacts(std::vector<ContactPoint>& contacts) : items_(contacts.size()) {
  const auto count = static_cast<Index>(items_.size());
  parallel_for(count, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k)
      items_[k] = {contacts[k].collider_a, contacts[k].collider_b, contacts[k].gap};
  });
  for (Index k = 0; k < count; ++k)
    if (runs_.empty() || runs_.back().key != contacts[k].key) runs_.push_back({k, contacts[k].key});
  contacts = std::vector<ContactPoint>();
}

std::size_t CompactContacts::run_of(Index contact) const {
  const auto next = std::ranges::upper_bound(runs_, contact, {}, &Run::first);
  return static_cast<std::size_t>(next - runs_.begin()) - 1;
}

void CompactContacts::restore(const std::function<Index(Index collider)>& body_of,
                              std::span<const RigidContact> frames,
                              std::span<const BodyState> states,
                              std::vector<ContactPoint>& contacts) {
  contacts.resize(items_.size());
  parallel_for(static_cast<Index>(items_.size()), [&](Index begin, Index end) {
    std::size_t run = run_of(begin);
    for (Index k = begin; k < end; ++k) {
      if (run + 1 < runs_.size() && runs_[run + 1].first == k) ++run;
      const Item& item = items_[k];
      const Index body_a = body_of(item.collider_a);
      contacts[k] = {.collider_a = item.collider_a,
                     .collider_b = item.collider_b,
                     .body_a = body_a,
                     .body_b = body_of(item.collider_b),
                     .key = runs_[run].key,
                     .normal = frames[k].normal,
                     .point = states[body_a].pose.position + frames[k].arm_a,
                     .gap = item.gap};
    }
  });
  items_ = std::vector<Item>();
  runs_ = std::vector<Run>();
}

} // namespace talus
