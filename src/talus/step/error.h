#pragma once
// What can go wrong while stepping, besides bad arguments.

#include "talus/core/error.h"

namespace talus {

/// A state, force or prescribed motion that is not finite. The message names the body.
class NonFiniteState : public Error {
public:
  using Error::Error;
};

} // namespace talus
