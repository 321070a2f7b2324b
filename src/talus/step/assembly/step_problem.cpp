#include "talus/step/assembly/step_problem.h"

#include "talus/core/error.h"
#include "talus/core/friction_range.h"
#include "talus/core/parallel.h"
#include "talus/step/assembly/approach.h"
#include "talus/step/assembly/free_motion.h"
#include "talus/step/envelope.h"
#include "talus/step/laws/contact_radius.h"
#include "talus/step/laws/elastic_contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

namespace talus {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The product with a symmetric matrix xx, xy, xz, yy, yz, zz.
Vec3 times(const double* j, const Vec3& a) {
  return {j[0] * a.x + j[1] * a.y + j[2] * a.z, j[1] * a.x + j[3] * a.y + j[4] * a.z,
          j[2] * a.x + j[4] * a.y + j[5] * a.z};
}

/// In a planar world the normal counts by its part in the plane.
Vec3 felt_normal(const World& world, const ContactPoint& contact) {
  const auto& plane = world.plane_normal();
  return plane ? contact.normal - dot(contact.normal, *plane) * *plane : contact.normal;
}

class ProblemBuilder {
public:
  ProblemBuilder(const StepInput& input, ContactProblem& problem)
      : in_(input), problem_(problem), model_(std::get<RigidModel>(problem.model)),
        h_(input.options.step), gravity_(norm(input.world.gravity)),
        poisson_(input.options.impact_law == ImpactLaw::poisson && has_restitution()) {}

  void build(std::vector<Rebound>& rebounds) {
    problem_.law = in_.options.law;
    choose_set();
    set_masses();
    set_contacts();
    set_rows();
    list_rebounds(rebounds);
  }

private:
  bool has_restitution() const {
    const MaterialTable& table = in_.world.materials;
    const auto bounces = [](const auto& item) { return item.restitution > 0; };
    bool some = std::ranges::any_of(table.pairs(), bounces);
    for (Index i = 0; i < table.size(); ++i) some = some || bounces(table[i]);
    return some;
  }

  /// Contacts have moments where a material resists rolling.
  void choose_set() {
    problem_.friction = in_.options.friction;
    problem_.dimension = contact_dimension(in_.world);
    if (problem_.dimension == 3) return;
    if (problem_.friction.kind != FrictionKind::cone)
      throw InvalidArgument(fmt::format("materials with rolling or spinning friction need the "
                                        "friction set cone, not {}",
                                        to_string(problem_.friction)));
    problem_.friction.kind = FrictionKind::rolling;
  }

  /// The body's number in the problem: the immovable world for fixed bodies.
  Index body_in_problem(Index body) const {
    const bool fixed = body == ground || in_.world.bodies()[body].kind == BodyKind::fixed;
    return fixed ? -1 : in_.order.rank(body);
  }

  AddedMass added_mass_of(Index body) const {
    return in_.added_mass.empty() ? AddedMass{} : in_.added_mass[static_cast<std::size_t>(body)];
  }

  void set_masses() {
    const World& world = in_.world;
    model_.free_velocity.resize(in_.free_velocities.size());
    model_.inverse_mass.resize(world.size());
    parallel_for(
        world.size(),
        [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) {
            const std::size_t rank = in_.order.rank(i);
            model_.inverse_mass[rank] =
                inverse_mass_of(world.bodies()[i], world.states()[i].pose.rotation,
                                world.plane_normal(), added_mass_of(i));
            std::copy_n(&in_.free_velocities[6 * static_cast<std::size_t>(i)], 6,
                        &model_.free_velocity[6 * rank]);
          }
        },
        512);
  }

  void set_contacts() {
    const auto count = static_cast<Index>(in_.contacts.size());
    problem_.mu.resize(count);
    const std::size_t d = problem_.dimension;
    problem_.rolling.resize(d > 3 ? count : 0);
    problem_.spinning.resize(d > 3 ? count : 0);
    problem_.compliance.clear();
    if (in_.world.materials.has_yielding_contacts(in_.options.relative_compliance))
      problem_.compliance.resize(d * problem_.mu.size());
    in_.hertz.assign(in_.world.materials.has_hertz_contacts() ? count : 0, {});
    model_.contact_bodies.resize(count);
    model_.contacts.resize(count);
    model_.w.resize(d * count);
    parallel_for(
        count,
        [&](Index begin, Index end) {
          for (Index c = begin; c < end; ++c) set_contact(c);
        },
        512);
  }

