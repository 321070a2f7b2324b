// The bodies of a run, where they came to rest.

#include "talus/core/error.h"
#include "talus/io/export.h"

#include <fmt/format.h>

#include <cmath>

namespace talus {

namespace {

Transform rounded(const Transform& pose, int decimals) {
  double unit = 1;
  for (int i = 0; i < decimals; ++i) unit *= 10;
  const auto at = [&](double value) { return std::round(value * unit) / unit; };
  const auto& [x, q] = pose;
  return {{at(x.x), at(x.y), at(x.z)}, {at(q.w), at(q.x), at(q.y), at(q.z)}};
}

} // namespace

std::string settled_text(const WorldDescription& description, const World& world,
                         std::optional<int> decimals) {
  if (std::ssize(description.bodies) != world.size())
    throw InvalidArgument(fmt::format("the description has {} bodies, the world {}",
                                      description.bodies.size(), world.size()));
  WorldDescription kept;
  kept.title = description.title;
  kept.materials = description.materials;
  kept.shapes = description.shapes;
  for (Index i = 0; i < world.size(); ++i) {
    const Body& built = world.bodies()[i];
    if (built.kind != BodyKind::dynamic || built.removed) continue;
    BodyDescription body = description.bodies[static_cast<std::size_t>(i)];
    body.pose = world.states()[i].pose * built.reference();
    if (decimals) body.pose = rounded(body.pose, *decimals);
    body.velocity = body.angular_velocity = {};
    kept.bodies.push_back(std::move(body));
  }
  return description_text(kept);
}

} // namespace talus
