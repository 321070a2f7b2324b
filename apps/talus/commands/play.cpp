// talus play: a scene that computes while one drags, drops and pushes its bodies in the browser.

#include "arguments.h"
#include "commands.h"
#include "support/loaded_scene.h"
#include "support/process.h"
#include "view/play_server.h"
#include "view/view_page.h"

#include <fmt/format.h>

namespace talus::cli {
namespace {

struct PlayArguments {
  SceneArguments scene;
  long port = 0;
  bool open = false, paused = false;
};

int play(const PlayArguments& arguments) {
  LoadedScene loaded = open_scene(arguments.scene);
  const StepOptions options = loaded.simulation.options();
  loaded.scene.world = loaded.simulation.world();
  PlaySession session(std::move(loaded.scene), options);
  if (arguments.paused) session.ask(asked::Pause{true});
  PlayServer server(session, page_to_play(viewer_page()), random_token());
  const std::string address = server.bind(static_cast<int>(arguments.port));
  fmt::print("Play: {}  (Ctrl-C ends it)\n", address);
  std::fflush(stdout);
  if (arguments.open && run_process({"xdg-open", address}).exit_code != 0)
    fmt::print(stderr, "talus: no browser could be opened (xdg-open); open the address yourself\n");
  server.serve();
  return success;
}

} // namespace

void register_play(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<PlayArguments>();
  PlayArguments* a = arguments.get();
  CLI::App* command = app.add_subcommand("play", "Drag and drop bodies while a scene computes");
  command->add_option("SCENE", a->scene.scene, "Scene file (YAML)")->required()->type_name("");
  add_scene_options(*command, a->scene);
  add_port(*command, a->port, "Port to listen on (default: a free one)");
  command->add_flag("--paused", a->paused, "Start paused");
  command->add_flag("--open", a->open, "Open the browser");
  command->footer("The page is served to this machine only, at an address with a secret token.\n"
                  "Nothing is recorded. Ctrl-C ends it.\n"
                  "Exit code: 1 file or scene trouble, 2 wrong arguments.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return play(*arguments); }; });
}

} // namespace talus::cli
