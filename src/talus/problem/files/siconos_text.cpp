#include "talus/problem/files/siconos_text.h"

#include "talus/core/error.h"
#include "talus/core/files/path.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale.h> // NOLINT(modernize-deprecated-headers): newlocale is POSIX
#include <sstream>

namespace talus {

namespace {

constexpr Index largest_index = std::numeric_limits<Index>::max();

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// A word as it can be shown to people: short, without control characters.
std::string shown(std::string_view word) {
  std::string text;
  for (const char c : word.substr(0, 24))
    text += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  return "'" + text + (word.size() > 24 ? "...'" : "'");
}

std::string_view without_plus(std::string_view word) {
  return word.size() > 1 && word[0] == '+' && word[1] != '-' ? word.substr(1) : word;
}

} // namespace

std::string read_whole_text(const std::string& path) {
  namespace fs = std::filesystem;
  require_path(path, "the name of a problem file");
  std::error_code ignored;
  if (!fs::exists(path, ignored)) throw FileError(path, "there is no such file");
  if (fs::is_directory(path, ignored)) throw FileError(path, "is a directory, not a problem file");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in.is_open() || in.bad()) throw FileError(path, "cannot be read");
  if (text.view().empty()) throw FileError(path, "is empty");
  if (text.view().find('\0') != std::string_view::npos)
    throw FileError(path, "is neither HDF5 nor text; FCLIB files and the LCP, MLCP and rolling "
                          "text files of Siconos are read");
  return text.str();
}

NumberText::NumberText(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {}

void NumberText::fail(const std::string& what) const {
  throw FileError(fmt::format("{}:{}", path_, line_), what);
}

std::string_view NumberText::peek() {
  for (; at_ < text_.size() && is_blank(text_[at_]); ++at_)
    if (text_[at_] == '\n') ++line_;
  std::size_t end = at_;
  while (end < text_.size() && !is_blank(text_[end])) ++end;
  return std::string_view(text_).substr(at_, end - at_);
}

std::string_view NumberText::next(const char* what) {
  const std::string_view word = peek();
  if (word.empty()) fail(fmt::format("the file ends where {} is expected", what));
  at_ += word.size();
  return word;
}

void NumberText::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
}

void NumberText::expect(std::string_view word) {
  const std::string quoted = fmt::format("'{}'", word);
  const std::string_view found = next(quoted.c_str());
  if (found != word) fail(fmt::format("found {} where {} is expected", shown(found), quoted));
}

Index NumberText::integer(const char* what, Index low, Index high) {
  const std::string_view found = next(what), word = without_plus(found);
  Index value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    fail(fmt::format("found {} where {}, an integer, is expected", shown(found), what));
  if (value >= low && value <= high) return value;
  fail(fmt::format("{} is {}; it must be {}", what, value,
                   high == low             ? fmt::format("{}", low)
                   : high == largest_index ? fmt::format("at least {}", low)
                                           : fmt::format("between {} and {}", low, high)));
}

double NumberText::number(const char* what) {
  const std::string_view found = next(what), word = without_plus(found);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() ||
      (error != std::errc() && error != std::errc::result_out_of_range))
    fail(fmt::format("found {} where {}, a number, is expected", shown(found), what));
  // from_chars refuses underflow like overflow; strtod gives the nearest double, 0 or infinity. It
  // would take the decimal point of the program's locale.
  if (error == std::errc::result_out_of_range) {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    value = strtod_l(std::string(word).c_str(), nullptr, plain);
  }
  if (!std::isfinite(value))
    fail(fmt::format("found {} where {}, a finite number, is expected", shown(found), what));
  return value;
}

void NumberText::require_room(std::uint64_t count, const char* what) const {
  // A number takes a digit and a blank, but for the last.
  if (count > (text_.size() - at_ + 1) / 2)
    fail(fmt::format("{} numbers are expected ({}), but the file ends too early", count, what));
}

