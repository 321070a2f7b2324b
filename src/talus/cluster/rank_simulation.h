#pragma once
// Time stepping over ranks: the steps of step/simulation.h, with bodies and contacts divided by
// cells of space. docs/theory/ranks.md.
//
//     predict → envelope → ghosts → collide → build → foreign contacts → solve → advance → migrate
//
// A rank has its own bodies and large ones. States, impulses and reports have the same bits for
// every number of ranks and threads. They are not those of Simulation, whose sums have another
// order, but the same within the tolerance of the solves.
//
// Large bodies are on all ranks: fixed and kinematic ones, those with joints or loads at points,
// and those whose bounding radius is over `large_radius` times the median of the others.

#include "talus/cluster/cells.h"
#include "talus/cluster/world_share.h"
#include "talus/core/ranks.h"
#include "talus/step/assembly/joint_rows.h"
#include "talus/step/contact_sums.h"
#include "talus/step/overlaps.h"
#include "talus/step/simulation.h"

#include <functional>
#include <memory>

namespace talus {

struct RankOptions {
  /// Width of cells in bounding radii of the largest body that is not large. It is part of the
  /// algorithm: another width gives other bits.
  double cell_radii = 6;
  double large_radius = 8;
  /// Steps between two cuts of the curve by weight, which change nothing but the time it takes.
  long balance_every = 50;
  /// Cuts the curve here instead, for tests; one cut fewer than ranks.
  std::vector<CellCode> cuts = {};
};

class RankSimulation {
public:
  /// To be called by all ranks with the same world and options. Throws InvalidArgument for what
  /// does not work over ranks: force functions but for loads at points, time limits, other solvers,
  /// more than 256 large movable bodies.
  RankSimulation(World world, StepOptions options, Ranks& ranks, RankOptions rank_options = {});
  /// The same from shares of a world that no rank has as a whole.
  RankSimulation(WorldShare share, StepOptions options, Ranks& ranks,
                 RankOptions rank_options = {});
  ~RankSimulation();
  RankSimulation(RankSimulation&&) noexcept;
  RankSimulation& operator=(RankSimulation&&) noexcept;

  /// Advances by one step, all ranks together. Throws the same on all of them, as
  /// Simulation::step() does; the simulation is then as it was before.
  const StepReport& step();

  const StepOptions& options() const;
  double time() const;
  std::int64_t steps() const;
  const StepReport& report() const;
  Index all_bodies() const;
  /// Of this rank.
  Index own_bodies() const;
  Index bodies_here() const; ///< With large ones, and after a step that failed with ghosts.
  Index own_contacts() const;
  const MaterialTable& materials() const;
  /// Kinetic and potential energy of the present state; all ranks together.
  std::pair<double, double> energies() const;
  /// Support and largest force of the contacts of the last step, added exactly; all ranks together.
  ContactSums contact_sums() const;
  std::size_t joints() const;

  /// The whole state, on the first rank; on others it has no bodies and no impulses. All ranks
  /// together.
  SimulationState gather_state() const;
  /// Goes on from a state of the whole world, which may come from any number of ranks or from
  /// Simulation. Throws InvalidArgument like Simulation::restore.
  void restore(const SimulationState& state);
  /// The same in blocks, so that no rank has all of it: of n ranks and N bodies, rank r has the
  /// bodies from r ⌈N/n⌉ on, and the impulses and bonds whose first collider is of one of them.
  /// Rows of joints are in each block. The blocks of all ranks one after another are the state.
  SimulationState block_of_state() const;
  /// Goes on from such blocks. Only that of bodies matters: impulses and bonds may be in any.
  void restore_block(SimulationState block);

  struct JointAnswers {
    std::vector<JointRow> rows;
    Vector multipliers; ///< One per row; none where there was nothing to solve.
  };
  /// Contacts of the last step, sorted by colliders, and rows of joints, with what they did; on the
  /// first rank.
  struct Forces {
    std::vector<ContactPoint> contacts;
    std::vector<Vec3> impulses, moments; ///< In world axes; moments only where there are some.
    JointAnswers joints;
  };
  Forces gather_forces() const;

  // For files of a world that no rank has as a whole (rank_output.cpp). The first rank gets what
  // they hold piece by piece; only there `take` is called. If it throws, all ranks throw. All ranks
  // together.

  /// From the next step on the contacts of a step are kept for for_contacts() and for_bodies().
  void keep_contacts();
  /// All contacts of the last step in the order of colliders and features, the bodies with their
  /// numbers in the whole world: at most `most` at a time, but for those of one pair of colliders.
  /// None before the first step and after one that failed.
  using TakeContacts = std::function<void(std::span<const ActingContact>)>;
  void for_contacts(std::size_t most, const TakeContacts& take) const;
  bool contacts_have_moments() const;

  /// All bodies in the order of their numbers, so many at a time. Forces are those of contacts
  /// (contact_forces), but for large bodies: those have too many of them.
  struct BodyPiece {
    Index first = 0, count = 0;
    std::vector<Body> bodies;
    std::vector<BodyState> states;
    std::vector<Wrench> forces;
  };
  using TakeBodies = std::function<void(const BodyPiece&)>;
  void for_bodies(Index most, bool with_forces, const TakeBodies& take) const;

  /// Numbers of the large bodies, ascending; the same on all ranks.
  std::vector<Index> large_bodies() const;
  /// The large bodies with all joints, and others, as a world of its own, on the first rank; the
  /// bodies are in the order of their numbers. Empty on other ranks.
  World small_world(const std::vector<Index>& others) const;
  /// Its state now, and what its joints did in the last step, on the first rank.
  SimulationState state_of_small_world(const std::vector<Index>& others) const;
  JointAnswers joint_answers() const;
  /// The mass that went through a plane along its unit normal in the last step, kg; on the first
  /// rank.
  double mass_through_plane(const Vec3& point, const Vec3& normal) const;

  /// find_overlaps() before the first step: how many pairs there are, and on the first rank the
  /// deepest of them, at most `most`.
  struct Overlaps {
    std::int64_t pairs = 0;
    std::vector<Overlap> deepest;
    std::vector<std::pair<std::string, std::string>> names; ///< Of their bodies.
  };
  Overlaps find_overlaps(std::size_t most, double share = 0.01);

  /// A number made of all bits of the states and of the cached impulses, on all ranks; it does not
  /// depend on who has them.
  std::uint64_t hash() const;
  /// Whether it is the same for every number of ranks: not where the solver has linear systems over
  /// ranks.
  bool has_same_bits() const;

private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

} // namespace talus
