#include "accuracy.h"

#include "talus/collide/collision.h"
#include "talus_peer.h"

#include <algorithm>
#include <set>
#include <utility>

namespace talus::peers {

Accuracy judge(const PeerScene& start, const Peer& peer) {
  Accuracy result;
  std::vector<Collider> colliders;
  const auto bodies = static_cast<Index>(start.bodies.size());
  for (Index i = 0; i < bodies; ++i) {
    const PeerBody& b = start.bodies[i];
    const Transform pose{peer.position(i), normalized(peer.rotation(i))};
    if (!is_finite(pose) || !is_finite(peer.velocity(i))) {
      result.finite = false;
      return result;
    }
    colliders.push_back({shape_of(b), pose, i});
    result.drift = std::max(result.drift, norm(pose.position - b.position));
    result.speed = std::max(result.speed, norm(peer.velocity(i)));
  }
  for (const PeerBody& b : start.obstacles)
    colliders.push_back({shape_of(b), {b.position, b.rotation}, bodies, false});
  for (std::size_t k = 0; k < start.planes.size(); ++k)
    colliders.push_back({make_half_space(start.planes[k].normal, start.planes[k].offset),
                         {},
                         bodies + 1 + static_cast<Index>(k),
                         false});
  CollisionDetector detector;
  std::vector<ContactPoint> contacts;
  detector.detect(colliders, 0.0, contacts);
  std::set<std::pair<Index, Index>> joined; // whose shapes may overlap
  for (const PeerJoint& joint : start.joints) joined.insert(std::minmax(joint.a, joint.b));
  for (const ContactPoint& contact : contacts)
    if (!joined.contains(std::minmax(contact.body_a, contact.body_b)))
      result.penetration = std::max(result.penetration, -contact.gap);
  return result;
}

} // namespace talus::peers