Vector NumberText::numbers(std::size_t count, const char* what) {
  require_room(count, what);
  Vector values(count);
  for (double& value : values) value = number(what);
  return values;
}

namespace {

struct Block {
  Index row, column;
};

/// The size of the block is `ends[k] - ends[k - 1]`; ends increase up to `total`.
std::vector<Index> read_block_ends(NumberText& text, Index count, Index total, const char* what) {
  text.require_room(count, what);
  std::vector<Index> ends = {0};
  for (Index k = 0; k < count; ++k) ends.push_back(text.integer(what, ends.back(), total));
  if (ends.back() != total)
    text.fail(fmt::format("the last {} is {}; it must be {}", what, ends.back(), total));
  return ends;
}

/// Block-compressed rows: where each block lies.
std::vector<Block> read_block_places(NumberText& text, Index blocks, Index block_rows,
                                     Index block_columns) {
  const Index filled1 = text.integer("the length of index1", 0, largest_index);
  const Index filled2 = text.integer("the length of index2", 0, largest_index);
  if (filled2 != blocks)
    text.fail(fmt::format("index2 has {} entries for {} blocks; it must have one for each", filled2,
                          blocks));
  // Trailing empty block rows may be left out of index1.
  if (filled1 < 1 || filled1 - 1 > block_rows)
    text.fail(fmt::format("index1 has {} entries for {} block rows; {} are expected", filled1,
                          block_rows, block_rows + 1));
  text.require_room(std::uint64_t{0} + filled1 + filled2, "index1 and index2");
  std::vector<Index> start = {text.integer("the first entry of index1", 0, 0)};
  while (static_cast<Index>(start.size()) < filled1)
    start.push_back(text.integer("an entry of index1", start.back(), blocks));
  if (start.back() != blocks)
    text.fail(fmt::format("index1 ends with {}; there are {} blocks", start.back(), blocks));
  std::vector<Block> places;
  for (std::size_t i = 0; i + 1 < start.size(); ++i)
    for (Index k = start[i]; k < start[i + 1]; ++k)
      places.push_back(
          {static_cast<Index>(i), text.integer("a block column in index2", 0, block_columns - 1)});
  return places;
}

SparseMatrix read_blocks(NumberText& text, Index rows, Index columns) {
  const Index blocks = text.integer("the number of blocks", 0, largest_index);
  const Index block_rows = text.integer("the number of block rows", 0, rows);
  const Index block_columns = text.integer("the number of block columns", 0, columns);
  const std::vector<Index> row_ends = read_block_ends(text, block_rows, rows, "block row end");
  const std::vector<Index> column_ends =
      read_block_ends(text, block_columns, columns, "block column end");
  const std::vector<Block> places = read_block_places(text, blocks, block_rows, block_columns);

  std::vector<Triplet> entries;
  for (Index k = 0; k < blocks; ++k) {
    text.integer("the number of the block", k, k);
    const auto [i, j] = places[k];
    for (Index column = column_ends[j]; column < column_ends[j + 1]; ++column)
      for (Index row = row_ends[i]; row < row_ends[i + 1]; ++row)
        if (const double value = text.number("a matrix entry"); value != 0)
          entries.push_back({row, column, value});
  }
  return from_triplets(rows, columns, std::move(entries));
}

SparseMatrix read_dense_columns(NumberText& text, Index rows, Index columns) {
  text.integer("the number of rows (again)", rows, rows);
  text.integer("the number of columns (again)", columns, columns);
  text.require_room(std::uint64_t(rows) * std::uint64_t(columns), "matrix entries");
  std::vector<Triplet> entries;
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i)
      if (const double value = text.number("a matrix entry"); value != 0)
        entries.push_back({i, j, value});
  return from_triplets(rows, columns, std::move(entries));
}

/// The next word must be "rows-by-columns,".
void expect_size(NumberText& text, Index rows, Index columns) {
  text.expect(fmt::format("{}-by-{},", rows, columns));
  text.expect("nzmax:");
}

