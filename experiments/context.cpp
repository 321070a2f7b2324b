#include "context.h"

#include "talus/core/atomic_file.h"
#include "talus/core/error.h"
#include "talus/problem/fclib_file.h"

#include <filesystem>
#include <fstream>

namespace talus::experiments {
namespace fs = std::filesystem;

void Context::say(const std::string& what) const {
  if (settings_.progress && !settings_.progress(what)) throw Interrupted();
}

Json Context::once(const std::string& key, const std::function<Json()>& work) const {
  const fs::path path = fs::path(settings_.folder) / "kept" / settings_.name / (key + ".json");
  if (std::ifstream file(path); file) {
    const Json kept = Json::parse(file, nullptr, false);
    if (!kept.is_discarded()) return kept;
  }
  say(key);
  Json outcome = work();
  fs::create_directories(path.parent_path());
  write_file(path.string(), outcome.dump());
  return outcome;
}

ContactProblem Context::problem(const std::string& name,
                                const std::function<ContactProblem()>& make) const {
  const fs::path path = fs::path(settings_.folder) / "problems" / (name + ".hdf5");
  if (!fs::exists(path)) {
    say("preparing " + name);
    fs::create_directories(path.parent_path());
    write_fclib(path.string(), {make(), {}, {}});
  }
  return read_fclib(path.string()).problem;
}

} // namespace talus::experiments
