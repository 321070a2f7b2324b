#pragma once
// Errors of the library. A message says what was wrong, where, and what would be right, in one line
// that can be shown to a user unchanged. Numerical outcomes (a solver that stalls) are never
// errors: they are a Status in the result.

#include <stdexcept>
#include <string>

namespace talus {

/// Base of everything Talus throws on purpose.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// An argument or option outside its documented range, or an unknown name.
class InvalidArgument : public Error {
public:
  using Error::Error;
};

/// A contact problem whose data contradict each other or are not finite.
class InvalidProblem : public Error {
public:
  using Error::Error;
};

/// A file that cannot be read or written, or whose content is not what its format promises.
class FileError : public Error {
public:
  FileError(const std::string& path, const std::string& what) : Error(path + ": " + what) {}
};

} // namespace talus
