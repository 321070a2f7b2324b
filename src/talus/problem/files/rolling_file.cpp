#include "talus/problem/files/rolling_file.h"

#include "talus/contact/set_traits.h"
#include "talus/core/error.h"
#include "talus/problem/files/siconos_text.h"

#include <cctype>
#include <charconv>
#include <filesystem>
#include <limits>

namespace talus {
namespace {

constexpr Index largest_index = std::numeric_limits<Index>::max();

/// Reads up to `count` integers from the beginning of a text; fewer when a word is not an integer.
std::vector<Index> leading_integers(std::string_view text, std::size_t count) {
  std::vector<Index> found;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (found.size() < count) {
    while (at < end && is_blank(*at)) ++at;
    Index value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (next < end && !is_blank(*next))) break;
    found.push_back(value);
    at = next;
  }
  return found;
}

/// "components contacts storage rows columns", as no complementarity problem begins.
bool begins_like_rolling(std::string_view text) {
  const std::vector<Index> head = leading_integers(text, 5);
  return head.size() == 5 && exists_in(FrictionKind::rolling, head[0]) && head[1] >= 0 &&
         head[2] >= 0 && head[2] <= 2 && head[3] == head[4] && head[2] != head[0];
}

/// The number of rows of the matrix that comes next, "storage rows columns ...".
Index rows_of_next_matrix(const NumberText& text) {
  const std::vector<Index> head = leading_integers(text.rest(), 3);
  if (head.size() < 3 || head[1] < 0) text.fail("a matrix \"storage rows columns\" is expected");
  return head[1];
}

bool is_matrix_next(const NumberText& text) {
  const std::vector<Index> head = leading_integers(text.rest(), 3);
  return head.size() == 3 && head[0] >= 0 && head[0] <= 2;
}

ContactProblem parse(NumberText& text) {
  ContactProblem problem;
  problem.dimension = text.integer("the number of components", 3, max_dimension);
  if (!exists_in(FrictionKind::rolling, problem.dimension))
    text.fail("contacts have 3, 5 or 6 components");
  problem.friction.kind = FrictionKind::rolling;
  const Index contacts =
      text.integer("the number of contacts", 0, largest_index / problem.dimension);
  const Index impulses = problem.dimension * contacts, size = rows_of_next_matrix(text);
  SparseMatrix first = read_siconos_matrix(text, size, size);
  if (is_matrix_next(text)) {
    GlobalModel model;
    model.M = std::move(first);
    model.H = read_siconos_matrix(text, size, impulses);
    model.f = text.numbers(size, "an entry of f");
    model.w = text.numbers(impulses, "an entry of w");
    problem.model = std::move(model);
  } else {
    if (size != impulses)
      text.fail("W has " + std::to_string(size) + " rows; " + std::to_string(impulses) +
                " are needed, or a matrix H behind it");
    LocalModel model;
    model.W = std::move(first);
    model.q = text.numbers(impulses, "an entry of q");
    problem.model = std::move(model);
  }
  problem.mu = text.numbers(contacts, "a friction coefficient");
  if (problem.dimension == 3 && contacts > 0 && text.peek().empty())
    text.fail("coefficients of rolling friction are expected; Siconos' problems without moments "
              "are read from FCLIB files only");
  problem.rolling = text.numbers(contacts, "a coefficient of rolling friction");
  if (problem.dimension == 6)
    problem.spinning = text.numbers(contacts, "a coefficient of spinning friction");
  return problem;
}

} // namespace

bool is_rolling_text(const std::string& path) {
  return begins_like_rolling(read_whole_text(path));
}

ContactProblem read_rolling_text(const std::string& path) {
  NumberText text(path, read_whole_text(path));
  ContactProblem problem = parse(text);
  problem.title = std::filesystem::path(path).stem().string();
  problem.math_info = "rolling friction";
  try {
    validate(problem);
  } catch (const InvalidProblem& error) {
    throw FileError(path, error.what());
  }
  return problem;
}

} // namespace talus
