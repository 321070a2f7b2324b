#pragma once
// The state of a simulation as the page gets it while somebody plays: one frame as of
// ViewedRun::frames, and a JSON text `info` with what is not about bodies.

#include "data_package.h"
#include "talus/io/sensor.h"
#include "talus/step/simulation.h"

#include <span>
#include <string>

namespace talus::cli {

struct PlayFacts {
  long number = 0;   ///< Of the state.
  long revision = 0; ///< Of the model that it belongs to.
  bool paused = false;
  double speed = 1, achieved = 0; ///< In real time.
  std::string trouble;
  Index dragged = -1;
};

DataPackage package_of(const Simulation& simulation, std::span<const Sensor> sensors,
                       const PlayFacts& facts);

} // namespace talus::cli
