#include "plots.h"

#include "support/process.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;

/// The file that holds this code: the program, or the Python module it was built into.
fs::path own_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&make_plots), &info) == 0) return {};
  std::error_code trouble;
  const fs::path module = fs::absolute(info.dli_fname, trouble);
  const fs::path program = fs::read_symlink("/proc/self/exe", trouble);
  return module.extension() == ".so" || trouble ? module : program;
}

std::string find_script(const std::string& name) {
  const fs::path own_folder = own_file().parent_path();
  std::vector<fs::path> folders;
  if (const char* chosen = std::getenv("TALUS_PLOTS")) folders.emplace_back(chosen);
  folders.push_back(own_folder.parent_path() / "share/talus/plots");
  folders.push_back(own_folder / "plots");
  folders.emplace_back(TALUS_PLOTS_DIR);
  std::error_code trouble;
  for (const fs::path& folder : folders)
    if (fs::exists(folder / name, trouble)) return (folder / name).string();
  return {};
}

std::string python() {
  if (const char* chosen = std::getenv("TALUS_PYTHON")) return chosen;
  std::error_code trouble;
  return fs::exists("/usr/bin/python3", trouble) ? "/usr/bin/python3" : "python3";
}

/// A Python traceback ends with the line that says what happened.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

} // namespace

Plots make_plots(const std::string& script, const std::vector<std::string>& arguments) {
  Plots plots;
  const std::string path = find_script(script);
  if (path.empty()) {
    plots.missing = "the script " + script + " was not found; TALUS_PLOTS can name its folder";
    return plots;
  }
  std::vector<std::string> command = {python(), path};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ProcessResult result = run_process(command);
  if (result.exit_code != 0) {
    plots.missing = last_line(result.err);
    if (plots.missing.empty()) plots.missing = script + " failed without a message";
    return plots;
  }
  try {
    const auto printed = nlohmann::json::parse(result.out);
    for (const auto& figure : printed.at("figures"))
      plots.figures.push_back(
          {figure.at("section"), figure.at("title"), figure.at("caption"), figure.at("svg")});
  } catch (const nlohmann::json::exception& error) {
    plots.figures.clear();
    plots.missing = script + " printed something else than figures: " + error.what();
  }
  return plots;
}

} // namespace talus::cli
