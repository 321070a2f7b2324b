// talus render: pictures and films of a run, drawn by the viewer page in a browser without a
// window.

#include "arguments.h"
#include "commands.h"
#include "report/output.h"
#include "support/child_process.h"
#include "support/stop_signals.h"
#include "support/temporary_folder.h"
#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "view/view_page.h"
#include "view/view_server.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;

struct RenderArguments {
  std::string run, out, size = "1280x720", camera = "iso", colour, theme = "light";
  std::optional<double> time, from, to;
  std::optional<double> fps;
  double speed = 1, zoom = 1, orbit = 0;
  bool forces = false, contacts = false, no_joints = false, no_label = false;
  bool chains = false, thrust = false, velocities = false, see_through = false;
};

/// Which moments are drawn.
struct Schedule {
  double from = 0, to = 0;
  long pictures = 1;
};

struct Size {
  long width = 0, height = 0;
};

Size parse_size(const std::string& text) {
  Size size;
  int used = 0;
  if (std::sscanf(text.c_str(), "%5ldx%5ld%n", &size.width, &size.height, &used) != 2 ||
      static_cast<std::size_t>(used) != text.size() || size.width < 16 || size.height < 16 ||
      size.width > 8192 || size.height > 8192)
    throw InvalidArgument(
        fmt::format("--size takes WIDTHxHEIGHT from 16x16 to 8192x8192, not '{}'", text));
  return size;
}

enum class Format { png, mp4, gif, webp };

Format format_of(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".png") return Format::png;
  if (extension == ".mp4") return Format::mp4;
  if (extension == ".gif") return Format::gif;
  if (extension == ".webp") return Format::webp;
  throw InvalidArgument(
      fmt::format("--out takes a .png, .mp4, .gif or .webp file, not '{}'", path));
}

/// GIF counts in hundredths of a second, and is large; so its pictures are fewer.
double pictures_per_second(const RenderArguments& arguments, Format format) {
  if (format != Format::gif) return arguments.fps.value_or(30);
  const double fps = arguments.fps.value_or(15);
  constexpr double most = 50; // browsers show faster ones slowly
  if (fps > most) throw InvalidArgument("--fps of a GIF is at most 50");
  return fps;
}

Schedule schedule_of(const RenderArguments& arguments, bool film, double fps, ViewedRun& run) {
  const auto [first, last] = run.time_range();
  Schedule schedule;
  if (!film) {
    schedule.from = schedule.to = std::clamp(arguments.time.value_or(last), first, last);
    return schedule;
  }
  schedule.from = std::clamp(arguments.from.value_or(first), first, last);
  schedule.to = std::clamp(arguments.to.value_or(last), schedule.from, last);
  const double seconds = (schedule.to - schedule.from) / arguments.speed;
  constexpr double most_pictures = 1e6;
  const double pictures = std::round(seconds * fps) + 1;
  if (!(pictures <= most_pictures))
    throw InvalidArgument(fmt::format("the film would have {:.3g} pictures, at most {:.0f} are "
                                      "possible; raise --speed or lower --fps",
                                      pictures, most_pictures));
  schedule.pictures = std::max(1L, static_cast<long>(pictures));
  return schedule;
}

std::string query_of(const RenderArguments& a, const Size& size, const Schedule& schedule) {
  std::string query = fmt::format("?render={}&width={}&height={}&from={}&to={}&camera={}&theme={}",
                                  schedule.pictures, size.width, size.height, schedule.from,
                                  schedule.to, a.camera, a.theme);
  if (!a.colour.empty()) query += "&colour=" + a.colour;
  if (a.forces)
    query += "&show-forces=1&see-through=1";
  else if (a.see_through)
    query += "&see-through=1";
  if (a.chains) query += "&show-chains=1";
  if (a.thrust) query += "&show-thrust=1";
  if (a.velocities) query += "&show-velocities=1";
  if (a.contacts) query += "&show-contacts=1";
  if (a.no_joints) query += "&show-joints=0";
  if (a.no_label) query += "&label=0";
  if (a.zoom != 1) query += fmt::format("&zoom={}", a.zoom);
  if (a.orbit != 0) query += fmt::format("&orbit={}", a.orbit);
  return query;
}

std::string browser() {
  if (const char* chosen = std::getenv("TALUS_BROWSER")) return chosen;
  std::string found =
      find_program({"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"});
  if (found.empty())
    throw Error("talus render draws with chromium, which is not installed; try: "
                "apt-get install chromium (or let TALUS_BROWSER name a Chrome or Chromium)");
  return found;
}

std::string ffmpeg() {
  std::string found = find_program({"ffmpeg"});
  if (found.empty())
    throw Error("films are encoded with ffmpeg, which is not installed; try: apt-get install "
                "ffmpeg (pictures, --out FILE.png, do not need it)");
  return found;
}

