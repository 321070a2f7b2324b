#pragma once
// The page of reproduced experiments: one HTML file that needs nothing else, online or offline.

#include "reproduction.h"

namespace talus::cli {

/// The plots of an experiment as HTML, drawn from NAME/report.json in `folder`. Takes seconds.
std::string reproduction_figures(const std::string& folder, const Reproduced& done);

/// `figures` holds the above by experiment.
std::string reproduction_page(bool quick, const std::vector<Reproduced>& all,
                              const std::map<std::string, std::string>& figures);

} // namespace talus::cli