  SurfaceCoefficients surface_of(const ContactPoint& contact) const {
    return in_.world.materials.between(in_.colliders[contact.collider_a].material,
                                       in_.colliders[contact.collider_b].material);
  }

  void set_contact(Index c) {
    const ContactPoint& contact = in_.contacts[c];
    const World& world = in_.world;
    const SurfaceCoefficients surface = surface_of(contact);
    // With the normal n of a contact outside the plane, its gap changes as (P n)·u and its impulse
    // pushes with r P n: the same contact with normal P n / |P n|, gap / |P n|, μ / |P n|.
    const Vec3 felt = felt_normal(world, contact);
    const auto& plane = world.plane_normal();
    const double length = plane ? norm(felt) : 1.0;
    RigidContact& frame = model_.contacts[c];
    frame.normal = felt / length;
    frame.tangent = plane ? *plane : orthogonal_unit(frame.normal);
    // Both arms end in one point, so that the impulses have no moment as a pair.
    frame.arm_a = contact.point - world.states()[contact.body_a].pose.position;
    frame.arm_b = contact.point - world.states()[contact.body_b].pose.position;
    model_.contact_bodies[c] = {body_in_problem(contact.body_a), body_in_problem(contact.body_b)};
    // A contact that is barely felt sticks with the largest coefficient, too.
    problem_.mu[c] =
        length < 1 ? std::min(surface.friction / length, largest_friction) : surface.friction;
    if (problem_.dimension > 3) {
      problem_.rolling[c] = surface.rolling / length;
      problem_.spinning[c] = surface.spinning / length;
    }
    set_response(c, surface, contact.gap / length, length);
  }

  /// w and E of a contact. An elastic one bounces when it closes; once pressed, it is a spring.
  void set_response(Index c, const SurfaceCoefficients& surface, double gap, double length) {
    const std::optional<double> rebound = rebound_speed(c, surface, gap);
    const Springs springs = surface.young > 0
                                ? hertz_springs(c, surface, length, rebound.has_value())
                                : linear_springs(c, surface, gap);
    const std::size_t d = problem_.dimension, first = d * c;
    double* w = &model_.w[first];
    w[0] = springs.target;
    if (rebound) {
      w[0] = std::min(w[0], -*rebound);
      some_rebound_.store(true, std::memory_order_relaxed);
    }
    std::fill(w + 1, w + d, 0.0);
    if (problem_.compliance.empty()) return;
    double* e = &problem_.compliance[first];
    std::fill(e + 3, e + d, 0.0);
    // The rebound is Newton's, not what a spring would give.
    e[0] = rebound ? 0.0 : springs.normal / (length * length);
    e[1] = e[2] = springs.shear;
  }

  /// w_n without rebound, and E along the normal and the surface; for a normal of length 1.
  struct Springs {
    double target, normal, shear;
  };

  Springs linear_springs(Index c, const SurfaceCoefficients& surface, double gap) const {
    const double automatic = automatic_compliance_of(c, surface);
    const double compliance = surface.compliance / (h_ * h_) + automatic;
    return {plain_target(c, surface, compliance, gap), compliance,
            surface.shear_compliance / (h_ * h_) + automatic * surface.automatic_shear};
  }

  Springs hertz_springs(Index c, const SurfaceCoefficients& surface, double length,
                        bool rebounds) const {
    HertzContact& hertz = in_.hertz[c];
    const ContactPoint& contact = in_.contacts[c];
    const double radius =
        contact_radius(in_.world, contact, in_.colliders[contact.collider_a].shape,
                       in_.colliders[contact.collider_b].shape, smaller_dynamic_radius(contact));
    hertz = {.law = {4.0 / 3 * surface.young * std::sqrt(radius), surface.compliance},
             .gap = contact.gap,
             .ratio = surface.hertz_ratio,
             .shear_series = surface.shear_compliance,
             .felt = length,
             .shear_before = in_.last_shear.empty() ? 0.0 : in_.last_shear[c],
             .least_overlap = 1e-6 * radius,
             .rebounds = rebounds};
    // A contact that is pressed has its load in the motion at the step's start.
    const double speed =
        contact.gap < 0 ? approach_before(c) : std::min(approach_before(c), approach_after(c));
    hertz.set_slope(-contact.gap - h_ * length * speed);
    return {hertz.target(h_), hertz.normal_compliance(h_) * (length * length),
            hertz.shear_compliance(h_)};
  }

