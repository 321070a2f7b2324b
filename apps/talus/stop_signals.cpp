#include "stop_signals.h"

#include <csignal>
#include <initializer_list>

namespace talus::cli {
namespace {

volatile std::sig_atomic_t last_signal = 0;

extern "C" void note_signal(int number) {
  last_signal = number;
}

void install(void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

} // namespace

StopSignals::StopSignals() {
  last_signal = 0;
  install(note_signal, SA_RESETHAND | SA_RESTART);
}

StopSignals::~StopSignals() {
  install(SIG_DFL, 0);
}

int StopSignals::received() const {
  return last_signal;
}

} // namespace talus::cli
