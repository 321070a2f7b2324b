#include "talus/io/import/robot_world.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace talus::robot {

namespace {

/// Of a link's mass, for each body between its several joints: such a link has 1 - (n - 1) of it
/// left. Bodies cannot be without mass; the sum is that of the link, at the same place.
constexpr double share_between_joints = 1e-4;

MassProperties scaled(MassProperties properties, double factor) {
  properties.mass *= factor;
  properties.inertia = factor * properties.inertia;
  return properties;
}

class WorldMaker {
public:
  WorldMaker(RobotModel model, const ImportOptions& options, Warnings warnings)
      : model_(std::move(model)), options_(options) {
    result_.warnings = std::move(warnings);
  }

  ImportedModel make() {
    set_base();
    set_start(model_, options_, result_.warnings);
    bodies_ = assign_bodies(model_, options_.merge_fixed);
    states_ = link_states(model_, options_.at);
    WorldDescription& d = result_.description;
    d.title = model_.name;
    if (model_.gravity) d.gravity = *model_.gravity;
    if (model_.step) d.step.step = *model_.step;
    if (model_.friction_rule) d.materials.friction_rule = *model_.friction_rule;
    result_.gives_gravity = model_.gravity.has_value();
    result_.gives_step = model_.step.has_value();
    for (int i = 0; i < count(); ++i) add_link(i);
    for (const int i : bodies_.welds) add_weld(i);
    for (const Coupling& each : model_.couplings) add_coupling(each);
    for (const LoopJoint& each : model_.loops) add_loop(each);
    add_pairs();
    for (const auto& [a, b] : contact_filter(model_, bodies_)) {
      if (joined_.contains(std::minmax(a, b))) continue;
      d.no_contacts.emplace_back(name_of(a), name_of(b));
      result_.no_contact_places.push_back(to_string(model_.links[std::max(a, b)].place));
    }
    return std::move(result_);
  }

private:
  int count() const { return static_cast<int>(model_.links.size()); }
  std::string name_of(int link) const {
    return link < 0 ? "ground" : options_.prefix + model_.links[link].name;
  }
  int carrier(int link) const { return link < 0 ? -1 : bodies_.carrier[link]; }
  void warn(const Place& place, const std::string& what) {
    result_.warnings.push_back(fmt::format("{}: {}", to_string(place), what));
  }

  void set_base() {
    if (options_.base == BaseKind::automatic) return;
    const auto is_world = [](const Link& link) {
      return link.parent < 0 && link.name == "world" && !link.mass;
    };
    for (Link& link : model_.links) {
      const bool top = link.parent < 0 || is_world(model_.links[link.parent]);
      if (!top || is_world(link) || !link.joints.empty()) continue;
      link.free = options_.base == BaseKind::free;
    }
  }

  void add_link(int i) {
    const Link& link = model_.links[i];
    const std::size_t joints = link.joints.size();
    if (bodies_.carrier[i] == i) add_body(i);
    // Bodies between the joints of this link: they turn and slide with it, one joint less each.
    std::string above = name_of(carrier(link.parent));
    const int own = bodies_.carrier[i];
    for (std::size_t k = 0; k < joints; ++k) {
      const bool last = k + 1 == joints;
      if (!last) add_between(i, k);
      const std::string below = last ? name_of(own) : between_name(i, k);
      add_joint(i, k, above, below);
      above = below;
    }
    if (joints == 1) joined_.insert(std::minmax(carrier(link.parent), own));
    if (joints > 1)
      warn(link.place, fmt::format("link '{}' has {} joints; {} of its mass lie in each of the "
                                   "bodies between them",
                                   link.name, joints, share_between_joints));
  }

  std::string between_name(int i, std::size_t k) const {
    return fmt::format("{} ({})", name_of(i), model_.links[i].joints[k].name);
  }

  /// All mass that moves with the carrier, in its frame.
  std::optional<MassProperties> mass_of(int carrier) const {
    std::optional<MassProperties> total;
    for (int i = 0; i < count(); ++i) {
      if (bodies_.carrier[i] != carrier || !model_.links[i].mass) continue;
      const MassProperties part = transformed(*model_.links[i].mass, in_carrier(i));
      total = total ? combined(*total, part) : part;
    }
    return total;
  }

