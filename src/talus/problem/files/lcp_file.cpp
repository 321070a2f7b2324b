#include "talus/problem/files/lcp_file.h"

#include "talus/core/error.h"
#include "talus/problem/files/siconos_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

namespace talus {

namespace {

constexpr Index largest_index = std::numeric_limits<Index>::max();

enum class Kind { lcp, mlcp, friction, unknown };

/// The first five numbers tell: an LCP starts "n storage n n", an MLCP "st1 st2 n m", where 0 (the
/// first block end) follows if st1 is set, a friction problem "components contacts storage".
Kind recognise(std::string_view text) {
  Index head[5] = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (Index& value : head) {
    while (at < end && std::isspace(static_cast<unsigned char>(*at))) ++at;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 0) return Kind::unknown;
    at = next;
  }
  const bool flags = head[0] <= 1 && head[1] <= 1 && head[0] + head[1] > 0;
  if (flags && (head[0] == 0 || head[4] == 0)) return Kind::mlcp;
  if (head[1] <= 2 && head[2] == head[0] && head[3] == head[0]) return Kind::lcp;
  if (head[0] >= 2 && head[0] <= 6 && head[2] <= 2 && head[3] == head[4]) return Kind::friction;
  // A matrix that is not square is said to be so by the reader.
  return head[1] <= 2 && (head[2] == head[0] || head[3] == head[0]) ? Kind::lcp : Kind::unknown;
}

ContactProblem make_problem(LocalModel model) {
  ContactProblem problem;
  problem.dimension = 1;
  problem.friction.kind = FrictionKind::none;
  problem.mu.assign(model.q.size(), 0.0);
  problem.model = std::move(model);
  return problem;
}

ContactProblem parse_lcp(NumberText& text) {
  const Index n = text.integer("the size n", 0, largest_index);
  text.require_room(n, "the entries of q");
  LocalModel model;
  model.W = read_siconos_matrix(text, n, n);
  model.q = text.numbers(n, "an entry of q");
  return make_problem(std::move(model));
}

/// For each unknown of the whole problem, whether it is a complementarity unknown.
std::vector<bool> read_block_flags(NumberText& text, Index n, Index m) {
  const Index total = n + m;
  text.require_room(total, "the entries of q");
  std::vector<Index> ends = {text.integer("the first block end", 0, 0)};
  while (ends.back() != total)
    ends.push_back(text.integer("a block end (they increase to n + m)", ends.back() + 1, total));
  std::vector<bool> complementary(total);
  for (std::size_t k = 0; k + 1 < ends.size(); ++k)
    if (text.integer("a block's flag (0 equality, 1 complementarity)", 0, 1) == 1)
      std::fill(complementary.begin() + ends[k], complementary.begin() + ends[k + 1], true);
  if (std::count(complementary.begin(), complementary.end(), true) != m)
    text.fail(fmt::format("the blocks have {} complementarity unknowns; the header says {}",
                          std::count(complementary.begin(), complementary.end(), true), m));
  return complementary;
}

/// Sorts the whole matrix and vector into equality and complementarity parts.
LocalModel split(const SparseMatrix& whole, const Vector& vector,
                 const std::vector<bool>& complementary) {
  std::vector<Index> place(whole.rows);
  Index sizes[2] = {0, 0};
  for (Index i = 0; i < whole.rows; ++i) place[i] = sizes[complementary[i]]++;
  std::vector<Triplet> parts[2][2];
  for (Index i = 0; i < whole.rows; ++i)
    for (Index k = whole.row_start[i]; k < whole.row_start[i + 1]; ++k) {
      const Index j = whole.column[k];
      parts[complementary[i]][complementary[j]].push_back({place[i], place[j], whole.value[k]});
    }
  const auto part = [&](int i, int j) { return from_triplets(sizes[i], sizes[j], parts[i][j]); };
  LocalModel model;
  model.R = part(0, 0);
  model.U = part(0, 1);
  model.V = part(1, 0);
  model.W = part(1, 1);
  for (Index i = 0; i < whole.rows; ++i)
    (complementary[i] ? model.q : model.s).push_back(vector[i]);
  return model;
}

LocalModel read_whole(NumberText& text, Index n, Index m) {
  const std::vector<bool> complementary = read_block_flags(text, n, m);
  const SparseMatrix whole = read_siconos_matrix(text, n + m, n + m);
  return split(whole, text.numbers(n + m, "an entry of q"), complementary);
}

LocalModel read_parts(NumberText& text, Index n, Index m) {
  LocalModel model;
  model.R = read_dense_rows(text, n, n, "an entry of A");
  model.W = read_dense_rows(text, m, m, "an entry of B");
  model.U = read_dense_rows(text, n, m, "an entry of C");
  model.V = read_dense_rows(text, m, n, "an entry of D");
  model.s = text.numbers(n, "an entry of a");
  model.q = text.numbers(m, "an entry of b");
  return model;
}

double largest(const Vector& x) {
  double result = 0;
  for (const double value : x) result = std::max(result, std::abs(value));
  return result;
}

/// Sparse blocks are printed with 6 digits, dense ones exactly.
constexpr double printing_tolerance = 1e-5;

bool agree(const SparseMatrix& a, const SparseMatrix& b) {
  const double tolerance = printing_tolerance * std::max(largest(a.value), largest(b.value));
  const auto covered = [&](const SparseMatrix& x, const SparseMatrix& y) {
    for (Index i = 0; i < x.rows; ++i)
      for (Index k = x.row_start[i]; k < x.row_start[i + 1]; ++k)
        if (std::abs(x.value[k] - entry(y, i, x.column[k])) > tolerance) return false;
    return true;
  };
  return covered(a, b) && covered(b, a);
}

bool agree(const Vector& a, const Vector& b) {
  const double tolerance = printing_tolerance * std::max(largest(a), largest(b));
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](double x, double y) { return std::abs(x - y) <= tolerance; });
}

