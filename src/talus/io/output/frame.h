#pragma once
// What a frame of a run's files is made from: a view of a simulation after a step, or a copy.

#include "talus/step/forces.h"
#include "talus/step/simulation.h"

#include <algorithm>

namespace talus {

/// A joint after a step.
struct JointReading {
  Wrench force;       ///< joint_force(), in the axes of the joint.
  Wrench world_force; ///< The same in world axes.
  Vec3 point;         ///< Origin of the joint on its second body.
  double position = 0, velocity = 0, motor_effort = 0;
};

/// What there is once in a frame.
struct FrameHead {
  std::int64_t step = 0;
  double time = 0;
  double h = 0; ///< Length of the step.
  std::vector<JointReading> joints;
};

/// The next bodies of a frame.
struct FramePiece {
  Index first = 0; ///< The number of the first one.
  std::span<const BodyState> states;
  std::span<const Wrench> forces; ///< Of the contacts of each body.
  std::span<const Index> removed; ///< Those among them, by their numbers, ascending.

  bool lacks(Index body) const { return std::ranges::binary_search(removed, body); }
};

struct FrameView {
  std::int64_t step = 0;
  double time = 0;
  double h = 0; ///< Length of the step.
  std::span<const BodyState> states;
  std::span<const ContactPoint> contacts;
  std::span<const Vec3> impulses; ///< Of the contacts, on body_b, world axes.
  std::vector<Index> removed;     ///< Bodies, in increasing order.
  std::vector<Wrench> forces;     ///< Of the contacts of each body.
  std::vector<JointReading> joints;

  FrameHead head() const { return {step, time, h, joints}; }
  FramePiece bodies() const { return {0, states, forces, removed}; }
  std::size_t bytes() const {
    return states.size_bytes() + contacts.size_bytes() + impulses.size_bytes();
  }
};

/// Its spans are valid until the simulation changes.
FrameView frame_of(const Simulation& simulation);
std::vector<JointReading> joint_readings(const Simulation& simulation);

struct FrameCopy {
  explicit FrameCopy(FrameView frame)
      : view(std::move(frame)), states(view.states.begin(), view.states.end()),
        contacts(view.contacts.begin(), view.contacts.end()),
        impulses(view.impulses.begin(), view.impulses.end()) {
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