  double automatic_compliance_of(Index c, const SurfaceCoefficients& surface) const {
    if (!surface.is_automatic || in_.options.relative_compliance == 0) return 0;
    return automatic_compliance(in_.options.relative_compliance, mobility_of(c),
                                last_normal_impulse(c), gravity_, h_);
  }

  /// One over the mass of the lighter body.
  double mobility_of(Index c) const {
    const auto of_side = [&](Index body) {
      return body < 0 ? 0.0 : model_.inverse_mass[body].mass;
    };
    const BodyPair bodies = model_.contact_bodies[c];
    return std::max(of_side(bodies.a), of_side(bodies.b));
  }

  double last_normal_impulse(Index c) const {
    if (in_.last_impulses.empty()) return 0;
    const double* r = &in_.last_impulses[static_cast<std::size_t>(problem_.dimension) * c];
    return std::max(0.0, dot(model_.contacts[c].normal, Vec3{r[0], r[1], r[2]}));
  }

  /// w_n without rebound.
  double plain_target(Index c, const SurfaceCoefficients& surface, double compliance,
                      double gap) const {
    if (surface.compliance > 0) return gap / h_;
    const double speed = (compliance > 0 ? gap : gap_to_close(gap)) / h_;
    if (speed >= 0) return speed;
    return std::max(speed, -recovery_speed(in_.contacts[c]) - compliance * last_normal_impulse(c));
  }

  double recovery_speed(const ContactPoint& contact) const {
    if (in_.options.max_recovery_speed >= 0) return in_.options.max_recovery_speed;
    const double smaller = smaller_dynamic_radius(contact);
    return smaller > 0 ? automatic_recovery_speed(gravity_, smaller) : infinity;
  }

  /// The smaller bounding radius of the dynamic bodies of a contact.
  double smaller_dynamic_radius(const ContactPoint& contact) const {
    const auto radius = [&](Index body) {
      return in_.world.bodies()[body].kind == BodyKind::dynamic ? in_.radii[body] : 0.0;
    };
    return smaller_radius(radius(contact.body_a), radius(contact.body_b));
  }

  /// The gap that the step makes good: none where rigid bodies touch within what is allowed.
  double gap_to_close(double gap) const {
    if (gap >= 0) return gap;
    return gap < -in_.allowed_penetration ? gap + 0.5 * in_.allowed_penetration : 0.0;
  }

  /// The coefficient of restitution times |u⁻| for a contact that bounces in this step, else none.
  /// By Poisson's law those without restitution take part in the impact of others.
  std::optional<double> rebound_speed(Index c, const SurfaceCoefficients& surface,
                                      double gap) const {
    if (!in_.options.restitution || (surface.restitution == 0 && !poisson_)) return {};
    if ((surface.compliance > 0 || surface.young > 0) && gap < 0) return {};
    const double before = approach_before(c), after = approach_after(c);
    const double threshold = restitution_threshold_of(in_.options, gravity_);
    const bool bounces = before < -threshold && gap + h_ * after <= 0;
    return bounces ? std::optional(-surface.restitution * before) : std::nullopt;
  }

  /// The normal velocity at the step's start, and at its end without contacts.
  double approach_before(Index c) const {
    return approach_speed(model_.contacts[c], in_.contacts[c], in_.world.states());
  }
  double approach_after(Index c) const {
    return approach_speed(model_.contacts[c], in_.contacts[c], in_.free_velocities);
  }

  /// Most steps have none. Where there are some, finding them once more takes less than what
  /// follows (impact_energy.h).
  void list_rebounds(std::vector<Rebound>& rebounds) const {
    rebounds.clear();
    if (!some_rebound_.load(std::memory_order_relaxed)) return;
    for (Index c = 0; c < std::ssize(in_.contacts); ++c) {
      const ContactPoint& contact = in_.contacts[c];
      const SurfaceCoefficients surface = surface_of(contact);
      const double length = in_.world.plane_normal() ? norm(felt_normal(in_.world, contact)) : 1.0;
      const double gap = contact.gap / length;
      if (const auto speed = rebound_speed(c, surface, gap))
        rebounds.push_back(
            {c, *speed,
             surface.young > 0 ? in_.hertz[c].target(h_) : linear_springs(c, surface, gap).target});
    }
  }

