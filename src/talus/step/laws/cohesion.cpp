#include "talus/step/laws/cohesion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace talus {

namespace {

template <class T>
auto pair_of(const T& item) {
  return std::tie(item.collider_a, item.collider_b);
}

double turn(const std::array<double, 2>& o, const std::array<double, 2>& a,
            const std::array<double, 2>& b) {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

/// Of the convex hull of points, by Andrew's chains.
double hull_area(std::vector<std::array<double, 2>>& points,
                 std::vector<std::array<double, 2>>& hull) {
  if (points.size() < 3) return 0;
  std::ranges::sort(points);
  hull.clear();
  const auto extend = [&](const std::array<double, 2>& p, std::size_t least) {
    while (hull.size() >= least + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0)
      hull.pop_back();
    hull.push_back(p);
  };
  for (const auto& p : points) extend(p, 0);
  const std::size_t upper = hull.size() - 1;
  for (std::size_t k = points.size() - 1; k-- > 0;) extend(points[k], upper);
  double twice = 0;
  for (std::size_t k = 1; k + 1 < hull.size(); ++k) twice += turn(hull[0], hull[k], hull[k + 1]);
  return 0.5 * twice;
}

/// Walks through contacts pair by pair, beside the bonds and impulses of the last step.
class BondFinder {
public:
  BondFinder(const BondInput& input, std::span<const Bond> before, Bonds& bonds)
      : in_(input), bonds_(bonds), bond_(before.begin()), end_(before.end()) {}

  void run() {
    bonds_.list.clear();
    bonds_.pull.assign(in_.contacts.size(), 0.0);
    bonds_.origins.assign(in_.contacts.size(), 0.0);
    const auto count = static_cast<Index>(in_.contacts.size());
    for (Index first = 0, last = 0; first < count; first = last) {
      while (last < count && pair_of(contact(last)) == pair_of(contact(first))) ++last;
      handle(first, last);
    }
    while (bond_ != end_) drop(*bond_++);
  }

private:
  const ContactPoint& contact(Index sorted) const { return in_.contacts[in_.order.place(sorted)]; }

  Cohesion cohesion_of(Index a, Index b) const {
    return in_.world.materials.between(in_.colliders[a].material, in_.colliders[b].material)
        .cohesion;
  }

  /// The pair is apart.
  void drop(const Bond& bond) {
    if (bond.broken || !cohesion_of(bond.collider_a, bond.collider_b).heals)
      bonds_.list.push_back({bond.collider_a, bond.collider_b, true, 0});
  }

  bool bore_impulse(const ContactPoint& contact) {
    const auto& cached = in_.cache.contacts;
    while (impulse_ < cached.size() && pair_of(cached[impulse_]) < pair_of(contact)) ++impulse_;
    return impulse_ < cached.size() && pair_of(cached[impulse_]) == pair_of(contact);
  }

  /// Contacts of one pair, in the sorted order.
  void handle(Index first, Index last) {
    const ContactPoint& any = contact(first);
    while (bond_ != end_ && pair_of(*bond_) < pair_of(any)) drop(*bond_++);
    const bool is_listed = bond_ != end_ && pair_of(*bond_) == pair_of(any);
    const Bond* listed = is_listed ? &*bond_++ : nullptr;
    const Cohesion cohesion = cohesion_of(any.collider_a, any.collider_b);
    if (listed && listed->broken) return drop(*listed);
    if (!cohesion.exists()) return;
    const double reach = std::max(cohesion.range, in_.touch);
    double gap = std::numeric_limits<double>::infinity();
    for (Index k = first; k < last; ++k) gap = std::min(gap, contact(k).gap);
    const bool touched = gap <= in_.touch || bore_impulse(any);
    if (gap <= reach && (listed || touched)) {
      bonds_.list.push_back({any.collider_a, any.collider_b, false, listed ? listed->origin : gap});
      share(first, last, cohesion, reach);
    } else if (listed) {
      drop(*listed);
    }
  }

  void share(Index first, Index last, const Cohesion& cohesion, double reach) {
    const Vec3 normal = contact(first).normal, tangent = orthogonal_unit(normal),
               third = cross(normal, tangent);
    bonds_.points.clear();
    for (Index k = first; k < last; ++k) {
      const ContactPoint& each = contact(k);
      if (each.gap <= reach)
        bonds_.points.push_back({dot(tangent, each.point), dot(third, each.point)});
    }
    const auto count = static_cast<double>(bonds_.points.size());
    const double area = cohesion.stress > 0 ? hull_area(bonds_.points, bonds_.hull) : 0.0;
    const double impulse = in_.h * (cohesion.force + cohesion.stress * area) / count;
    const auto& plane = in_.world.plane_normal();
    for (Index k = first; k < last; ++k) {
      const ContactPoint& each = contact(k);
      if (each.gap > reach) continue;
      const double part = plane ? norm(each.normal - dot(each.normal, *plane) * *plane) : 1.0;
      const Index c = in_.order.place(k);
      bonds_.pull[c] = part * impulse;
      bonds_.origins[c] = bonds_.list.back().origin;
    }
  }

  const BondInput& in_;
  Bonds& bonds_;
  std::span<const Bond>::iterator bond_, end_;
  std::size_t impulse_ = 0;
};

/// The product with a symmetric matrix xx, xy, xz, yy, yz, zz.
Vec3 times(const double* j, const Vec3& a) {
  return {j[0] * a.x + j[1] * a.y + j[2] * a.z, j[1] * a.x + j[3] * a.y + j[4] * a.z,
          j[2] * a.x + j[4] * a.y + j[5] * a.z};
}

void push(RigidModel& model, Index body, const Vec3& arm, const Vec3& impulse) {
  if (body < 0) return;
  const RigidInverseMass& m = model.inverse_mass[body];
  const Vec3 turning = times(m.inertia, cross(arm, impulse));
  double* v = &model.free_velocity[6 * static_cast<std::size_t>(body)];
  for (int k = 0; k < 3; ++k) {
    v[k] += m.mass * impulse[k];
    v[3 + k] += turning[k];
  }
}

Vec3 point_velocity(ConstSpan velocities, Index body, const Vec3& arm) {
  const double* v = velocities.data() + 6 * static_cast<std::size_t>(body);
  return Vec3{v[0], v[1], v[2]} + cross(Vec3{v[3], v[4], v[5]}, arm);
}

} // namespace

void find_bonds(const BondInput& input, std::span<const Bond> before, Bonds& bonds) {
  BondFinder(input, before, bonds).run();
}

void pull_together(ConstSpan pull, ContactProblem& problem) {
  auto& model = std::get<RigidModel>(problem.model);
  for (std::size_t c = 0; c < pull.size(); ++c) {
    if (pull[c] == 0) continue;
    const RigidContact& frame = model.contacts[c];
    const Vec3 impulse = pull[c] * frame.normal;
    push(model, model.contact_bodies[c].a, frame.arm_a, impulse);
    push(model, model.contact_bodies[c].b, frame.arm_b, -impulse);
  }
}

double cohesive_energy(const Bonds& bonds, std::span<const ContactPoint> contacts,
                       std::span<const RigidContact> frames, ConstSpan velocities, double h) {
  double sum = 0;
  for (std::size_t c = 0; c < bonds.pull.size(); ++c)
    sum += cohesive_energy(bonds, c, contacts[c], frames[c], velocities, h);
  return sum;
}

double cohesive_energy(const Bonds& bonds, std::size_t c, const ContactPoint& contact,
                       const RigidContact& frame, ConstSpan velocities, double h) {
  if (bonds.pull[c] == 0) return 0;
  const Vec3 speed = point_velocity(velocities, contact.body_b, frame.arm_b) -
                     point_velocity(velocities, contact.body_a, frame.arm_a);
  const double gap = contact.gap + h * dot(frame.normal, speed);
  return bonds.pull[c] / h * (gap - bonds.origins[c]);
}

} // namespace talus
