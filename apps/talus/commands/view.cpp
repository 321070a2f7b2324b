// talus view: a run in the browser, served on this machine or written as one file.

#include "arguments.h"
#include "commands.h"
#include "report/output.h"
#include "report/table.h"
#include "support/loaded_scene.h"
#include "support/process.h"
#include "talus/core/error.h"
#include "view/view_page.h"
#include "view/view_server.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <csignal>
#include <limits>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

namespace talus::cli {
namespace {

struct ViewArguments {
  std::string run, html, host = "127.0.0.1";
  long port = 0, every = 1;
  bool open = false, no_contacts = false;
  bool growing = false; ///< Started by `talus run --live`.
};

/// Above this a page takes long to open.
constexpr std::size_t large_page = 100'000'000;

void write_page(const ViewArguments& arguments, ViewedRun& run) {
  require_writable(arguments.html);
  const EmbedOptions options{static_cast<Index>(arguments.every), !arguments.no_contacts};
  const std::string page = page_with_run(viewer_page(), run, options);
  write_file(arguments.html, page);
  fmt::print("{}: {:.3g} MB\n", arguments.html, static_cast<double>(page.size()) / 1e6);
  if (page.size() > large_page)
    fmt::print(stderr,
               "talus: browsers open pages of this size slowly; --every {} keeps one frame "
               "of {}, --no-contacts leaves the contacts out\n",
               2 * arguments.every, 2 * arguments.every);
}

/// `talus run --live` holds the other end of standard input: it closes when the run has ended.
void follow_the_run(ViewedRun& run) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::thread([&run] {
    char byte = 0;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    run.stop_growing();
  }).detach();
}

int serve(const ViewArguments& arguments, ViewedRun& run) {
  ViewServer server(run, viewer_page());
  const std::string address = server.bind(arguments.host, static_cast<int>(arguments.port));
  if (arguments.growing) follow_the_run(run);
  std::FILE* stream = arguments.growing ? stderr : stdout;
  fmt::print(stream, "Viewer: {}{}\n", address, arguments.growing ? "" : "  (Ctrl-C ends it)");
  std::fflush(stream);
  if (arguments.open && run_process({"xdg-open", address}).exit_code != 0)
    fmt::print(stderr, "talus: no browser could be opened (xdg-open); open the address yourself\n");
  server.serve();
  return success;
}

int view(const ViewArguments& arguments) {
  constexpr long most = std::numeric_limits<Index>::max();
  if (arguments.every < 1 || arguments.every > most)
    throw InvalidArgument(fmt::format("--every takes a whole number from 1 to {}", most));
  if (arguments.html.empty() && (arguments.every != 1 || arguments.no_contacts))
    throw InvalidArgument("--every and --no-contacts belong to --html");
  ViewedRun run(arguments.run, arguments.growing);
  if (run.extent().frames == 0) throw FileError(arguments.run, "has no complete frame yet");
  if (arguments.html.empty()) return serve(arguments, run);
  write_page(arguments, run);
  return success;
}

} // namespace

void register_view(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<ViewArguments>();
  ViewArguments* a = arguments.get();
  CLI::App* command = app.add_subcommand("view", "Look at a run in the browser");
  command->add_option("RUN", a->run, "Folder of `talus run --out`, or a trajectory.h5")
      ->required()
      ->type_name("");
  command->add_option("--html", a->html, "Write one page that plays anywhere, instead of serving")
      ->type_name("FILE");
  add_count(*command, "--every", a->every, "With --html: keep every Nth frame only");
  command->add_flag("--no-contacts", a->no_contacts, "With --html: leave the contacts out");
  add_port(*command, a->port, "Port to listen on (default: a free one)");
  command
      ->add_option("--host", a->host, "Address to listen on (default 127.0.0.1: this machine only)")
      ->type_name("ADDRESS");
  command->add_flag("--open", a->open, "Open the browser");
  command->add_flag("--growing", a->growing)->group("");
  command->footer(
      "Serving ends with Ctrl-C.\n"
      "Exit code: 0 page written, 1 file trouble or no such address, 2 wrong arguments.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return view(*arguments); }; });
}

} // namespace talus::cli
