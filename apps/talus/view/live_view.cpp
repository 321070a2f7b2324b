#include "live_view.h"

#include "support/shell_words.h"
#include "support/stop_signals.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace talus::cli {
namespace {

std::vector<std::string> view_command(const std::string& folder, long port) {
  std::vector<std::string> command = own_command();
  for (const std::string& part : {std::string("view"), folder, std::string("--growing"),
                                  std::string("--port"), fmt::format("{}", port)})
    command.push_back(part);
  return command;
}

} // namespace

LiveView::LiveView(const std::string& folder, long port)
    : server_(view_command(folder, port), false) {}

void LiveView::stay_until_interrupted() {
  const StopSignals signals;
  server_.close_input();
  if (server_.is_running()) fmt::print(stderr, "talus: the page stays until Ctrl-C\n");
  while (server_.is_running() && signals.received() == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  server_.end();
}

} // namespace talus::cli
