#pragma once
// The folder that a comparison fills: results.csv, results.json, convergence.csv and index.html.

#include "comparison.h"

#include <string>

namespace talus::cli {

/// Makes the folder if there is none, and says whether it had to; throws FileError if it cannot be
/// written to. Asked before long work.
bool prepare_folder(const std::string& folder);

/// Writes all files. Returns why the page has no plots; empty if it has them. Throws FileError.
std::string write_comparison(const Comparison& comparison, const std::string& folder);

/// Where the page is.
std::string page_path(const std::string& folder);

} // namespace talus::cli
