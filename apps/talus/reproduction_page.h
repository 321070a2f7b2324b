#pragma once
// The page of reproduced experiments: one HTML file that needs nothing else, online or offline.

#include "reproduction.h"

namespace talus::cli {

/// Plots are drawn from NAME/report.json in `folder`.
std::string reproduction_page(const std::string& folder, bool quick,
                              const std::vector<Reproduced>& all);

} // namespace talus::cli