  void confine(Vec3& linear, Vec3& angular) const {
    const auto& plane = in_.world.plane_normal();
    if (!plane) return;
    linear -= dot(linear, *plane) * *plane;
    angular = dot(angular, *plane) * *plane;
  }

  /// Jᵀ M⁻¹ J of one side.
  double mobility(Index body, const Vec3& linear, const Vec3& angular) const {
    if (body < 0) return 0;
    const RigidInverseMass& m = model_.inverse_mass[body];
    return m.mass * dot(linear, linear) + dot(angular, times(m.inertia, angular));
  }

  /// A bound of what `mobility` would be if no motion were locked; to tell zero from rounding.
  double full_mobility(Index body, const RigidRow& row) const {
    if (body < 0) return 0;
    const RigidInverseMass& m = model_.inverse_mass[body];
    const double inertia = m.inertia[0] + m.inertia[3] + m.inertia[5];
    const double linear = dot(row.linear_a, row.linear_a) + dot(row.linear_b, row.linear_b);
    const double angular = dot(row.angular_a, row.angular_a) + dot(row.angular_b, row.angular_b);
    return m.mass * linear + inertia * angular;
  }

  /// Confines a row to admissible motions; false if none of them moves it.
  bool is_felt(JointRow& row) const {
    row.bodies.a = body_in_problem(row.bodies.a);
    row.bodies.b = body_in_problem(row.bodies.b);
    const double full =
        full_mobility(row.bodies.a, row.jacobian) + full_mobility(row.bodies.b, row.jacobian);
    confine(row.jacobian.linear_a, row.jacobian.angular_a);
    confine(row.jacobian.linear_b, row.jacobian.angular_b);
    const double felt = mobility(row.bodies.a, row.jacobian.linear_a, row.jacobian.angular_a) +
                        mobility(row.bodies.b, row.jacobian.linear_b, row.jacobian.angular_b);
    return felt > 1e-14 * full;
  }

  void set_rows() {
    std::erase_if(in_.rows, [&](JointRow& row) { return !is_felt(row); });
    model_.row_bodies.clear();
    model_.rows.clear();
    model_.b.clear();
    problem_.row_lower.clear();
    problem_.row_upper.clear();
    for (const JointRow& row : in_.rows) {
      model_.row_bodies.push_back(row.bodies);
      model_.rows.push_back(row.jacobian);
      model_.b.push_back(row.b);
      problem_.row_lower.push_back(row.lower);
      problem_.row_upper.push_back(row.upper);
    }
    const auto free = [](const JointRow& row) {
      return row.lower == -infinity && row.upper == infinity;
    };
    if (std::ranges::all_of(in_.rows, free)) {
      problem_.row_lower.clear();
      problem_.row_upper.clear();
    }
    const auto is_elastic = [](const JointRow& row) { return row.compliance > 0; };
    if (problem_.compliance.empty() && std::ranges::none_of(in_.rows, is_elastic)) return;
    problem_.compliance.resize(problem_.impulses(), 0.0);
    for (const JointRow& row : in_.rows) problem_.compliance.push_back(row.compliance);
  }

  const StepInput& in_;
  ContactProblem& problem_;
  RigidModel& model_;
  double h_, gravity_;
  bool poisson_;
  std::atomic<bool> some_rebound_ = false;
};

} // namespace

void drop_out_of_plane_contacts(const World& world, std::vector<ContactPoint>& contacts) {
  if (!world.plane_normal()) return;
  std::erase_if(contacts, [&](const ContactPoint& contact) {
    return norm(felt_normal(world, contact)) < 1e-6;
  });
}

double restitution_threshold_of(const StepOptions& options, double gravity) {
  return options.restitution_threshold >= 0 ? options.restitution_threshold
                                            : 2 * options.step * gravity;
}

int contact_dimension(const World& world) {
  return world.materials.resists_rolling() ? 6 : 3;
}

void build_step_problem(const StepInput& input, ContactProblem& problem,
                        std::vector<Rebound>& rebounds) {
  if (!std::holds_alternative<RigidModel>(problem.model)) problem.model = RigidModel{};
  ProblemBuilder(input, problem).build(rebounds);
}

} // namespace talus
