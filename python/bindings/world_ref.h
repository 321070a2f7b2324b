#pragma once
// A world as Python holds it: its own, or the one inside a simulation, which it keeps alive.
//
// Arrays of states are views of the world's memory. Adding bodies or joints moves that memory:
// arrays made before keep what they showed then, and cannot be written to any more. Nothing can be
// added while the world is being stepped.

#include "callbacks.h"
#include "casters.h"
#include "talus/io/world_description.h"
#include "talus/world/world.h"

#include <atomic>
#include <memory>
#include <vector>

namespace talus::python {

/// The arrays that view a world, and the memory they view once the world has moved on.
struct ViewedMemory {
  std::vector<py::weakref> arrays;
  World old;
};

struct WorldRef {
  std::shared_ptr<World> world = std::make_shared<World>();
  /// Called as f(world, time, forces, torques) in this order.
  std::vector<SharedFunction> forces;
  /// Of the arrays that exist; each holds a share.
  std::shared_ptr<ViewedMemory> viewed;
  /// What the world was made from, if from a scene.
  std::shared_ptr<const WorldDescription> base;
  /// The calls that changed it since, as talus/_copying.py writes them down; a dict, made on
  /// demand.
  std::optional<SharedObject> recipe;
  std::atomic<bool> stepping = false;

  World& operator*() const { return *world; }
  World* operator->() const { return world.get(); }

  /// The world, to be added to. Raises BufferError while it is being stepped.
  World& growing();
};

/// The Python forces of a simulation's world as one force of the engine. Python gets arrays of its
/// own, added to the wrenches afterwards, so that nothing dangles when it keeps them.
ForceFunction python_forces(std::weak_ptr<WorldRef> world);

/// Bodies and joints are named or numbered; "ground" is the immovable world.
using Key = std::variant<Index, std::string>;
/// Throw InvalidArgument when there is no such body, joint or material.
Index body_index(const World& world, const Key& key);
Index joint_index(const World& world, const Key& key);
Index material_index(const World& world, const Key& key);

} // namespace talus::python