  Transform in_carrier(int i) const {
    const int own = bodies_.carrier[i];
    if (own == i) return {};
    return inverse(states_.poses[own]) * states_.poses[i];
  }

  /// The link of the carrier's cluster that has joints: its joints divide the mass.
  std::size_t joints_above(int carrier) const {
    const int top = bodies_.cluster[carrier];
    return bodies_.carrier[top] == carrier ? model_.links[top].joints.size() : 1;
  }

  void add_body(int i) {
    const Link& link = model_.links[i];
    BodyDescription body;
    body.name = name_of(i);
    body.pose = states_.poses[i];
    body.gravity = !link.floats;
    body.kind = bodies_.is_static[i] ? BodyKind::fixed : BodyKind::dynamic;
    if (!bodies_.is_static[i]) {
      const auto mass = mass_of(i);
      const double between = static_cast<double>(std::max<std::size_t>(joints_above(i), 1)) - 1;
      body.inertia = scaled(*mass, 1 - between * share_between_joints);
      set_velocity(body, states_.spins[i], states_.drifts[i]);
    }
    add_shapes(i, body);
    add(std::move(body), link.place);
  }

  void set_velocity(BodyDescription& body, const Vec3& spin, const Vec3& drift) const {
    body.angular_velocity = spin;
    body.velocity = drift + cross(spin, body.pose(body.inertia->centre));
  }

  void add_between(int i, std::size_t k) {
    BodyDescription body;
    body.name = between_name(i, k);
    body.pose = states_.stages[i][k + 1];
    body.gravity = !model_.links[i].floats;
    const int own = bodies_.carrier[i];
    MassProperties mass = *mass_of(own);
    if (own != i) mass = transformed(mass, inverse(in_carrier(i)));
    body.inertia = scaled(mass, share_between_joints);
    set_velocity(body, states_.stage_spins[i][k], states_.stage_drifts[i][k]);
    add(std::move(body), model_.links[i].joints[k].place);
  }

  void add_shapes(int i, BodyDescription& body) {
    std::vector<std::pair<const Geom*, Transform>> all;
    bool collides = false;
    for (int j = 0; j < count(); ++j) {
      if (bodies_.carrier[j] != i) continue;
      for (const Geom& geom : model_.links[j].geoms) {
        all.emplace_back(&geom, in_carrier(j) * geom.pose);
        collides = collides || geom.collides;
      }
    }
    std::optional<Surface> surface;
    bool differ = false;
    for (const auto& [geom, pose] : all) {
      if (geom->collides != collides) {
        warn(geom->place, "a shape that does not collide is ignored");
        continue;
      }
      body.shapes.push_back({shape_number(geom->shape), pose});
      if (!geom->surface || !collides) continue;
      differ = differ || (surface && *surface != *geom->surface);
      if (!surface || geom->surface->friction > surface->friction) surface = geom->surface;
    }
    if (!collides) body.group = body.mask = 0;
    if (differ)
      warn(model_.links[i].place,
           fmt::format("the shapes of link '{}' differ in friction; all get the largest, {}",
                       model_.links[i].name, surface->friction));
    if (!options_.material.empty())
      body.material = options_.material;
    else if (surface)
      body.material = material_of(*surface);
  }

  Index shape_number(const ShapeDescription& shape) {
    auto& shapes = result_.description.shapes;
    shapes.push_back(shape);
    return static_cast<Index>(shapes.size()) - 1;
  }

  std::string material_of(const Surface& s, const std::string& suffix = "") {
    std::string name = fmt::format("friction {}", s.friction);
    if (s.spinning > 0) name += fmt::format(", spinning {}", s.spinning);
    if (s.rolling > 0) name += fmt::format(", rolling {}", s.rolling);
    name += suffix;
    MaterialTable& table = result_.description.materials;
    if (table.find(name) < 0)
      table.add(
          {.name = name, .friction = s.friction, .rolling = s.rolling, .spinning = s.spinning});
    return name;
  }

