#pragma once
// How a solver looks on every plot and page: fixed by its name, whichever solvers are shown beside
// it and whichever join the catalogue later.

#include <string>

namespace talus::cli {

/// Two solvers of the catalogue never share colour and dashes. Those that are often shown together
/// have different colours.
struct SolverPlotStyle {
  std::string colour; ///< "#rrggbb", of middle lightness: it reads on white and on dark pages.
  int dashes; ///< Index of a line style of the plots (LINE_STYLES in page_style.py), 0 to 3.
};
/// Of a solver that is not in the catalogue: grey, one of the styles.
SolverPlotStyle solver_look(const std::string& solver);

} // namespace talus::cli
