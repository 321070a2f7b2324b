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
//     hand over (rank_bodies.cpp)    bodies, impulses and bonds to their new owners
//
// Bodies have global numbers, those of the whole world, which no rank has. `here` is the world of
// the bodies that this rank has: large ones, its own, and within a step ghosts. They are in the
// order of their global numbers (`seen`). Colliders of contacts, impulses and bonds are global.

#include "talus/cluster/rank_operator.h"
#include "talus/cluster/rank_simulation.h"
#include "talus/cluster/world_share.h"
#include "talus/collide/collision.h"
#include "talus/step/assembly/drag.h"
#include "talus/step/assembly/joint_closing.h"
#include "talus/step/assembly/joint_drift.h"
#include "talus/step/assembly/joint_rows.h"
#include "talus/step/assembly/step_problem.h"
#include "talus/step/laws/cohesion.h"
#include "talus/step/laws/hertz_contacts.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace talus {

struct RankSimulation::Engine {
  Engine(WorldShare share, StepOptions o, Ranks& r, RankOptions ro);

  /// What ghosts bring besides themselves.
  struct GhostPacket {
    double velocity[6] = {}; ///< At the step's end without contacts.
    AddedMass added;
  };
  struct StatePacket {
    Index body = 0;
    bool removed = false;
    BodyState state;
  };
  struct ImpulsePacket {
    CachedImpulse impulse;
    Vec3 normal, moment; ///< Where the cache has them.
    double shear = 0;
  };
  /// A contact as the owner of one of its bodies needs it.
  struct ContactPacket {
    Index body = 0;
    int side = 0;
    RigidContact contact;
    double length = 0; ///< Of a contact with moments (delassus.h).
  };

  StepOptions options;
  std::shared_ptr<Solver> solver;
  Ranks& ranks;
  RankOptions rank_options;
  double time = 0;
  std::int64_t steps = 0;
  StepReport report;

  // What never changes.
  ColliderRuns colliders; ///< Of all bodies.
  ShapeTable shapes;
  std::vector<std::pair<Index, Index>> exclusions; ///< Pairs of all bodies that do not touch.
  double least_radius = 0, most_radius = 0; ///< Of dynamic bodies; of those that are not large.
  bool has_removals = false;
  CellGrid grid;

  // Who owns what.
  CellOwners owners;
  World here;
  // Of the bodies of `here`.
  std::vector<Index> seen;        ///< Their global numbers, ascending.
  std::vector<int> owner_of;      ///< -1 of large ones.
  std::vector<double> radii_here; ///< Bounding radii.
  std::vector<double> removed_at; ///< When they will be removed, or infinity.
  WarmStart cache;           ///< Of contacts that this rank would own now; rows are on all ranks.
  std::vector<Bond> bonds;   ///< Of such contacts; sorted.
  std::vector<Bond> severed; ///< Those that are broken for good, on all ranks; sorted.

  // Work space of one step.
  Surroundings surroundings;
  std::vector<AddedMass> added_mass; ///< In the order of `here`, or empty.
  Vector velocity;                   ///< In the order of `here`.
  Vector pose_velocity; ///< With which poses move instead, where joints would come apart; or empty.
  std::vector<ContactPoint>
      contacts;                ///< With global numbers of colliders and those of bodies in `here`.
  std::vector<CellCode> cells; ///< Of each contact: 0 between large bodies, else 1 + its code.
  Vector start;                ///< In world axes, then in the frames of the contacts.
  Vector last_shear;           ///< What the cache has of the shear compliance of `contacts`.
  Bonds bonds_now;             ///< Of `contacts`; its pull is empty without cohesion.
  std::vector<HertzContact> hertz;
  std::vector<JointRow> rows;
  JointDrift drift;
  std::vector<double> coordinates;
  std::vector<Rebound> rebounds;
  ContactProblem problem;
  RigidModel foreign;
  Vector foreign_lengths; ///< Of its contacts, where there are moments.
  CollisionDetector detector;
  SolveResult result;
  std::int64_t all_contacts = 0;
  bool keeps_contacts = false; ///< For files.
  bool has_answer = false;     ///< Contacts, problem and result are those of a step that was made.
  /// Of the bodies of each contact, at the start of the step that is done; or empty.
  std::vector<std::array<Vec3, 2>> centres;

  void refuse_what_does_not_work() const;
  int dimension() const { return contact_dimension(here); }
  double penetration() const;
  bool is_cohesive() const { return here.materials.is_cohesive(); }
  bool has_yielding_contacts() const {
    return here.materials.has_yielding_contacts(options.relative_compliance);
  }
  bool starts_warm() const { return options.warm_start || has_yielding_contacts(); }
  CellCode cell_of(Index k) const { return grid.cell_of(here.states()[k].pose.position); }
  Index place(Index body) const {
    return static_cast<Index>(std::ranges::lower_bound(seen, body) - seen.begin());
  }
  Index own_bodies() const {
    return static_cast<Index>(std::ranges::count(owner_of, ranks.rank()));
  }