/// A signal has asked to stop: browser and encoder end, and nothing is written.
struct Interrupted {
  int signal = 0;
};

/// What the page sends, between the threads of the server and the one that waits.
class Pictures {
public:
  explicit Pictures(long expected) : expected_(expected) {}

  void arrived() {
    const std::lock_guard lock(mutex_);
    ++count_;
    change_.notify_all();
  }
  void trouble(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (trouble_.empty()) trouble_ = text;
    change_.notify_all();
  }
  /// Throws Error when the browser ends, reports trouble, or draws nothing for two minutes, and
  /// Interrupted.
  void wait_for_all(ChildProcess& drawing, const StopSignals& signals) {
    constexpr int patience = 240; // half seconds
    std::unique_lock lock(mutex_);
    for (int idle = 0; count_ < expected_; ++idle) {
      const long before = count_;
      change_.wait_for(lock, std::chrono::milliseconds(500));
      if (!trouble_.empty()) throw Error("the page could not be drawn: " + trouble_);
      if (count_ > before) idle = 0;
      if (signals.received() != 0) throw Interrupted{signals.received()};
      if (!drawing.is_running()) throw Error("the browser ended before the page was drawn");
      if (idle > patience) throw Error("the browser has drawn nothing for two minutes");
    }
  }

private:
  std::mutex mutex_;
  std::condition_variable change_;
  long expected_, count_ = 0;
  std::string trouble_;
};

std::vector<std::string> browser_command(const std::string& profile, const std::string& address) {
  std::vector<std::string> command = {browser(),
                                      "--headless=new",
                                      "--user-data-dir=" + profile,
                                      "--no-first-run",
                                      "--disable-extensions",
                                      "--disable-background-timer-throttling",
                                      "--disable-renderer-backgrounding",
                                      "--enable-unsafe-swiftshader",
                                      "--ignore-gpu-blocklist",
                                      "--window-size=1280,800"};
  // Chromium's sandbox refuses to run as root.
  if (geteuid() == 0) command.push_back("--no-sandbox");
  command.push_back(address);
  return command;
}

/// What follows the input: how pictures become a film.
std::vector<std::string> encoding(Format format) {
  switch (format) {
  case Format::gif:
    // One palette of the whole film: the first half of the filter waits for the last picture.
    return {"-filter_complex",
            "split[a][b];[a]palettegen=stats_mode=diff[p];"
            "[b][p]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle",
            "-loop",
            "0",
            "-f",
            "gif"};
  case Format::webp:
    return {"-c:v", "libwebp_anim", "-lossless", "0",     "-q:v", "70", "-compression_level",
            "6",    "-pix_fmt",     "yuv420p",   "-loop", "0",    "-f", "webp"};
  default:
    return {"-c:v", "libx264",   "-pix_fmt",   "yuv420p", "-crf",
            "18",   "-movflags", "+faststart", "-f",      "mp4"};
  }
}

std::vector<std::string> encoder_command(Format format, double fps, const std::string& path) {
  std::vector<std::string> command = {ffmpeg(), "-y",         "-loglevel",  "error",
                                      "-f",     "image2pipe", "-framerate", fmt::format("{}", fps),
                                      "-i",     "-"};
  for (std::string& part : encoding(format)) command.push_back(std::move(part));
  command.push_back(path);
  return command;
}

/// Serves the run, lets the browser draw, hands every picture to `take`.
void draw(ViewedRun& run, const std::string& query, long pictures,
          const std::function<void(const std::string&)>& take) {
  browser(); // says now if there is none
  const StopSignals signals;
  ViewServer server(run, viewer_page());
  Pictures received(pictures);
  server.accept_pictures(
      [&](long, const std::string& png) {
        try {
          take(png);
          received.arrived();
        } catch (const Error& error) {
          received.trouble(error.what());
        }
      },
      [&](const std::string& text) { received.trouble(text); });
  const std::string address = server.bind("127.0.0.1", 0);
  std::thread serving([&] { server.serve(); });
  try {
    const TemporaryFolder profile; // of the browser
    ChildProcess drawing(browser_command(profile.path(), address + query), true);
    received.wait_for_all(drawing, signals);
    drawing.end();
  } catch (...) {
    server.stop();
    serving.join();
    throw;
  }
  server.stop();
  serving.join();
}

