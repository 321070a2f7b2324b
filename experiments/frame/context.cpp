#include "context.h"

#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "talus/problem/files/fclib_file.h"

#include <chrono>
#include <filesystem>
#include <fstream>

namespace talus::experiments {
namespace fs = std::filesystem;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Whether a stored note says that its outcome was made from this.
bool matches(const Json& note, const Json& made_from) {
  // As text: a number that is not finite is null once it has been written.
  return note.is_object() && note.contains("seconds") && note["seconds"].is_number() &&
         note.contains("made_from") && note["made_from"].dump() == made_from.dump();
}

} // namespace

void Context::say(const std::string& what) const {
  if (settings_.progress && !settings_.progress(what)) throw Interrupted();
}

void Context::require_going_on() const {
  if (settings_.stop && settings_.stop->load()) throw Interrupted();
}

Json Context::made_from(const Json& inputs) const {
  return {{"talus", TALUS_VERSION}, {"quick", settings_.quick}, {"inputs", inputs}};
}

Json Context::once(const std::string& key, const Json& inputs,
                   const std::function<Json()>& work) const {
  const fs::path path = fs::path(settings_.folder) / "kept" / settings_.name / (key + ".json");
  Json note = {{"made_from", made_from(inputs)}};
  if (std::ifstream file(path); file) {
    const Json kept = Json::parse(file, nullptr, false);
    if (matches(kept, note["made_from"]) && kept.contains("outcome")) {
      seconds_saved_ += kept["seconds"].get<double>();
      return kept["outcome"];
    }
  }
  say(key);
  const auto start = std::chrono::steady_clock::now();
  note["outcome"] = work();
  require_going_on(); // an outcome that was cut short is none
  note["seconds"] = seconds_since(start);
  fs::create_directories(path.parent_path());
  write_file(path.string(), note.dump());
  // As a later run will read it.
  return Json::parse(note["outcome"].dump());
}

ContactProblem Context::problem(const std::string& name, const Json& inputs,
                                const std::function<ContactProblem()>& make) const {
  const fs::path path = fs::path(settings_.folder) / "problems" / (name + ".hdf5");
  Json note = {{"made_from", made_from(inputs)}};
  if (fs::exists(path)) {
    try {
      ContactProblem kept = read_fclib(path.string()).problem;
      const Json found = Json::parse(kept.description, nullptr, false);
      if (matches(found, note["made_from"])) {
        seconds_saved_ += found["seconds"].get<double>();
        return kept;
      }
    } catch (const FileError&) {
      // Damaged: to be made again.
    }
  }
  say("preparing " + name);
  const auto start = std::chrono::steady_clock::now();
  ContactProblem made = make();
  require_going_on();
  note["seconds"] = seconds_since(start);
  made.title = name;
  made.description = note.dump();
  fs::create_directories(path.parent_path());
  write_fclib(path.string(), {std::move(made), {}, {}});
  return read_fclib(path.string()).problem;
}

} // namespace talus::experiments
