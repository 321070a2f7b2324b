#include "view_page.h"

#include "talus/core/error.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;

/// Where the page looks for data; see viewer/src/index.html.
constexpr std::string_view place_for_data = "<!-- data of the run -->";
constexpr std::size_t bytes_per_part = std::size_t{1} << 23;

/// Beside the program in a build folder, or where `cmake --install` puts it.
std::vector<fs::path> page_folders() {
  std::vector<fs::path> folders;
  if (const char* chosen = std::getenv("TALUS_VIEWER")) folders.emplace_back(chosen);
  std::error_code trouble;
  const fs::path program = fs::read_symlink("/proc/self/exe", trouble);
  if (!trouble) {
    folders.push_back(program.parent_path() / "viewer");
    folders.push_back(program.parent_path().parent_path() / "share/talus/viewer");
  }
  return folders;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void append_part(std::string& text, const std::string& id, const DataPackage& package) {
  text.append("<script type=\"text/plain\" id=\"").append(id).append("\">");
  text.append(package.embedded()).append("</script>\n");
}

} // namespace

std::string viewer_page() {
  std::string reason = "it needs node and npm, and they were not found when talus was built";
  for (const fs::path& folder : page_folders()) {
    std::error_code trouble;
    if (fs::exists(folder / "index.html", trouble)) return text_of(folder / "index.html");
    if (fs::exists(folder / "failure.txt", trouble)) reason = text_of(folder / "failure.txt");
  }
  throw Error("the viewer page was not built: " + reason +
              ". Install nodejs and npm, then build talus again; "
              "or let TALUS_VIEWER name the folder of a built index.html");
}

std::string page_with_run(const std::string& page, ViewedRun& run, const EmbedOptions& options) {
  const std::size_t place = page.find(place_for_data);
  if (place == std::string::npos) throw Error("the viewer page is damaged: build it again");
  const Index every = options.every;
  const Index count = (run.extent().frames - 1) / every + 1;
  const std::size_t contacts = options.contacts ? run.contacts() : 0;
  const std::size_t per_frame =
      (options.contacts ? 68 : 44) * static_cast<std::size_t>(run.bodies()) +
      48 * contacts / static_cast<std::size_t>(run.extent().frames) + 1;
  const auto per_part = static_cast<Index>(
      std::clamp<std::size_t>(bytes_per_part / per_frame, 1, static_cast<std::size_t>(count)));

  std::string data;
  append_part(data, "talus-model", run.model());
  append_part(data, "talus-times", run.times(0, every));
  append_part(data, "talus-steps", run.steps(0));
  Index part = 0;
  for (Index first = 0; first < count; first += per_part, ++part)
    append_part(
        data, "talus-frames-" + std::to_string(part),
        run.frames(first * every, std::min(per_part, count - first), every, options.contacts));
  std::string result = page;
  return result.replace(place, place_for_data.size(), data);
}

std::string page_to_play(const std::string& page) {
  const std::size_t place = page.find(place_for_data);
  if (place == std::string::npos) throw Error("the viewer page is damaged: build it again");
  std::string result = page;
  return result.replace(place, place_for_data.size(),
                        "<script type=\"text/plain\" id=\"talus-play\"></script>");
}

} // namespace talus::cli