void check_same(const NumberText& text, const LocalModel& whole, const LocalModel& parts) {
  if (!agree(whole.R, parts.R) || !agree(whole.W, parts.W) || !agree(whole.U, parts.U) ||
      !agree(whole.V, parts.V) || !agree(whole.s, parts.s) || !agree(whole.q, parts.q))
    text.fail("the file holds two different problems: its whole matrix (first storage) is not "
              "made of A, B, C, D, a, b (second storage)");
}

ContactProblem parse_mlcp(NumberText& text) {
  const bool has_whole = text.integer("the flag of the first storage", 0, 1) == 1;
  const bool has_parts = text.integer("the flag of the second storage", 0, 1) == 1;
  const Index n = text.integer("the number of equality unknowns", 0, largest_index);
  const Index m = text.integer("the number of complementarity unknowns", 0, largest_index - n);
  std::optional<LocalModel> whole;
  if (has_whole) whole = read_whole(text, n, m);
  if (!has_parts) {
    assert(whole); // recognise() takes no file without either
    return make_problem(std::move(*whole));
  }
  LocalModel parts = read_parts(text, n, m);
  if (whole) check_same(text, *whole, parts);
  return make_problem(std::move(parts));
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return std::string(text);
}

/// Numbers after the problem look like a reference solution, words like a remark.
std::string read_remark(NumberText& text) {
  const std::string_view word = text.peek();
  const bool is_number = !word.empty() && (std::isdigit(static_cast<unsigned char>(word[0])) ||
                                           word[0] == '-' || word[0] == '+' || word[0] == '.');
  return is_number ? std::string() : trimmed(text.rest());
}

} // namespace

ContactProblem read_lcp(const std::string& path) {
  std::string content = read_whole_text(path);
  const Kind kind = recognise(content);
  NumberText text(path, std::move(content));
  if (kind == Kind::unknown)
    throw FileError(path, "is not a problem file: neither HDF5 nor the text of an LCP (n, matrix, "
                          "vector) or MLCP (st1 st2 n m, matrices, vectors)");
  if (kind == Kind::friction)
    throw FileError(path,
                    fmt::format("is a friction problem in Siconos text with {} components "
                                "per contact; of the text files LCP, MLCP and those with 5 or 6 "
                                "components (rolling friction) are read, friction problems "
                                "of 2 or 3 components from FCLIB HDF5",
                                text.peek()));
  ContactProblem problem = kind == Kind::lcp ? parse_lcp(text) : parse_mlcp(text);
  problem.title = std::filesystem::path(path).stem().string();
  problem.description = read_remark(text);
  problem.math_info =
      kind == Kind::lcp ? "linear complementarity problem" : "mixed linear complementarity problem";
  try {
    validate(problem);
  } catch (const InvalidProblem& error) {
    throw FileError(path, error.what());
  }
  return problem;
}

} // namespace talus
