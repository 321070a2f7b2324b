#pragma once
// A simulation as Python holds it, with its world, and the rule that one thread steps it at a time.

#include "step_follower.h"
#include "talus/io/sensor.h"
#include "talus/step/simulation.h"
#include "world_ref.h"

namespace talus::python {

/// Options with the attributes named set; throws TypeError for one that does not exist. The
/// formulation comes last, because it adapts the others.
StepOptions changed(StepOptions options, const py::kwargs& changes);

class SimulationRef {
public:
  /// Copies the world.
  SimulationRef(const WorldRef& world, const StepOptions& options,
                std::span<const SensorDescription> sensors = {});

  Simulation& operator*() const { return *simulation_; }
  Simulation* operator->() const { return simulation_.get(); }
  const std::shared_ptr<WorldRef>& world() const { return world_; }
  std::vector<Sensor>& sensors() const { return *sensors_; }

  /// From now on told of every step, for as long as somebody else keeps it.
  void add_follower(std::weak_ptr<StepFollower> follower) const;
  /// One step and all that goes along with it. To be called within alone().
  StepReport step_once(Simulation& simulation) const;

  /// Runs `work` without the GIL. Raises RuntimeError when the simulation is being stepped already,
  /// by another thread or by the caller of a force.
  template <class Work>
  auto alone(Work work) const {
    if (world_->stepping.exchange(true))
      throw std::runtime_error("the simulation is being stepped already");
    struct Done {
      WorldRef& world;
      ~Done() { world.stepping = false; }
    } done{*world_};
    const py::gil_scoped_release no_gil;
    return work(*simulation_);
  }

private:
  std::shared_ptr<Simulation> simulation_;
  std::shared_ptr<WorldRef> world_;
  std::shared_ptr<std::vector<Sensor>> sensors_ = std::make_shared<std::vector<Sensor>>();
  std::shared_ptr<std::vector<std::weak_ptr<StepFollower>>> followers_ =
      std::make_shared<std::vector<std::weak_ptr<StepFollower>>>();
};

} // namespace talus::python
