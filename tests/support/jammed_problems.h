#pragma once
// Contact problems of one time step in which bodies are squeezed: without a solution, or with one
// whose impulses are very large. Spheres between plates and in wedges, rows of balls too long for
// their box, bodies held by joints against contacts.

#include "support/random_problems.h"

#include <functional>
#include <string>

namespace talus::test {

struct JammedProblem {
  std::string name;
  ContactProblem problem;
  bool has_solution = false;
  std::vector<Index> contradiction; ///< The contacts that push against each other.
};

/// Collects bodies and contacts of spheres.
class JamBuilder {
public:
  /// A sphere with inverse mass `inverse_mass` (0: prescribed motion) and a velocity.
  Index sphere(double inverse_mass, const Vec3& velocity) {
    RigidInverseMass m;
    m.mass = inverse_mass;
    m.inertia[0] = m.inertia[3] = m.inertia[5] = 2.5 * inverse_mass;
    model_.inverse_mass.push_back(m);
    model_.free_velocity.insert(model_.free_velocity.end(),
                                {velocity.x, velocity.y, velocity.z, 0, 0, 0});
    return static_cast<Index>(model_.inverse_mass.size()) - 1;
  }
  /// The normal points from a to b; both touch at a distance of one from their centres.
  Index contact(Index a, Index b, const Vec3& normal, double mu, double closing_gap_rate = 0) {
    model_.contact_bodies.push_back({a, b});
    model_.contacts.push_back({normal, orthogonal_unit(normal), normal, -1.0 * normal});
    model_.w.insert(model_.w.end(), {closing_gap_rate, 0.0, 0.0});
    mu_.push_back(mu);
    return static_cast<Index>(mu_.size()) - 1;
  }
  /// Holds the body's motion along an axis of the world.
  void hold(Index body, const Vec3& axis) {
    model_.row_bodies.push_back({-1, body});
    model_.rows.push_back({{}, {}, axis, {}});
    model_.b.push_back(0);
  }
  ContactProblem problem() const {
    ContactProblem result;
    result.mu = mu_;
    result.model = model_;
    return result;
  }

private:
  RigidModel model_;
  Vector mu_;
};

class JammedProblems {
public:
  explicit JammedProblems(unsigned seed) : random_(seed) {}

  JammedProblem next() {
    using Make = JammedProblem (JammedProblems::*)();
    constexpr Make kinds[] = {&JammedProblems::press,      &JammedProblems::two_plates,
                              &JammedProblems::wedge,      &JammedProblems::row_in_box,
                              &JammedProblems::joint,      &JammedProblems::narrow_wedge,
                              &JammedProblems::heavy_pile, &JammedProblems::overlap_between_walls};
    JammedProblem jam = (this->*kinds[count_++ % std::size(kinds)])();
    jam.problem.title = jam.name;
    return jam;
  }

private:
  double logarithmic(double low, double high) {
    return std::pow(10.0, uniform(random_, std::log10(low), std::log10(high)));
  }
  double inverse_mass() { return logarithmic(1e-2, 1e2); }
  double speed() { return logarithmic(1e-3, 1e2); }
  double friction() { return uniform(random_, 0, 1) < 0.2 ? 0 : uniform(random_, 0, 1); }
  Vec3 falling() { return {0, 0, -0.05}; }

