#pragma once
// What every reader and writer asks of a path before it begins.

#include <string>

namespace talus {

/// Throws FileError if the path is empty, as that of an unset variable is; `needed` says what it
/// should be: "a file name".
void require_path(const std::string& path, const std::string& needed);

/// Makes the folder and those it lies in, unless they are there; true if it is new. Throws
/// FileError.
bool make_folder(const std::string& folder);

} // namespace talus
