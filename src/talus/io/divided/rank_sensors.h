#pragma once
// The sensors of a scene (io/sensor.h) over ranks. Sums over contacts are made as the contacts
// pass, in the order of the whole world; what sensors ask of bodies and joints is read from a small
// world of the bodies that they name and the large ones. So the numbers have the bits of those that
// Sensor reads from a simulation that has all of it.

#include "talus/cluster/rank_simulation.h"
#include "talus/io/sensor.h"

#include <optional>

namespace talus {

/// Ascending numbers, of which most follow each other.
class NumberRuns {
public:
  void add(Index number);
  bool contains(Index number) const;
  bool empty() const { return runs_.empty(); }

private:
  std::vector<std::pair<Index, Index>> runs_; ///< First and last.
};

class RankSensors {
public:
  /// `scene` is named in errors.
  RankSensors(const std::vector<SensorDescription>& sensors, std::string scene);

  /// On the first rank: all bodies, in their order.
  void look_at(Index first, std::span<const Body> bodies);
  /// After that, all ranks together: numbers of the bodies that sensors name, ascending; the same
  /// on all ranks.
  std::vector<Index> named_bodies(Ranks& ranks) const;
  /// On the first rank: the world of these and the large bodies. Throws FileError for sensors that
  /// ask for what there is not.
  void find(const World& small_world);

  /// After a step, on the first rank: all contacts in their order, between begin() and read().
  void begin(double h, bool contacts_have_moments);
  void add(std::span<const ActingContact> contacts, std::span<const Index> fixed_bodies);
  /// All ranks together; the numbers appear on the first, which has the small world as it is now.
  void read(const RankSimulation& simulation, const Simulation* small_world, Ranks& ranks,
            std::vector<double>& numbers);

private:
  struct Entry {
    SensorDescription description;
    Index body = ground, other = ground; ///< In the whole world, where they are named.
    NumberRuns group, others;            ///< Of contact forces on groups.
    bool has_groups = false;
    std::vector<char> found, others_found; ///< Of the names in the groups.
    std::optional<Sensor> sensor;          ///< In the small world.
    Wrench force;
    std::optional<StressSum> stress;
  };
  void look_at(Entry& entry, Index number, const Body& body);
  void add(Entry& entry, const ActingContact& contact, std::span<const Index> fixed_bodies) const;
  void add_force(Entry& entry, const ActingContact& contact, bool on_b) const;

  std::string scene_;
  std::vector<Entry> entries_;
  double h_ = 1;
  bool has_moments_ = false;
};

} // namespace talus
