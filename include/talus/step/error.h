#pragma once
// What can go wrong while stepping, besides bad arguments.

#include "talus/core/error.h"

namespace talus {

/// A state, force, prescribed motion or motor target that is not finite. The message names the body
/// or the joint.
class NonFiniteState : public Error {
public:
  using Error::Error;
};

/// A step that cannot be made as asked: the solver does not admit its problem, or shapes meet for
/// which there is no rule of contact. The message names the solver or the bodies.
class ImpossibleStep : public Error {
public:
  using Error::Error;
};

/// StepOptions::stop was set while a step was being solved. The simulation is as before the step.
class StepStopped : public Error {
public:
  using Error::Error;
};

} // namespace talus