int render(const RenderArguments& arguments) {
  const Format format = format_of(arguments.out);
  const bool film = format != Format::png;
  Size size = parse_size(arguments.size);
  // Encoders of films want even numbers.
  if (film) size = {size.width / 2 * 2, size.height / 2 * 2};
  if (film && arguments.time)
    throw InvalidArgument("--time is for pictures; films take --from and --to");
  const double fps = pictures_per_second(arguments, format);
  require_writable(arguments.out);
  ViewedRun run(arguments.run, false);
  if (run.extent().frames == 0) throw FileError(arguments.run, "has no complete frame");
  const Schedule schedule = schedule_of(arguments, film, fps, run);
  const std::string query = query_of(arguments, size, schedule);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    if (!film) {
      draw(run, query, 1, [&](const std::string& png) { write_file(arguments.out, png); });
    } else {
      AtomicFile target(arguments.out);
      ChildProcess encoder(encoder_command(format, fps, target.temporary_path()), false);
      draw(run, query, schedule.pictures, [&](const std::string& png) { encoder.write(png); });
      if (encoder.wait() != 0) throw Error("ffmpeg could not encode the film");
      target.commit();
    }
  } catch (const Interrupted& interruption) {
    return 128 + interruption.signal;
  }
  fmt::print("{}: {} x {}, {}\n", arguments.out, size.width, size.height,
             film ? fmt::format("{} pictures, {:.3g} MB", schedule.pictures,
                                static_cast<double>(fs::file_size(arguments.out)) / 1e6)
                  : fmt::format("t = {:.6g} s", schedule.from));
  return success;
}

void add_time(CLI::App& command, const char* name, std::optional<double>& value, const char* help) {
  command
      .add_option_function<std::string>(
          name, [&value, name](const std::string& text) { value = parse_nonnegative(text, name); },
          help)
      ->type_name("T");
}

void add_positive(CLI::App& command, const char* name, double& value, const char* help) {
  command
      .add_option_function<std::string>(
          name, [&value, name](const std::string& text) { value = parse_positive(text, name); },
          help)
      ->type_name("X");
}

} // namespace

void register_render(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<RenderArguments>();
  RenderArguments* a = arguments.get();
  CLI::App* command = app.add_subcommand("render", "Draw a picture or a film of a run");
  command->add_option("RUN", a->run, "Folder of `talus run --out`, or a trajectory.h5")
      ->required()
      ->type_name("");
  command->add_option("--out", a->out, "FILE.png, or a film: FILE.mp4, .gif or .webp")
      ->required()
      ->type_name("FILE");
  command->add_option("--size", a->size, "In pixels (default 1280x720)")->type_name("WxH");
  add_time(*command, "--time", a->time,
           "Of a picture: simulated time in seconds (default: the end)");
  add_time(*command, "--from", a->from, "Of a film: where it starts (default: the start)");
  add_time(*command, "--to", a->to, "Of a film: where it ends (default: the end)");
  command
      ->add_option_function<std::string>(
          "--fps", [a](const std::string& text) { a->fps = parse_positive(text, "--fps"); },
          "Of a film: pictures per second (default 30; 15 of a GIF)")
      ->type_name("X");
  add_positive(*command, "--speed", a->speed, "Of a film: times real time (default 1)");
  command->add_option("--camera", a->camera, "iso (default), front, side or top")
      ->check(CLI::IsMember({"iso", "front", "side", "top"}))
      ->type_name("NAME");
  add_positive(*command, "--zoom", a->zoom, "Come closer: 2 shows half as much (default 1)");
  command
      ->add_option_function<std::string>(
          "--orbit", [a](const std::string& text) { a->orbit = parse_finite(text, "--orbit"); },
          "Of a film: degrees that the camera turns from its start to its end; of a picture: "
          "that it is turned")
      ->type_name("A");
  command
      ->add_option("--colour", a->colour,
                   "Of bodies: id, material, speed, force, pressure or shear")
      ->check(CLI::IsMember({"id", "material", "speed", "force", "pressure", "shear"}))
      ->type_name("NAME");
  command->add_option("--theme", a->theme, "light (default) or dark")
      ->check(CLI::IsMember({"light", "dark"}))
      ->type_name("NAME");
  command->add_flag("--forces", a->forces, "Draw contact forces, and bodies see-through");
  command->add_flag("--chains", a->chains, "Draw force chains");
  command->add_flag("--thrust", a->thrust, "Draw the thrust line of masonry");
  command->add_flag("--velocities", a->velocities, "Draw velocities");
  command->add_flag("--see-through", a->see_through, "Let bodies be transparent");
  command->add_flag("--contacts", a->contacts, "Draw contact points");
  command->add_flag("--no-joints", a->no_joints, "Do not mark the joints");
  command->add_flag("--no-label", a->no_label, "Do not write the time on it");
  command->footer(
      "Needs chromium, and ffmpeg for films. Animated GIF and WebP play in pages and READMEs;\n"
      "WebP is smaller.\n"
      "Exit code: 0 drawn, 1 file trouble or a program that is missing, 2 wrong arguments, 130 "
      "and\n"
      "143 stopped by a signal.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return render(*arguments); }; });
}

} // namespace talus::cli