  void add_joint(int i, std::size_t k, const std::string& above, const std::string& below) {
    const RobotJoint& joint = model_.links[i].joints[k];
    const Transform& frame = states_.stages[i][k];
    JointDescription d;
    d.name = options_.prefix + joint.name;
    d.kind = joint.kind;
    d.body_a = above;
    d.body_b = below;
    d.at = frame(joint.anchor);
    if (joint.kind == JointKind::prismatic) d.at = states_.stages[i][k + 1](joint.anchor);
    d.axis = rotate(frame.rotation, joint.axis);
    d.limits = joint.limits;
    d.spring = joint.spring;
    d.motor = joint.motor;
    d.friction = joint.friction;
    d.armature = joint.armature;
    d.effort = joint.effort;
    if (joint.kind != JointKind::spherical) d.position = joint.start;
    const int parent = model_.links[i].parent;
    const bool touch = model_.neighbours_touch || (model_.children_touch_fixed_parents &&
                                                   parent >= 0 && bodies_.is_static[parent]);
    if (touch) d.bodies_collide = true;
    add(std::move(d), joint.place);
  }

  void add_weld(int i) {
    JointDescription d;
    const int parent = carrier(model_.links[i].parent);
    d.name = fmt::format("{} weld", name_of(i));
    d.kind = JointKind::fixed;
    d.body_a = name_of(parent);
    d.body_b = name_of(i);
    d.at = states_.poses[i].position;
    joined_.insert(std::minmax(parent, i));
    add(std::move(d), model_.links[i].place);
  }

  void add_coupling(const Coupling& c) {
    JointDescription d;
    d.name = options_.prefix + c.name;
    d.kind = JointKind::gear;
    d.first_joint = options_.prefix + c.follower;
    d.second_joint = options_.prefix + c.leader;
    d.ratio = -c.ratio;
    d.bodies_collide = true; // as far as the filter of contacts lets them
    if (needs_idler(d)) return add_through_idler(std::move(d), c);
    add(std::move(d), c.place);
  }

  const JointDescription* find_joint(const std::string& name) const {
    for (const JointDescription& joint : result_.description.joints)
      if (joint.name == name) return &joint;
    return nullptr;
  }
  BodyDescription* find_body(const std::string& name) {
    for (BodyDescription& body : result_.description.bodies)
      if (body.name == name) return &body;
    return nullptr;
  }
  bool never_moves(const std::string& name) {
    const BodyDescription* body = find_body(name);
    return !body || body->kind == BodyKind::fixed;
  }

  /// The body that both joints have, or "".
  static std::string shared_body(const JointDescription& a, const JointDescription& b) {
    if (a.body_a == b.body_a || a.body_a == b.body_b) return a.body_a;
    return a.body_b == b.body_a ? a.body_b : "";
  }

  /// Slides along parallel axes, or axes that coincide, on a link that moves: no force between the
  /// two links alone couples them (world/gear_mesh.h), unless they move as one.
  bool needs_idler(const JointDescription& gear) {
    const JointDescription *a = find_joint(gear.first_joint), *b = find_joint(gear.second_joint);
    if (!a || !b || a->kind != b->kind || never_moves(shared_body(*a, *b))) return false;
    if (a->kind != JointKind::prismatic && a->kind != JointKind::revolute) return false;
    const Vec3 one = normalized(a->axis), two = normalized(b->axis), apart = b->at - a->at;
    if (norm(cross(one, two)) > 1e-3) return false;
    const bool coincide = norm(cross(apart, one)) <= 1e-3 * norm(apart);
    if (a->kind == JointKind::revolute && !coincide) return false;
    const double turned = a->body_a == b->body_a ? 1 : -1; // the shared link is a's or b's child
    return std::abs(turned * dot(one, two) + gear.ratio) > 1e-6;
  }

