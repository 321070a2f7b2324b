#pragma once
// The plain-text vocabulary of Siconos: numbers separated by blanks, and matrices in its three
// storages. Errors are FileErrors "path:line: what was expected".

#include "talus/core/sparse_matrix.h"

#include <string>
#include <string_view>

namespace talus {

/// The content of a text file. Throws FileError: missing, a directory, empty, not text.
std::string read_whole_text(const std::string& path);

/// Walks through a text number by number and knows the line it is on.
class NumberText {
public:
  /// `path` is used in messages only.
  NumberText(std::string path, std::string text);

  /// The next integer, within [low, high]; `what` names it in errors.
  Index integer(const char* what, Index low, Index high);
  /// The next finite number.
  double number(const char* what);
  /// The next `count` finite numbers.
  Vector numbers(std::size_t count, const char* what);
  /// The next word must be this one.
  void expect(std::string_view word);
  /// The next word, left where it is; empty at the end.
  std::string_view peek();
  /// Leaves the rest of the line.
  void skip_line();
  /// What has not been read yet.
  std::string_view rest() const { return std::string_view(text_).substr(at_); }

  /// Throws unless `count` more numbers can be there; before memory is taken for them.
  void require_room(std::uint64_t count, const char* what) const;
  /// Throws FileError at the current line.
  [[noreturn]] void fail(const std::string& what) const;

private:
  std::string_view next(const char* what);

  std::string path_, text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/// A matrix of the given size in dense (column-major), sparse-block or CSparse storage. Zeros of
/// dense storages are not stored.
SparseMatrix read_siconos_matrix(NumberText& text, Index rows, Index columns);

/// The next rows x columns numbers, row by row; zeros are not stored.
SparseMatrix read_dense_rows(NumberText& text, Index rows, Index columns, const char* what);

} // namespace talus
