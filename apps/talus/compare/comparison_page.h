#pragma once
// The page of a comparison: one HTML file that needs nothing else, online or offline.

#include "comparison.h"
#include "report/plots.h"

#include <string>

namespace talus::cli {

std::string comparison_page(const Comparison& comparison, const Plots& plots);

} // namespace talus::cli
