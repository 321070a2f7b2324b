#pragma once
// What a frame of a run's files is made from: a view of a simulation after a step, or a copy.

#include "talus/step/simulation.h"

#include <algorithm>

namespace talus {

struct FrameView {
  std::int64_t step = 0;
  double time = 0;
  double h = 0; ///< Length of the step.
  std::span<const BodyState> states;
  std::span<const ContactPoint> contacts;
  std::span<const Vec3> impulses; ///< Of the contacts, on body_b, world axes.
  std::vector<Index> removed;     ///< Bodies, in increasing order.

  bool lacks(Index body) const { return std::ranges::binary_search(removed, body); }

  std::size_t bytes() const {
    return states.size_bytes() + contacts.size_bytes() + impulses.size_bytes();
  }
};

/// Valid until the simulation changes.
inline FrameView frame_of(const Simulation& simulation) {
  return {simulation.steps(),          simulation.time(),     simulation.options().step,
          simulation.world().states(), simulation.contacts(), simulation.contact_impulses(),
          simulation.world().removed_bodies()};
}

struct FrameCopy {
  explicit FrameCopy(const FrameView& frame)
      : view(frame), states(frame.states.begin(), frame.states.end()),
        contacts(frame.contacts.begin(), frame.contacts.end()),
        impulses(frame.impulses.begin(), frame.impulses.end()) {
    view.states = states;
    view.contacts = contacts;
    view.impulses = impulses;
  }
  FrameCopy(const FrameCopy&) = delete;
  FrameCopy& operator=(const FrameCopy&) = delete;

  FrameView view;

private:
  std::vector<BodyState> states;
  std::vector<ContactPoint> contacts;
  std::vector<Vec3> impulses;
};

} // namespace talus
