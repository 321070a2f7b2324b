#pragma once
// What a comparison leaves behind besides the page: texts of results.csv and results.json, and the
// table for the terminal.

#include "comparison.h"

#include <string>

namespace talus::cli {

/// One line per run, columns as in Run::fields.
std::string results_csv(const Comparison& comparison);

/// Settings, solvers with their colours, problems, runs, and the share solved.
nlohmann::ordered_json results_json(const Comparison& comparison);

/// One block per tolerance: a line per problem, a column per solver, times or marks.
std::string comparison_table(const Comparison& comparison);

} // namespace talus::cli
