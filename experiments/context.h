#pragma once
// Where an experiment runs: its size, its memory on disk, and whom to tell how far it is.
//
// Everything that takes long goes through `once`, `problem` or `world_state`: the outcome is kept
// in the run's folder, and an interrupted run goes on behind the last outcome.

#include "talus/problem/contact_problem.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <stdexcept>
#include <string>

namespace talus::experiments {

using Json = nlohmann::ordered_json;

/// Thrown by Context::say when the user asked to stop.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

struct ContextSettings {
  std::string folder; ///< Of the whole run; it exists.
  std::string name;   ///< Of the experiment.
  bool quick = false; ///< Smaller sizes: all experiments together in under ten minutes.
  /// Told what is being done; returns false to stop.
  std::function<bool(const std::string& what)> progress;
};

class Context {
public:
  explicit Context(ContextSettings settings) : settings_(std::move(settings)) {}

  bool quick() const { return settings_.quick; }
  template <class T>
  T sized(T quick, T full) const {
    return settings_.quick ? quick : full;
  }

  /// Says what is being done now. Throws Interrupted. To be called at least every few seconds.
  void say(const std::string& what) const;

  /// The outcome of `work`, computed at most once in the folder's life. `key` names it within the
  /// experiment and must contain all that the outcome depends on (sizes, seeds).
  Json once(const std::string& key, const std::function<Json()>& work) const;

  /// A contact problem, made at most once and kept as FCLIB file problems/NAME.hdf5, from which it
  /// is always read, so that every solver here and elsewhere gets the same numbers. Names are
  /// shared by all experiments. What FCLIB does not hold is set by the caller: law, friction set.
  ContactProblem problem(const std::string& name,
                         const std::function<ContactProblem()>& make) const;

private:
  ContextSettings settings_;
};

} // namespace talus::experiments
