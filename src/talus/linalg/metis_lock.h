#pragma once
// Lets one thread at a time into METIS while an object of this class lives.
//
// METIS, whom CHOLMOD asks for orders of elimination, seeds rand() at each call and draws from it,
// the one generator of the process. Two at once would draw from one sequence, and answers would
// depend on chance. While an object lives rand() has a state of its own, and afterwards that of
// before, so that a program's own sequence goes on.

#include <array>
#include <mutex>

namespace talus {

class MetisLock {
public:
  MetisLock();
  ~MetisLock();
  MetisLock(const MetisLock&) = delete;
  MetisLock& operator=(const MetisLock&) = delete;

private:
  std::lock_guard<std::mutex> lock_;
  std::array<char, 128> state_; ///< As many bytes as glibc starts with.
  char* before_;
};

} // namespace talus
