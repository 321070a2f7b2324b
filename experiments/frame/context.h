#pragma once
// Where an experiment runs: its size, its memory on disk, and whom to tell how far it is.
//
// Everything that takes long goes through `once` or `problem`: the outcome is kept in the run's
// folder together with what it was made from, and an interrupted run goes on behind the last
// outcome. What was made from something else, by another version of Talus or for another size of
// the run, is made again.

#include "talus/problem/contact_problem.h"

#include <nlohmann/json.hpp>

#include <atomic>
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
  /// When it becomes true, long solves and steps end early, and nothing they leave is kept; null:
  /// never.
  const std::atomic<bool>* stop = nullptr;
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
  /// For SolveOptions::stop of solves whose outcome once() or problem() keeps.
  const std::atomic<bool>* stop() const { return settings_.stop; }

  /// The outcome of `work`, computed once for each content of `inputs`: all that it depends on
  /// (fingerprints of problems, solvers and their options, sizes, seeds; fingerprint.h). `key`
  /// names it within the experiment; the last outcome of a key is kept.
  Json once(const std::string& key, const Json& inputs, const std::function<Json()>& work) const;

  /// A contact problem, made once for each content of `inputs` and kept as FCLIB file
  /// problems/NAME.hdf5, from which it is always read, so that every solver here and elsewhere gets
  /// the same numbers. Names are shared by all experiments. What FCLIB does not hold is set by the
  /// caller: law, friction set. Its description in the file holds the inputs.
  ContactProblem problem(const std::string& name, const Json& inputs,
                         const std::function<ContactProblem()>& make) const;

  /// What the outcomes that were found in the folder took when they were made, s.
  double seconds_saved() const { return seconds_saved_; }

private:
  void require_going_on() const;
  Json made_from(const Json& inputs) const;

  ContextSettings settings_;
  mutable double seconds_saved_ = 0;
};

} // namespace talus::experiments
