#pragma once
// The methods of `auto`'s stages, by name. They keep their memory from solve to solve.

#include "talus/solve/auto/facts.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talus {

/// Names besides those of the catalogue. The first three choose by size and law.
namespace method {
constexpr std::string_view sweeps = "sweeps", gradients = "gradients", first_order = "first-order",
                           newton_steps = "newton-steps", contradiction = "contradiction",
                           regions = "regions";
} // namespace method

class Methods {
public:
  /// The stage's method for this problem; null where it does not admit the problem.
  Solver* find(const Stage& stage, unsigned facts, const ScaledProblem& problem);
  void clear() { made_.clear(); }

private:
  struct Made {
    std::string_view name, settings;
    std::unique_ptr<Solver> solver;
  };
  Solver& get(std::string_view name, std::string_view settings);

  std::vector<Made> made_;
};

/// (name, meaning) of those that are not in the catalogue.
std::vector<std::pair<std::string, std::string>> describe_methods();

} // namespace talus
