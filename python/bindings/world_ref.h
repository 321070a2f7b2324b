#pragma once
// A world as Python holds it: its own, or the one inside a simulation, which it keeps alive.
//
// Arrays of states are views of the world's memory. As with a bytearray, what would move that
// memory (adding bodies or joints) is refused while a view exists, and while the world is being
// stepped.

#include "callbacks.h"
#include "casters.h"
#include "talus/world/world.h"

#include <atomic>
#include <memory>
#include <vector>

namespace talus::python {

struct WorldRef {
  std::shared_ptr<World> world = std::make_shared<World>();
  /// Called as f(world, time, forces, torques) in this order.
  std::vector<SharedFunction> forces;
  int views = 0;
  std::atomic<bool> stepping = false;

  World& operator*() const { return *world; }
  World* operator->() const { return world.get(); }

  /// The world, to be added to. Raises BufferError while that is not allowed.
  World& growing() const;
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