Index read_entry_count(NumberText& text) {
  text.integer("nzmax", 0, largest_index);
  text.expect("nnz:");
  std::string count(text.peek());
  // "nnz: 12, 1-norm: ..." for compressed columns.
  if (count.ends_with(',')) count.pop_back();
  Index value = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), value);
  if (error != std::errc() || end != count.data() + count.size() || value < 0)
    text.fail(fmt::format("found {} where the number of entries is expected", shown(count)));
  text.skip_line();
  text.require_room(value, "matrix entries");
  return value;
}

/// "row column : value" lines.
std::vector<Triplet> read_printed_triplets(NumberText& text, Index rows, Index columns) {
  text.expect("triplet:");
  expect_size(text, rows, columns);
  std::vector<Triplet> entries(read_entry_count(text));
  for (Triplet& entry : entries) {
    entry.row = text.integer("a row index", 0, rows - 1);
    entry.column = text.integer("a column index", 0, columns - 1);
    text.expect(":");
    entry.value = text.number("a matrix entry");
  }
  return entries;
}

/// "col j : locations a to b", then "row : value" lines for each of them.
std::vector<Triplet> read_printed_columns(NumberText& text, Index rows, Index columns) {
  expect_size(text, rows, columns);
  const Index count = read_entry_count(text);
  std::vector<Triplet> entries;
  for (Index j = 0; j < columns; ++j) {
    text.expect("col");
    text.integer("the column's number", j, j);
    text.expect(":");
    text.expect("locations");
    const Index first = static_cast<Index>(entries.size());
    text.integer("the column's first location", first, first);
    text.expect("to");
    const Index last = text.integer("the column's last location", first - 1, count - 1);
    for (Index k = first; k <= last; ++k) {
      const Index row = text.integer("a row index", 0, rows - 1);
      text.expect(":");
      entries.push_back({row, j, text.number("a matrix entry")});
    }
  }
  if (static_cast<Index>(entries.size()) != count)
    text.fail(
        fmt::format("{} matrix entries were listed; {} were promised", entries.size(), count));
  return entries;
}

SparseMatrix read_printout(NumberText& text, Index rows, Index columns) {
  enum Origin { triplets = 1, compressed_columns = 2 };
  const Index origin = text.integer("the sparse origin (1 triplets, 2 compressed columns)",
                                    triplets, compressed_columns);
  text.expect("CSparse");
  text.skip_line();
  return from_triplets(rows, columns,
                       origin == triplets ? read_printed_triplets(text, rows, columns)
                                          : read_printed_columns(text, rows, columns));
}

} // namespace

SparseMatrix read_siconos_matrix(NumberText& text, Index rows, Index columns) {
  enum Storage { dense, blocks, sparse };
  const Index storage =
      text.integer("the matrix storage (0 dense, 1 blocks, 2 sparse)", dense, sparse);
  const Index stored_rows = text.integer("the number of matrix rows", 0, largest_index);
  const Index stored_columns = text.integer("the number of matrix columns", 0, largest_index);
  if (stored_rows != rows || stored_columns != columns)
    text.fail(fmt::format("the matrix is {} x {}; the problem needs {} x {}", stored_rows,
                          stored_columns, rows, columns));
  switch (storage) {
  case dense:
    return read_dense_columns(text, rows, columns);
  case blocks:
    return read_blocks(text, rows, columns);
  default:
    return read_printout(text, rows, columns);
  }
}

SparseMatrix read_dense_rows(NumberText& text, Index rows, Index columns, const char* what) {
  text.require_room(std::uint64_t(rows) * std::uint64_t(columns), what);
  std::vector<Triplet> entries;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      if (const double value = text.number(what); value != 0) entries.push_back({i, j, value});
  return from_triplets(rows, columns, std::move(entries));
}

} // namespace talus
