#include "talus/step/abbreviated_contacts.h"

#include "talus/core/parallel.h"

namespace talus {

AbbreviatedContacts::AbbreviatedContacts(std::vector<ContactPoint>& contacts)
    : items_(contacts.size()) {
  parallel_for(static_cast<Index>(items_.size()), [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const ContactPoint& c = contacts[k];
      items_[k] = {c.collider_a, c.collider_b, c.key, c.point, c.gap};
    }
  });
  contacts = std::vector<ContactPoint>();
}

void AbbreviatedContacts::restore(std::span<const ColliderInfo> colliders,
                                  std::span<const RigidContact> frames,
                                  std::vector<ContactPoint>& contacts) {
  contacts.resize(items_.size());
  parallel_for(static_cast<Index>(items_.size()), [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const Item& item = items_[k];
      contacts[k] = {.collider_a = item.collider_a,
                     .collider_b = item.collider_b,
                     .body_a = colliders[item.collider_a].body,
                     .body_b = colliders[item.collider_b].body,
                     .key = item.key,
                     .normal = frames[k].normal,
                     .point = item.point,
                     .gap = item.gap};
    }
  });
  items_ = std::vector<Item>();
}

} // namespace talus