  /// A third body on the shared link, with a part of the lighter one's mass, moves across the axes
  /// and is coupled with both.
  void add_through_idler(JointDescription gear, const Coupling& c) {
    const JointDescription first = *find_joint(gear.first_joint);
    const JointDescription second = *find_joint(gear.second_joint);
    BodyDescription *one = find_body(first.body_b), *two = find_body(second.body_b);
    const std::string base = shared_body(first, second);
    BodyDescription& lighter = one->inertia->mass <= two->inertia->mass ? *one : *two;
    BodyDescription idler;
    idler.name = gear.name + " idler";
    idler.pose = lighter.pose;
    idler.gravity = lighter.gravity;
    idler.velocity = lighter.velocity;
    idler.angular_velocity = lighter.angular_velocity;
    idler.inertia = scaled(*lighter.inertia, share_between_joints);
    lighter.inertia = scaled(*lighter.inertia, 1 - share_between_joints);
    JointDescription guide;
    guide.name = idler.name;
    guide.kind = first.kind;
    guide.body_a = base;
    guide.body_b = idler.name;
    guide.at = idler.pose(idler.inertia->centre);
    guide.axis = orthogonal_unit(normalized(first.axis));
    JointDescription to_idler = gear;
    to_idler.name = gear.name + " (idler)";
    to_idler.second_joint = guide.name;
    to_idler.ratio = -1;
    gear.first_joint = guide.name;
    warn(c.place,
         fmt::format("joints '{}' and '{}' have parallel axes on a link that moves: a body "
                     "with {} of the mass of '{}' couples them",
                     first.name, second.name, share_between_joints, lighter.name));
    add(std::move(idler), c.place);
    add(std::move(guide), c.place);
    add(std::move(to_idler), c.place);
    add(std::move(gear), c.place);
  }

  void add_loop(const LoopJoint& loop) {
    JointDescription d;
    d.name = options_.prefix + loop.name;
    d.kind = loop.kind;
    const int a = carrier(loop.link_a), b = carrier(loop.link_b);
    if (a == b) fail_at(loop.place, "it joins links that are welded to each other");
    d.body_a = name_of(a);
    d.body_b = name_of(b);
    const Transform frame = loop.link_a < 0 ? options_.at : states_.poses[loop.link_a];
    d.at = frame(loop.point);
    d.bodies_collide = true; // as far as the filter of contacts lets them
    add(std::move(d), loop.place);
  }

  /// Links with a friction of their own between them get materials of their own.
  void add_pairs() {
    MaterialTable& table = result_.description.materials;
    for (const SurfacePair& pair : model_.pairs) {
      const int a = carrier(pair.link_a), b = carrier(pair.link_b);
      if (!pair.surface || a < 0 || b < 0 || !options_.material.empty()) continue;
      const auto own = [&](int link) {
        BodyDescription& body = result_.description.bodies[body_of_[link]];
        const std::string suffix = " of " + body.name;
        if (body.material.ends_with(suffix)) return table.find(body.material);
        const Index old = body.material.empty() ? 0 : table.find(body.material);
        const Surface s{table[old].friction, table[old].rolling, table[old].spinning};
        body.material = material_of(s, suffix);
        return table.find(body.material);
      };
      MaterialPair entry;
      entry.a = own(a);
      entry.b = own(b);
      entry.friction = pair.surface->friction;
      entry.rolling = pair.surface->rolling;
      entry.spinning = pair.surface->spinning;
      table.set_pair(entry);
    }
  }

  void add(BodyDescription body, const Place& place) {
    for (int i = 0; i < count(); ++i)
      if (name_of(i) == body.name) body_of_[i] = result_.description.bodies.size();
    result_.description.bodies.push_back(std::move(body));
    result_.body_places.push_back(to_string(place));
  }
  void add(JointDescription joint, const Place& place) {
    result_.description.joints.push_back(std::move(joint));
    result_.joint_places.push_back(to_string(place));
  }

  RobotModel model_;
  const ImportOptions& options_;
  Bodies bodies_;
  LinkStates states_;
  std::set<std::pair<int, int>> joined_; ///< Carriers with a joint between them.
  std::map<int, std::size_t> body_of_;
  ImportedModel result_;
};

} // namespace

ImportedModel world_of(RobotModel model, const ImportOptions& options, Warnings warnings) {
  return WorldMaker(std::move(model), options, std::move(warnings)).make();
}

} // namespace talus::robot