  /// A ball on the floor under a plate that comes down.
  JammedProblem press() {
    JamBuilder b;
    const Index ball = b.sphere(inverse_mass(), falling());
    const Index plate = b.sphere(0, {0, 0, -speed()});
    const Index floor = b.contact(-1, ball, {0, 0, 1}, friction());
    const Index top = b.contact(ball, plate, {0, 0, 1}, friction());
    return {"press", b.problem(), false, {floor, top}};
  }
  /// A ball between two driven plates, beside one that is free.
  JammedProblem two_plates() {
    JamBuilder b;
    const Vec3 axis = random_direction(random_);
    const double v = speed();
    const Index ball = b.sphere(inverse_mass(), random_vector(random_, v));
    const Index left = b.sphere(0, v * axis), right = b.sphere(0, -0.5 * v * axis);
    const Index one = b.contact(left, ball, axis, friction());
    const Index other = b.contact(ball, right, axis, friction());
    const Index free = b.sphere(inverse_mass(), falling());
    b.contact(-1, free, {0, 0, 1}, friction());
    return {"two plates", b.problem(), false, {one, other}};
  }
  /// A ball pressed into a wedge from above: three normals that balance each other.
  JammedProblem wedge() {
    JamBuilder b;
    const double angle = uniform(random_, 0.2, 1.3);
    const Vec3 left{std::cos(angle), 0, std::sin(angle)},
        right{-std::cos(angle), 0, std::sin(angle)};
    const Index ball = b.sphere(inverse_mass(), falling());
    const Index plate = b.sphere(0, {0, 0, -speed()});
    return {"wedge",
            (b.contact(-1, ball, left, friction()), b.contact(-1, ball, right, friction()),
             b.contact(ball, plate, {0, 0, 1}, friction()), b.problem()),
            false,
            {0, 1, 2}};
  }
  /// Balls in a row between two walls of which one comes nearer.
  JammedProblem row_in_box() {
    JamBuilder b;
    const int balls = std::uniform_int_distribution<int>(2, 12)(random_);
    const double v = speed();
    std::vector<Index> contacts;
    Index last = -1;
    for (int k = 0; k < balls; ++k) {
      const Index ball = b.sphere(inverse_mass(), falling());
      contacts.push_back(b.contact(last, ball, {1, 0, 0}, friction()));
      last = ball;
    }
    const Index wall = b.sphere(0, {-v, 0, 0});
    contacts.push_back(b.contact(last, wall, {1, 0, 0}, friction()));
    // Balls on the floor, too: these contacts have no part in it.
    for (Index ball = 0; ball < balls; ++ball) b.contact(-1, ball, {0, 0, 1}, friction());
    return {"row", b.problem(), false, contacts};
  }
  /// A ball that joints hold against a driven plate.
  JammedProblem joint() {
    JamBuilder b;
    const Index ball = b.sphere(inverse_mass(), falling());
    const Index plate = b.sphere(0, {0, 0, -speed()});
    const Index top = b.contact(ball, plate, {0, 0, 1}, friction());
    for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) b.hold(ball, axis);
    return {"joint", b.problem(), false, {top}};
  }
  /// Two plates that close like scissors and squeeze a ball out, faster the smaller their angle.
  JammedProblem narrow_wedge() {
    JamBuilder b;
    const double angle = logarithmic(1e-12, 0.3);
    const Vec3 below{std::sin(angle), 0, std::cos(angle)},
        above{-std::sin(angle), 0, std::cos(angle)};
    const Index ball = b.sphere(inverse_mass(), {});
    const Index plate = b.sphere(0, {0, 0, -speed()});
    b.contact(-1, ball, below, 0.0);
    b.contact(ball, plate, above, 0.0);
    return {"narrow wedge", b.problem(), true, {}};
  }
  /// A heavy body on a light one on the floor: large impulses, and a solution.
  JammedProblem heavy_pile() {
    JamBuilder b;
    const Index light = b.sphere(1, falling());
    const Index heavy = b.sphere(logarithmic(1e-8, 1e-2), falling());
    b.contact(-1, light, {0, 0, 1}, friction());
    b.contact(light, heavy, {0, 0, 1}, friction());
    return {"heavy on light", b.problem(), true, {}};
  }
  /// Overlapping balls between two walls at rest: every contact wants to open.
  JammedProblem overlap_between_walls() {
    JamBuilder b;
    const int balls = std::uniform_int_distribution<int>(1, 6)(random_);
    std::vector<Index> contacts;
    Index last = -1;
    for (int k = 0; k < balls; ++k) {
      const Index ball = b.sphere(inverse_mass(), {});
      contacts.push_back(b.contact(last, ball, {0, 1, 0}, friction(), -speed()));
      last = ball;
    }
    contacts.push_back(b.contact(last, -1, {0, 1, 0}, friction(), -speed()));
    return {"overlap between walls", b.problem(), false, contacts};
  }

  Random random_;
  std::size_t count_ = 0;
};

} // namespace talus::test
