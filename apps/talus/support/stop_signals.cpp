#include "stop_signals.h"

#include <csignal>
#include <initializer_list>

namespace talus::cli {
namespace {

/// What the handler tells: handlers are given a number and nothing else.
std::atomic<StopSignals*> listener = nullptr;

void install(void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

} // namespace

StopSignals::StopSignals() {
  listener = this;
  install(note, SA_RESTART);
}

StopSignals::~StopSignals() {
  install(SIG_DFL, 0);
  listener = nullptr;
}

void StopSignals::note(int number) {
  install(SIG_DFL, 0); // for a second signal, of whichever kind
  StopSignals* const signals = listener;
  if (!signals) return;
  signals->received_ = number;
  signals->stop_ = true;
}

} // namespace talus::cli
