#include "talus/solve/metis_turn.h"

#include <cstdlib>

namespace talus {
namespace {

std::mutex& generator() {
  static std::mutex mutex;
  return mutex;
}

} // namespace

MetisTurn::MetisTurn()
    : lock_(generator()), state_{}, before_(initstate(1, state_.data(), state_.size())) {}

MetisTurn::~MetisTurn() {
  setstate(before_);
}

} // namespace talus
