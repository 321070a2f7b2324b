#pragma once
// A step over ranks in stages, over one work space (rank_simulation.h):
//
//     predict   (rank_collide.cpp)   free velocities of own and large bodies, envelope
//     gather    (rank_collide.cpp)   bodies of higher ranks that come near: ghosts
//     collide   (rank_collide.cpp)   contacts that this rank owns, in the order of their cells
//     build     (rank_build.cpp)     their problem, start, and the contacts of lower ranks
//     solve     (rank_build.cpp)
//     advance   (rank_advance.cpp)   states, report, who owns what from now on
//
// Bodies have global numbers (those of the world) and, within a step, numbers in `here`, the world
// of the bodies that this rank sees, which are in the same order.

#include "talus/cluster/rank_operator.h"
#include "talus/cluster/rank_simulation.h"
#include "talus/collide/collision.h"
#include "talus/step/assembly/joint_drift.h"
#include "talus/step/assembly/step_problem.h"

namespace talus {

struct RankSimulation::Engine {
  Engine(World w, StepOptions o, Ranks& r, RankOptions ro);

  /// A body on its way to another rank.
  struct BodyPacket {
    Index body = 0;
    BodyState state;
    double velocity[6] = {}; ///< At the step's end without contacts; of ghosts only.
  };
  struct ImpulsePacket {
    CachedImpulse impulse;
    Vec3 normal;
  };
  /// A contact as the owner of one of its bodies needs it.
  struct ContactPacket {
    Index body = 0;
    int side = 0;
    RigidContact contact;
  };

  World whole; ///< States are up to date of own and large bodies, and of ghosts within a step.
  StepOptions options;
  std::shared_ptr<Solver> solver;
  Ranks& ranks;
  RankOptions rank_options;
  double time = 0;
  std::int64_t steps = 0;
  StepReport report;

  // What never changes.
  std::vector<double> radii;                ///< Of all bodies.
  std::vector<char> is_large;               ///< Of all bodies.
  std::vector<Index> large;                 ///< Ascending.
  std::vector<Index> first_collider;        ///< Of all bodies.
  std::vector<ColliderInfo> colliders;      ///< Of all bodies, in their order.
  double least_radius = 0, most_radius = 0; ///< Of dynamic bodies; of those that are not large.
  CellGrid grid;

  // Who owns what.
  CellOwners owners;
  std::vector<Index> own; ///< Ascending.
  WarmStart cache;        ///< Of contacts that this rank would own now; rows are on all ranks.

  // Work space of one step.
  std::vector<Index> seen;   ///< Bodies of `here`, by their global numbers.
  std::vector<int> owner_of; ///< Of these, -1 for large ones.
  World here;
  std::vector<double> radii_here;
  Vector velocity; ///< In the order of `here`.
  std::vector<ContactPoint>
      contacts;                ///< With global numbers of colliders and those of bodies in `here`.
  std::vector<CellCode> cells; ///< Of each contact: 0 between large bodies, else 1 + its code.
  Vector start;                ///< In world axes, then in the frames of the contacts.
  std::vector<JointRow> rows;
  JointDrift drift;
  std::vector<double> coordinates;
  std::vector<Rebound> rebounds;
  ContactProblem problem;
  RigidModel foreign;
  CollisionDetector detector;
  SolveResult result;
  std::int64_t all_contacts = 0;

  void refuse_what_does_not_work() const;
  void choose_large_bodies();
  void list_colliders_of_whole();
  void distribute();
  bool has_yielding_contacts() const {
    return whole.materials.has_yielding_contacts(options.relative_compliance);
  }
  bool starts_warm() const { return options.warm_start || has_yielding_contacts(); }
  CellCode cell_of(Index body) const { return grid.cell_of(whole.states()[body].pose.position); }
  /// Who will have the contact of a cached impulse, if there is one in the next step.
  int next_owner(const CachedImpulse& cached) const;
  bool owns(Index seen_number) const { return owner_of[seen_number] == ranks.rank(); }

  /// Whether sums over all bodies have this one from this rank.
  bool counts_here(Index seen_number) const {
    return owns(seen_number) || (owner_of[seen_number] < 0 && ranks.rank() == 0);
  }

  void run_step();

  // Predict and collide.
  void see(std::vector<Index> bodies);
  void predict(StepReport& now);
  void gather_ghosts(double envelope);
  void collide(double envelope);
  void keep_own_contacts();
  void number_colliders(std::span<const Collider> list);
  void sort_by_cells();

  // Build and solve.
  void build(StepReport& now);
  void colour_cells(double envelope, Division& division);
  Sharing connect_bodies(double envelope);
  void solve_problem(StepReport& now);

  // Advance.
  void make_next_states(std::vector<BodyState>& next) const;
  void count_outrunning_bodies(StepReport& now);
  void measure(const std::vector<BodyState>& next, StepReport& now);
  void commit(const std::vector<BodyState>& next);
  void remember();
  void hand_over();
};

} // namespace talus
