#pragma once
// Plots by matplotlib, through the scripts of apps/plots. A script gets file names, prints a JSON
// object {"figures": [{"section", "title", "caption", "svg"}]} and exits with 0.

#include <string>
#include <vector>

namespace talus::cli {

struct Figure {
  std::string section, title, caption;
  std::string svg; ///< Ready to stand in a page: unique ids, colours that follow the page's.
};

struct Plots {
  std::vector<Figure> figures;
  std::string missing; ///< Why there are none; empty if all went well.
};

/// Runs a script. It is looked for in the folder TALUS_PLOTS of the environment, in
/// share/talus/plots beside the program's folder, in plots beside a Python module, and in the
/// sources. The interpreter is TALUS_PYTHON of the environment, else /usr/bin/python3, where Debian
/// keeps matplotlib.
Plots make_plots(const std::string& script, const std::vector<std::string>& arguments);

} // namespace talus::cli
