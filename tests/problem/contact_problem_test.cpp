#include "support/random_models.h"
#include "talus/core/error.h"
#include "talus/problem/contact_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace talus {
namespace {

using test::RandomProblems;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ContactProblem, SizesFollowTheModel) {
  RandomProblems random(1);
  const ContactProblem local = random.local(2, 4, 3);
  EXPECT_EQ(local.impulses(), 8);
  EXPECT_EQ(local.equalities(), 3);
  EXPECT_EQ(local.size(), 11);
  EXPECT_EQ(local.dofs(), 0);
  const ContactProblem global = random.global(3, 4, 7, 2);
  EXPECT_EQ(global.size(), 14);
  EXPECT_EQ(global.dofs(), 7);
  const ContactProblem rigid = random.rigid(5, 4, 2);
  EXPECT_EQ(rigid.size(), 14);
  EXPECT_EQ(rigid.dofs(), 30);
}

TEST(Validate, AcceptsRandomProblems) {
  RandomProblems random(2);
  for (int k = 0; k < 50; ++k) {
    EXPECT_NO_THROW(validate(random.local(1 + k % 3, k % 7, k % 3)));
    EXPECT_NO_THROW(validate(random.global(1 + k % 3, k % 7, 1 + k % 11, k % 3)));
    EXPECT_NO_THROW(validate(random.rigid(2 + k % 9, k % 7, k % 3)));
  }
}

TEST(Validate, AcceptsProblemsWithoutContacts) {
  ContactProblem empty;
  EXPECT_NO_THROW(validate(empty));
  empty.model = GlobalModel{};
  EXPECT_NO_THROW(validate(empty));
  empty.model = RigidModel{};
  EXPECT_NO_THROW(validate(empty));
  GlobalModel free_bodies;
  free_bodies.M = RandomProblems(3).definite(6);
  free_bodies.f = Vector(6, 1.0);
  empty.model = free_bodies;
  EXPECT_NO_THROW(validate(empty));
}

TEST(Validate, AcceptsInfiniteAndEqualBoundsOfRows) {
  ContactProblem problem = RandomProblems(5).local(3, 4, 2);
  problem.row_lower = {-infinity, 0.5};
  problem.row_upper = {infinity, 0.5};
  EXPECT_NO_THROW(validate(problem));
}

/// A valid problem, one change, and a word its rejection must contain.
struct Contradiction {
  const char* word;
  std::function<ContactProblem(RandomProblems&)> make;
  std::function<void(ContactProblem&)> spoil;
};

void expect_rejected(const Contradiction& contradiction) {
  RandomProblems random(4);
  ContactProblem problem = contradiction.make(random);
  ASSERT_NO_THROW(validate(problem));
  contradiction.spoil(problem);
  try {
    validate(problem);
    ADD_FAILURE() << "accepted; expected a rejection about " << contradiction.word;
  } catch (const InvalidProblem& error) {
    EXPECT_NE(std::string(error.what()).find(contradiction.word), std::string::npos)
        << error.what() << " does not mention " << contradiction.word;
  }
}

ContactProblem a_local(RandomProblems& random) {
  return random.local(3, 4, 2);
}
ContactProblem a_global(RandomProblems& random) {
  return random.global(3, 4, 9, 2);
}
ContactProblem a_rigid(RandomProblems& random) {
  return random.rigid(5, 4, 2);
}
LocalModel& local(ContactProblem& problem) {
  return std::get<LocalModel>(problem.model);
}
GlobalModel& global(ContactProblem& problem) {
  return std::get<GlobalModel>(problem.model);
}
RigidModel& rigid(ContactProblem& problem) {
  return std::get<RigidModel>(problem.model);
}

