// Colours and dashes of solvers on plots.

#include "compare/solver_plot_style.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <map>

namespace talus::cli {
namespace {

TEST(SolverPlotStyle, TellsAllSolversOfTheCatalogueApart) {
  std::map<std::pair<std::string, int>, std::string> owner;
  for (const std::string& solver : solver_names()) {
    const SolverPlotStyle look = solver_look(solver);
    EXPECT_GE(look.dashes, 0);
    EXPECT_LT(look.dashes, 4);
    const auto [other, alone] = owner.emplace(std::pair{look.colour, look.dashes}, solver);
    EXPECT_TRUE(alone) << solver << " looks like " << other->second;
  }
  EXPECT_FALSE(owner.contains({solver_look("none such").colour, solver_look("none such").dashes}))
      << "the look of strangers is taken: give the new solver its own in solver_look.cpp";
}

} // namespace
} // namespace talus::cli
