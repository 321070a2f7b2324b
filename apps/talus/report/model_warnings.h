#pragma once
// What of an imported or exported model was left out, for people.

#include <string>
#include <vector>

namespace talus::cli {

/// Prints them to standard error. Warnings "file:line: what" that differ in their lines alone
/// become one that lists the lines.
void print_model_warnings(const std::vector<std::string>& warnings);

} // namespace talus::cli