TEST(Validate, RejectsContradictionsOfEveryModel) {
  const Contradiction table[] = {
      {"dimension", a_local, [](auto& p) { p.dimension = 0; }},
      {"dimension", a_local, [](auto& p) { p.dimension = 5; }},
      {"q has 12 entries", a_local, [](auto& p) { p.dimension = 2; }},
      {"mu[2]", a_local, [](auto& p) { p.mu[2] = -0.1; }},
      {"mu[1]", a_local, [](auto& p) { p.mu[1] = nan; }},
      {"mu[1]", a_local, [](auto& p) { p.mu[1] = infinity; }},
      {"mu[1] is 10001; at most 10000", a_local, [](auto& p) { p.mu[1] = 10001; }},
      {"q has", a_local, [](auto& p) { p.mu.push_back(0.1); }},
      {"facets", a_local,
       [](auto& p) {
         p.friction = {FrictionKind::polyhedron, 7};
       }},
      {"facets", a_local,
       [](auto& p) {
         p.friction = {FrictionKind::prism, 2};
       }},
      {"normal_estimate", a_local, [](auto& p) { p.friction.kind = FrictionKind::box; }},
      {"normal_estimate", a_local,
       [](auto& p) {
         p.normal_estimate = {1, 1, 1};
       }},
      {"normal_estimate[3]", a_local,
       [](auto& p) {
         p.normal_estimate = {1, 1, 1, -1};
       }},
      {"compliance", a_local, [](auto& p) { p.compliance = Vector(12, 0.0); }},
      {"compliance[13]", a_local,
       [](auto& p) {
         p.compliance = Vector(14, 0.0);
         p.compliance[13] = -1;
       }},
      {"row_lower is given without row_upper", a_local,
       [](auto& p) {
         p.row_lower = {0, 0};
       }},
      {"row_upper is given without row_lower", a_rigid,
       [](auto& p) {
         p.row_upper = {0, 0};
       }},
      {"row_lower has 1", a_global,
       [](auto& p) {
         p.row_lower = {0};
         p.row_upper = {1, 1};
       }},
      {"row_upper has 3", a_local,
       [](auto& p) {
         p.row_lower = {0, 0};
         p.row_upper = {1, 1, 1};
       }},
      {"row_lower[1] is 2", a_local,
       [](auto& p) {
         p.row_lower = {0, 2};
         p.row_upper = {1, 1};
       }},
      {"row_upper[0] is nan", a_local,
       [](auto& p) {
         p.row_lower = {-infinity, 0};
         p.row_upper = {nan, 1};
       }},
      {"row_lower[0] is inf", a_local,
       [](auto& p) {
         p.row_lower = {infinity, 0};
         p.row_upper = {infinity, 1};
       }},
  };
  for (const Contradiction& contradiction : table) expect_rejected(contradiction);
}

TEST(Validate, RejectsContradictionsOfLocalModels) {
  const Contradiction table[] = {
      {"q[3]", a_local, [](auto& p) { local(p).q[3] = nan; }},
      {"q has 11", a_local, [](auto& p) { local(p).q.pop_back(); }},
      {"W is 11 x 12", a_local, [](auto& p) { local(p).W = zero_matrix(11, 12); }},
      {"finite", a_local, [](auto& p) { local(p).W.value[5] = infinity; }},
      {"lengths", a_local, [](auto& p) { local(p).W.row_start.pop_back(); }},
      {"lengths", a_local, [](auto& p) { local(p).W.column.pop_back(); }},
      {"lengths", a_local, [](auto& p) { local(p).W.row_start.clear(); }},
      {"negative number", a_local, [](auto& p) { local(p).W.row_start[3] = 1 << 20; }},
      {"column 12", a_local, [](auto& p) { local(p).W.column[5] = 12; }},
      {"column -1", a_local, [](auto& p) { local(p).W.column[5] = -1; }},
      {"sorted", a_local,
       [](auto& p) {
         SparseMatrix full = from_triplets(12, 12, {{3, 4, 1.0}, {3, 6, 1.0}});
         full.column[1] = 4;
         local(p).W = full;
       }},
      {"V is", a_local, [](auto& p) { local(p).V = zero_matrix(12, 3); }},
      {"V is", a_local, [](auto& p) { local(p).s.clear(), local(p).R = {}; }},
      {"R is", a_local, [](auto& p) { local(p).R = zero_matrix(2, 3); }},
      {"U is", a_local, [](auto& p) { local(p).U = zero_matrix(12, 2); }},
      {"s[0]", a_local, [](auto& p) { local(p).s[0] = nan; }},
  };
  for (const Contradiction& contradiction : table) expect_rejected(contradiction);
}

TEST(Validate, RejectsContradictionsOfGlobalModels) {
  const Contradiction table[] = {
      {"M is", a_global, [](auto& p) { global(p).M = zero_matrix(9, 8); }},
      {"f has", a_global, [](auto& p) { global(p).f.pop_back(); }},
      {"w has", a_global, [](auto& p) { global(p).w.push_back(0); }},
      {"H is", a_global, [](auto& p) { global(p).H = transpose(global(p).H); }},
      {"H is", a_global, [](auto& p) { global(p).H = SparseMatrix{}; }},
      {"G is", a_global, [](auto& p) { global(p).b.pop_back(); }},
      {"b[1]", a_global, [](auto& p) { global(p).b[1] = -infinity; }},
      {"M(0, 0)", a_global, [](auto& p) { global(p).M.value[0] = nan; }},
  };
  for (const Contradiction& contradiction : table) expect_rejected(contradiction);
}