  // Who has which bodies (rank_bodies.cpp); all but next_owner() and drop_ghosts() are for all
  // ranks together.
  void choose_large_bodies();
  double radius_limit() const;
  void share_large_bodies(double limit);
  double global_least_radius() const;
  void distribute();
  void remove_bodies_due();
  /// Takes bodies out of `here` and others in, and returns their places.
  std::vector<Index> regroup_bodies(std::span<const char> leaves, std::vector<Traveller> arrivals,
                                    const std::vector<int>& owners_of_arrivals);
  Traveller traveller(Index k) const;
  void drop_ghosts();
  /// Sends own bodies to these ranks, one for each body of `here`, and forgets ghosts.
  void migrate(std::vector<int> to);
  bool owns(Index seen_number) const { return owner_of[seen_number] == ranks.rank(); }

  /// Whether sums over all bodies have this one from this rank.
  bool counts_here(Index seen_number) const {
    return owns(seen_number) || (owner_of[seen_number] < 0 && ranks.rank() == 0);
  }

  void run_step();
  void release_last_step();

  // Predict and collide.
  void predict(StepReport& now);
  void gather_ghosts(double envelope);
  void collide(double envelope);
  void keep_own_contacts();
  void number_colliders(std::span<const Collider> list);
  void find_bonds_of_step();
  void sort_by_cells();

  /// Pairs of bodies of this rank's contacts, the deepest first (analysis/rank_overlaps.cpp).
  std::vector<Overlap> overlaps_here(double share);

  // Build and solve.
  void build(StepReport& now);
  void colour_cells(double envelope, Division& division);
  Sharing connect_bodies(double envelope);
  /// The operator of `of`, which is the problem as it stands or differs from it in numbers that are
  /// not geometry, with its connections.
  std::unique_ptr<DelassusOperator> connected_operator(const Sharing& sharing,
                                                       const ContactProblem& of);
  template <class Layout>
  std::unique_ptr<DelassusOperator>
  connected_operator(const Sharing& sharing, const ContactProblem& of, Layout contacts_here,
                     Layout foreign_contacts);
  /// What contacts with cohesion draw together, in the free velocities.
  void pull_bodies_together(const DelassusOperator& n);
  void run_solver(const Sharing& sharing, SolveOptions& solve_options);
  /// Again where springs of Hertz' law were pressed farther than foreseen.
  void settle_springs(const Sharing& sharing, SolveOptions& solve_options);
  /// The step as it stands, to close its joints; keeps references to its arguments.
  JointedStep jointed_step(const Sharing& sharing, SolveOptions& solve_options);
  void solve_problem(StepReport& now);

  // Extra solves (rank_impacts.cpp).
  Vector estimate_normals(const Sharing& sharing, const ContactProblem& part,
                          const Vector& initial);
  SolveResult solve_part(const Sharing& sharing, ContactProblem& part, const Vector& initial,
                         const SolveOptions& solve_options);
  long rebound_by_poisson(const Sharing& sharing, const SolveOptions& solve_options);
  void keep_rebounds_from_creating_energy(const Sharing& sharing, const SolveOptions& solve_options,
                                          StepReport& now);

  // Advance.
  BodyState next_state(Index k) const;
  void require_finite_next_states() const;
  void count_outrunning_bodies(StepReport& now);
  void measure(StepReport& now);
  void commit();
  /// With its bodies' numbers in the whole world, and their places where they were kept.
  ActingContact acting_contact(std::size_t c) const;
  void keep_centres();
  std::vector<std::pair<Index, std::int64_t>> sides_of_contacts() const;
  void gather_bodies(std::size_t& next, BodyPiece& piece) const;
  void gather_forces_on_bodies(std::span<const std::pair<Index, std::int64_t>> sides,
                               std::size_t& next, BodyPiece& piece) const;
  void remember();
  void hand_over();
  /// Who will have a contact of these bodies of `here`, if there is one in the next step.
  int next_owner(Index a, Index b) const;
  void hand_over_impulses(const std::vector<int>& owner);
  void hand_over_bonds(const std::vector<int>& owner);
  static ImpulsePacket packet_of(const WarmStart& list, std::size_t k);
  void add_to_cache(const ImpulsePacket& packet, WarmStart& list) const;
  void sort_cache(WarmStart& list) const;
};

/// Of contacts in files, whoever found them.
inline auto order_of(const ContactPoint& contact) {
  return std::tie(contact.collider_a, contact.collider_b, contact.key);
}

/// What all ranks sent to the first one, in their order; others get nothing. It comes in rounds of
/// some megabytes, since MPI counts bytes in 31 bits.
template <class T>
std::vector<T> values_at_first_rank(Ranks& ranks, const std::vector<T>& mine) {
  constexpr std::size_t bytes_per_round = std::size_t{64} << 20;
  const auto count = static_cast<std::size_t>(ranks.count());
  const std::size_t most = std::max<std::size_t>(1, bytes_per_round / (sizeof(T) * count));
  std::vector<std::vector<T>> from(count);
  std::size_t next = 0;
  for (bool rest = true; rest; rest = ranks.any(next < mine.size())) {
    std::vector<Bytes> out(count);
    const std::size_t end = std::min(mine.size(), next + most);
    for (; next < end; ++next) append(out[0], mine[next]);
    const std::vector<Bytes> arrived = ranks.exchange(std::move(out));
    for (std::size_t r = 0; r < count; ++r) {
      const auto values = values_in<T>(arrived[r]);
      from[r].insert(from[r].end(), values.begin(), values.end());
    }
  }
  std::vector<T> all = std::move(from[0]);
  for (std::size_t r = 1; r < count; ++r) {
    all.insert(all.end(), from[r].begin(), from[r].end());
    from[r] = std::vector<T>();
  }
  return all;
}

} // namespace talus
