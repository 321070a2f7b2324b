#pragma once
// Files a command writes. They appear whole or not at all: content goes to a temporary name beside
// the target, which is then renamed.

#include "talus/core/files/atomic_file.h"

#include <string>
#include <string_view>

namespace talus::cli {

/// Throws FileError if a file could not be created at `path` (missing or read-only folder, `path`
/// is a folder): asked before long work, so that no answer is lost.
void require_writable(const std::string& path);

/// A CSV field, quoted where it has to be.
std::string csv_field(std::string_view text);

/// Adds a column with the same value to every line of a CSV text, header included.
std::string with_csv_column(std::string_view csv, std::string_view title, std::string_view value);

/// The lines after the first.
std::string_view without_header(std::string_view csv);

} // namespace talus::cli