TEST(Validate, RejectsContradictionsOfRigidModels) {
  const Contradiction table[] = {
      {"free_velocity", a_rigid, [](auto& p) { rigid(p).free_velocity.pop_back(); }},
      {"free_velocity[7]", a_rigid, [](auto& p) { rigid(p).free_velocity[7] = nan; }},
      {"rigid contacts", a_rigid, [](auto& p) { rigid(p).contacts.pop_back(); }},
      {"w has", a_rigid, [](auto& p) { rigid(p).w.pop_back(); }},
      {"b has", a_rigid, [](auto& p) { rigid(p).b.pop_back(); }},
      {"3 pairs", a_rigid, [](auto& p) { rigid(p).contact_bodies.pop_back(); }},
      {"contact 2 names body 5", a_rigid, [](auto& p) { rigid(p).contact_bodies[2].a = 5; }},
      {"contact 2 names body -2", a_rigid, [](auto& p) { rigid(p).contact_bodies[2].b = -2; }},
      {"equality row 1 names body 5", a_rigid, [](auto& p) { rigid(p).row_bodies[1].b = 5; }},
      {"both sides", a_rigid,
       [](auto& p) {
         rigid(p).contact_bodies[0] = {1, 1};
       }},
      {"inverse mass", a_rigid, [](auto& p) { rigid(p).inverse_mass[2].mass = -1; }},
      {"semidefinite", a_rigid, [](auto& p) { rigid(p).inverse_mass[2].inertia[0] = -1; }},
      {"semidefinite", a_rigid, [](auto& p) { rigid(p).inverse_mass[2].inertia[1] = 9; }},
      {"semidefinite", a_rigid, [](auto& p) { rigid(p).inverse_mass[3].inertia[1] = 1e-3; }},
      {"semidefinite", a_rigid,
       [](auto& p) { // every minor of two rows is positive, the determinant is not
         const double indefinite[] = {1, -0.9, -0.9, 1, -0.9, 1};
         std::ranges::copy(indefinite, rigid(p).inverse_mass[2].inertia);
       }},
      {"not finite", a_rigid, [](auto& p) { rigid(p).inverse_mass[2].inertia[1] = nan; }},
      {"normal", a_rigid, [](auto& p) { rigid(p).contacts[1].normal *= 1.01; }},
      {"tangent", a_rigid, [](auto& p) { rigid(p).contacts[1].tangent = Vec3{}; }},
      {"orthogonal", a_rigid,
       [](auto& p) { rigid(p).contacts[1].tangent = rigid(p).contacts[1].normal; }},
      {"arm", a_rigid, [](auto& p) { rigid(p).contacts[1].arm_b.y = nan; }},
      {"Jacobian", a_rigid, [](auto& p) { rigid(p).rows[0].angular_a.z = nan; }},
      {"dimension 3", a_rigid,
       [](auto& p) {
         p.dimension = 2;
         p.friction.kind = FrictionKind::none;
       }},
  };
  for (const Contradiction& contradiction : table) expect_rejected(contradiction);
}

Vec3 point_velocity(ConstSpan v, Index body, const Vec3& arm) {
  if (body < 0) return {};
  const double* at = &v[6 * static_cast<std::size_t>(body)];
  return Vec3{at[0], at[1], at[2]} + cross({at[3], at[4], at[5]}, arm);
}

/// u of a rigid contact by its definition.
Vec3 relative_velocity(const RigidModel& model, Index c, ConstSpan v) {
  const RigidContact& contact = model.contacts[c];
  const BodyPair pair = model.contact_bodies[c];
  const Vec3 relative =
      point_velocity(v, pair.b, contact.arm_b) - point_velocity(v, pair.a, contact.arm_a);
  return {dot(contact.normal, relative), dot(contact.tangent, relative),
          dot(cross(contact.normal, contact.tangent), relative)};
}

double row_velocity(const RigidModel& model, Index j, ConstSpan v) {
  const RigidRow& row = model.rows[j];
  const auto side = [&](Index body, const Vec3& linear, const Vec3& angular) {
    if (body < 0) return 0.0;
    const double* at = &v[6 * static_cast<std::size_t>(body)];
    return dot(linear, {at[0], at[1], at[2]}) + dot(angular, {at[3], at[4], at[5]});
  };
  return side(model.row_bodies[j].a, row.linear_a, row.angular_a) +
         side(model.row_bodies[j].b, row.linear_b, row.angular_b);
}

/// Random velocities of the mobile entries, prescribed ones for the others.
Vector random_velocity(RandomProblems& random, const RigidModel& model) {
  Vector v = model.free_velocity;
  for (const Index dof : mobile_dofs(model)) v[dof] = random.number();
  return v;
}

Vector mobile_part(const RigidModel& model, ConstSpan v) {
  Vector part;
  for (const Index dof : mobile_dofs(model)) part.push_back(v[dof]);
  return part;
}

