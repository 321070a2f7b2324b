#include "talus/linalg/metis_lock.h"

#include <cstdlib>

namespace talus {
namespace {

std::mutex& generator() {
  static std::mutex mutex;
  return mutex;
}

} // namespace

MetisLock::MetisLock()
    : lock_(generator()), state_{}, before_(initstate(1, state_.data(), state_.size())) {}

MetisLock::~MetisLock() {
  setstate(before_);
}

} // namespace talus
