#include "talus/io/divided/rank_sensors.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus {

namespace {

/// Whether this is the name, or begins with what stands before its `*`.
bool fits(const std::string& name, const std::string& pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
}

/// Whether one of the patterns fits; marks all that do.
bool fits_one(const std::string& name, const std::vector<std::string>& patterns,
              std::vector<char>& found) {
  bool fits_some = false;
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    if (!fits(name, patterns[k])) continue;
    found[k] = 1;
    fits_some = true;
  }
  return fits_some;
}

} // namespace

void NumberRuns::add(Index number) {
  if (!runs_.empty() && runs_.back().second == number) return;
  if (!runs_.empty() && runs_.back().second + 1 == number)
    ++runs_.back().second;
  else
    runs_.emplace_back(number, number);
}

bool NumberRuns::contains(Index number) const {
  const auto next = std::ranges::upper_bound(runs_, number, {}, &std::pair<Index, Index>::first);
  return next != runs_.begin() && number <= std::prev(next)->second;
}

RankSensors::RankSensors(const std::vector<SensorDescription>& sensors, std::string scene)
    : scene_(std::move(scene)) {
  for (const SensorDescription& description : sensors) {
    Entry& entry = entries_.emplace_back();
    entry.description = description;
    entry.has_groups = !description.group.empty() || !description.other_group.empty();
    entry.found.resize(description.group.size());
    entry.others_found.resize(description.other_group.size());
  }
}

void RankSensors::look_at(Index first, std::span<const Body> bodies) {
  for (Entry& entry : entries_)
    for (std::size_t k = 0; k < bodies.size(); ++k)
      look_at(entry, first + static_cast<Index>(k), bodies[k]);
}

void RankSensors::look_at(Entry& entry, Index number, const Body& body) {
  const SensorDescription& d = entry.description;
  if (!d.body.empty() && body.name == d.body) entry.body = number;
  if (!d.other.empty() && body.name == d.other) entry.other = number;
  if (!entry.has_groups) return;
  const bool is_one = !d.body.empty() && number == entry.body;
  const bool is_other = !d.other.empty() && number == entry.other;
  const bool in_group = fits_one(body.name, d.group, entry.found) || is_one;
  const bool in_others = fits_one(body.name, d.other_group, entry.others_found) || is_other;
  if (in_group && in_others)
    throw FileError(scene_,
                    fmt::format("sensor '{}': body '{}' is on both sides", d.name, body.name));
  if (in_group) entry.group.add(number);
  if (in_others) entry.others.add(number);
}

std::vector<Index> RankSensors::named_bodies(Ranks& ranks) const {
  Bytes mine;
  for (const Entry& entry : entries_)
    for (const Index body : {entry.body, entry.other})
      if (body != ground) append(mine, body);
  auto numbers = values_in<Index>(ranks.gather(mine)[0]);
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

void RankSensors::find(const World& small_world) {
  for (Entry& entry : entries_) {
    const SensorDescription& d = entry.description;
    const auto require_found = [&](const std::vector<std::string>& names,
                                   const std::vector<char>& found) {
      for (std::size_t k = 0; k < names.size(); ++k)
        if (!found[k])
          throw FileError(scene_, fmt::format("sensor '{}': {} '{}'", d.name,
                                              names[k].ends_with('*') ? "no body has a name like"
                                                                      : "there is no body",
                                              names[k]));
    };
    require_found(d.group, entry.found);
    require_found(d.other_group, entry.others_found);
    SensorDescription alone = d; // groups are not in the small world
    alone.group.clear();
    alone.other_group.clear();
    try {
      if (!entry.has_groups) entry.sensor.emplace(alone, small_world);
    } catch (const InvalidArgument& error) {
      throw FileError(scene_, error.what());
    }
    if (!d.body.empty() && entry.has_groups) require_found({d.body}, {entry.body != ground});
    if (!d.other.empty() && entry.has_groups) require_found({d.other}, {entry.other != ground});
  }
}

void RankSensors::begin(double h, bool contacts_have_moments) {
  h_ = h;
  has_moments_ = contacts_have_moments;
  for (Entry& entry : entries_) {
    entry.force = {};
    if (entry.description.kind == SensorKind::stress)
      entry.stress.emplace(entry.description.lower, entry.description.upper, h);
  }
}

void RankSensors::add(std::span<const ActingContact> contacts,
                      std::span<const Index> fixed_bodies) {
  for (Entry& entry : entries_)
    if (entry.description.kind == SensorKind::contact_force || entry.stress)
      for (const ActingContact& contact : contacts) add(entry, contact, fixed_bodies);
}

/// As contact_force() of step/forces.h chooses contacts.
void RankSensors::add(Entry& entry, const ActingContact& contact,
                      std::span<const Index> fixed_bodies) const {
  const Index a = contact.point.body_a, b = contact.point.body_b;
  if (entry.stress) {
    const RigidContact frame = frame_of(contact.point, contact.centre_a, contact.centre_b);
    entry.stress->add(contact.point.point, frame, contact.impulse,
                      !std::ranges::binary_search(fixed_bodies, a),
                      !std::ranges::binary_search(fixed_bodies, b));
    return;
  }
  if (!entry.has_groups) {
    const auto counts = [&](Index other) {
      return entry.description.other.empty() || other == entry.other;
    };
    if (a == entry.body && counts(b)) add_force(entry, contact, false);
    if (b == entry.body && counts(a)) add_force(entry, contact, true);
    return;
  }
  const auto counts = [&](Index body) {
    return entry.others.empty() ? !entry.group.contains(body) : entry.others.contains(body);
  };
  if (entry.group.contains(a) && counts(b))
    add_force(entry, contact, false);
  else if (entry.group.contains(b) && counts(a))
    add_force(entry, contact, true);
}

void RankSensors::add_force(Entry& entry, const ActingContact& contact, bool on_b) const {
  if (!entry.has_groups) return add_contact(contact, has_moments_, on_b, h_, entry.force);
  Wrench part; // about the body's centre, where the step began
  add_contact(contact, has_moments_, on_b, h_, part);
  add_to_group(part, on_b ? contact.centre_b : contact.centre_a, entry.force);
}

void RankSensors::read(const RankSimulation& simulation, const Simulation* small_world,
                       Ranks& ranks, std::vector<double>& numbers) {
  for (const Entry& entry : entries_) {
    const SensorDescription& d = entry.description;
    if (d.kind == SensorKind::flux) {
      const double mass = simulation.mass_through_plane(d.point, normalized(d.normal));
      if (ranks.rank() == 0) numbers.push_back(simulation.steps() > 0 ? mass / h_ : 0);
    } else if (ranks.rank() != 0) {
      continue;
    } else if (d.kind == SensorKind::contact_force) {
      const auto& [force, torque] = entry.force;
      numbers.insert(numbers.end(), {force.x, force.y, force.z, torque.x, torque.y, torque.z});
    } else if (entry.stress) {
      const StressSum& sum = *entry.stress;
      numbers.insert(numbers.end(),
                     {sum(0, 0), sum(1, 1), sum(2, 2), sum(0, 1), sum(0, 2), sum(1, 2)});
    } else if (entry.sensor) {
      entry.sensor->read(*small_world, numbers);
    }
  }
}

} // namespace talus
