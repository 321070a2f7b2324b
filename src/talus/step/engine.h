#pragma once
// A step as four stages over one work space, in the order in which they run:
//
//     collide   (stage_collide.cpp)   free velocities, colliders → contacts, in spatial order
//     build     (stage_build.cpp)     contacts, joints, last impulses → problem and start
//     solve     (stage_solve.cpp)     problem → impulses and velocities, judged
//     advance   (stage_advance.cpp)   velocities → states at the end of the step, report
//
// Only `advance` changes what a caller can see. step_memory.cpp alone decides what is kept from
// step to step, and when a large step gives memory back.

#include "talus/collide/collision.h"
#include "talus/core/large_problem.h"
#include "talus/step/assembly/drag.h"
#include "talus/step/assembly/joint_closing.h"
#include "talus/step/assembly/joint_drift.h"
#include "talus/step/assembly/joint_rows.h"
#include "talus/step/assembly/spatial_order.h"
#include "talus/step/assembly/step_problem.h"
#include "talus/step/laws/cohesion.h"
#include "talus/step/simulation.h"

namespace talus {

struct Simulation::Engine {
  Engine(World w, StepOptions o);

  World world;
  StepOptions options;
  std::shared_ptr<Solver> solver;
  double time = 0;
  std::int64_t steps = 0;
  StepReport report;

  // The impulses that the next solve starts from (step_memory.cpp).
  WarmStart cache;             ///< Of the last step, once remember_last_step() has listed it.
  double step_to_remember = 0; ///< The length of a step that is still to be listed, else 0.
  std::vector<Bond> bonds;     ///< Of the last step.

  // Follow the world's revision.
  std::int64_t revision = -1;
  CollisionDetector detector;
  std::vector<Collider> colliders; ///< None while they are not listed.
  std::vector<ColliderInfo> collider_infos;
  std::vector<Transform> shape_poses; ///< In the bodies' frames; empty when all lie in them.
  std::vector<double> radii;
  Surroundings surroundings;

  // Work space of one step.
  std::vector<Wrench> wrenches;
  Vector velocity;      ///< In the world's order, without contacts, then with them.
  Vector pose_velocity; ///< With which poses move instead, where joints would come apart; or empty.
  std::vector<ContactPoint> contacts;
  SpatialOrder order; ///< Of `contacts`, and of the problem's bodies.
  std::vector<JointRow> rows;
  JointDrift drift;
  std::vector<Rebound> rebounds;
  Bonds bonds_now; ///< Those that the step begins with; its pull is empty without cohesion.
  std::vector<double> coordinates;
  std::vector<HertzContact> hertz; ///< Of `contacts`; empty without materials of Hertz' law.
  Vector last_shear;               ///< What the cache has of the shear compliance of `contacts`.
  ContactProblem problem;
  SolveOptions solve_options;
  SolveResult result; ///< Its x is the start of the solve before it is the answer.
  SolveWorkspace workspace;
  std::vector<Vec3> impulses;
  bool impulses_are_known = true; ///< False after a step until somebody asks for them.

  void run_step();
  void set_options(StepOptions changed);
  /// Throws StepStopped once StepOptions::stop is set.
  void require_going_on() const;
  [[noreturn]] void throw_stopped() const;
  bool has_yielding_contacts() const {
    return world.materials.has_yielding_contacts(options.relative_compliance);
  }

  // Collide.
  void remove_bodies_due();
  void follow_world();
  void predict();
  void place_colliders();
  void collide(StepReport& now);

  // Build.
  void build(StepReport& now);

  // Solve.
  void run_solver();
  /// The step as it stands, to close its joints.
  JointedStep jointed_step();
  /// Replaces Newton's rebounds by Poisson's (assembly/poisson.h); the iterations that it took.
  long rebound_by_poisson();
  SolveResult solve_part(ContactProblem& part, const Vector& start);
  void keep_springs_from_creating_energy();
  void keep_rebounds_from_creating_energy(StepReport& now);
  void solve_problem(StepReport& now);
  std::string contradiction_in_words() const;

  // Advance.
  void take_velocities();
  BodyState next_state(Index body) const;
  void require_finite_next_states() const;
  void commit(StepReport& now);

  // Memory.
  /// Each stage of a large step gives its work space back, for the others to use the memory.
  bool is_large() const { return talus::is_large(static_cast<Index>(contacts.size())); }
  void take_warm_start();
  void find_bonds_of_step();
  void remember_last_step();
  void release_last_step();
  void release_after_collide();
  void release_after_sorting();
  void release_after_build();
  void release_after_solve();
  /// Frees the impulses of the last step once the solve has its start, where the step is large.
  void forget_impulses_of_large_step();
  void forget_contacts();
  std::span<const Vec3> impulses_in_world_axes();
};

} // namespace talus