TEST(ToGlobal, KeepsVelocitiesOfContactsAndRows) {
  RandomProblems random(5);
  for (int k = 0; k < 50; ++k) {
    const ContactProblem problem = random.rigid(2 + k % 8, 1 + k % 9, k % 4);
    const RigidModel& model = std::get<RigidModel>(problem.model);
    const GlobalModel global = to_global(problem);
    const Vector v = random_velocity(random, model);
    const Vector reduced = mobile_part(model, v);
    ASSERT_EQ(global.M.rows, static_cast<Index>(reduced.size()));

    Vector u(problem.impulses());
    multiply(transpose(global.H), reduced, u);
    for (Index c = 0; c < problem.contacts(); ++c) {
      const Vec3 expected = relative_velocity(model, c, v);
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(u[3 * c + i] + global.w[3 * c + i], expected[i] + model.w[3 * c + i], 1e-13);
    }
    Vector y(problem.equalities());
    if (problem.equalities() > 0) multiply(transpose(global.G), reduced, y);
    for (Index j = 0; j < problem.equalities(); ++j)
      EXPECT_NEAR(y[j] + global.b[j], row_velocity(model, j, v) + model.b[j], 1e-13);
  }
}

TEST(ToGlobal, MassesAreInversesOfInverseMasses) {
  RandomProblems random(6);
  for (int k = 0; k < 50; ++k) {
    const ContactProblem problem = random.rigid(2 + k % 8, 3, 0);
    const RigidModel& model = std::get<RigidModel>(problem.model);
    const GlobalModel global = to_global(problem);
    EXPECT_EQ(asymmetry(global.M), 0);
    // M⁻¹ applied to f must give back the free velocity.
    Index at = 0;
    for (const RigidInverseMass& m : model.inverse_mass) {
      if (m.mass == 0) continue;
      const double* f = &global.f[at];
      const double* j = m.inertia;
      const double v[6] = {m.mass * f[0],
                           m.mass * f[1],
                           m.mass * f[2],
                           j[0] * f[3] + j[1] * f[4] + j[2] * f[5],
                           j[1] * f[3] + j[3] * f[4] + j[4] * f[5],
                           j[2] * f[3] + j[4] * f[4] + j[5] * f[5]};
      const Vector expected = mobile_part(model, model.free_velocity);
      for (int i = 0; i < 6; ++i) EXPECT_NEAR(v[i], expected[at + i], 1e-13);
      at += 6;
    }
    EXPECT_EQ(at, global.M.rows);
  }
}

TEST(ToGlobal, DropsLockedAxesOnly) {
  RandomProblems random(7);
  ContactProblem problem = random.rigid(2, 3, 0);
  RigidModel& model = std::get<RigidModel>(problem.model);
  model.inverse_mass[0] = {0.5, {0, 0, 0, 0, 0, 4}};    // turns about z alone
  model.inverse_mass[1] = {0, {2, 0.5, 0, 1, 0, 1e-3}}; // turns about a fixed point
  const GlobalModel global = to_global(problem);
  EXPECT_EQ(mobile_dofs(model), (std::vector<Index>{0, 1, 2, 5, 9, 10, 11}));
  ASSERT_EQ(global.M.rows, 7);
  EXPECT_EQ(entry(global.M, 0, 0), 2);
  EXPECT_EQ(entry(global.M, 3, 3), 0.25);
  EXPECT_NEAR(entry(global.M, 4, 4), 1 / 1.75, 1e-15);
  EXPECT_NEAR(entry(global.M, 4, 5), -0.5 / 1.75, 1e-15);
  EXPECT_NEAR(entry(global.M, 6, 6), 1e3, 1e-12);
  const Vector v = random_velocity(random, model);
  Vector u(problem.impulses());
  multiply(transpose(global.H), mobile_part(model, v), u);
  for (Index c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(u[3 * c + i] + global.w[3 * c + i],
                  relative_velocity(model, c, v)[i] + model.w[3 * c + i], 1e-14);
}

TEST(ToGlobal, RefusesWhatItCannotExpress) {
  RandomProblems random(8);
  EXPECT_THROW(to_global(random.local(3, 2, 0)), InvalidProblem);
  ContactProblem problem = random.rigid(2, 3, 0);
  std::get<RigidModel>(problem.model).inverse_mass[0] = {1, {1, 1, 0, 1, 0, 1}};
  EXPECT_THROW(to_global(problem), InvalidProblem);
}

TEST(ToGlobal, ReturnsGlobalModelsUnchanged) {
  RandomProblems random(9);
  const ContactProblem problem = random.global(3, 3, 8, 1);
  const GlobalModel copy = to_global(problem);
  EXPECT_EQ(copy.H.value, std::get<GlobalModel>(problem.model).H.value);
  EXPECT_EQ(copy.b, std::get<GlobalModel>(problem.model).b);
}

} // namespace
} // namespace talus
