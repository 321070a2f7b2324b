#include "catalogue.h"

#include "talus/core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace talus::experiments {

Report heyn2013_table1(Context& context);
Report heyn2013_tp2(Context& context);
Report heyn2013_tp3(Context& context);
Report preclik2009_fig2(Context& context);
Report preclik2009_fig3(Context& context);

std::span<const Experiment> catalogue() {
  static const std::array all = {
      Experiment{"heyn2013-table1", "Table I, figs. 4 and 5: Jacobi against GPMINRES, 1000 spheres",
                 "20 s", "10 min", heyn2013_table1},
      Experiment{"heyn2013-tp2", "Figs. 6 to 10: four methods on 1000, 2000 and 4000 spheres",
                 "60 s", "60 min", heyn2013_tp2},
      Experiment{"heyn2013-tp3", "Figs. 12 and 13: 1000 to 16000 kg on light spheres", "30 s",
                 "30 min", heyn2013_tp3},
      Experiment{"preclik2009-fig2", "Fig. 2: PGS and CPG on four friction models", "20 s",
                 "10 min", preclik2009_fig2},
      Experiment{"preclik2009-fig3",
                 "Figs. 3 and 4: velocity errors and active sets of PGS, CPG, Newton", "20 s",
                 "10 min", preclik2009_fig3},
  };
  return all;
}

std::string paper_of(const std::string& name) {
  return name.substr(0, name.find('-'));
}

std::vector<Experiment> chosen(const std::vector<std::string>& names) {
  const auto means = [](const std::string& wanted, const Experiment& experiment) {
    return wanted == experiment.name || wanted == paper_of(experiment.name);
  };
  for (const std::string& wanted : names)
    if (std::none_of(catalogue().begin(), catalogue().end(),
                     [&](const Experiment& experiment) { return means(wanted, experiment); })) {
      std::vector<std::string> known;
      for (const Experiment& experiment : catalogue()) known.push_back(experiment.name);
      throw InvalidArgument(
          fmt::format("unknown experiment '{}'; known: {}", wanted, fmt::join(known, ", ")));
    }
  std::vector<Experiment> found;
  for (const Experiment& experiment : catalogue())
    if (names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& wanted) {
          return means(wanted, experiment);
        }))
      found.push_back(experiment);
  return found;
}

} // namespace talus::experiments
