#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "talus/problem/files/lcp_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

namespace talus {
namespace {

/// Numbers with all their digits, `per_line` to a line.
void append_numbers(std::string& text, const Vector& numbers, std::size_t per_line) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{}{}", numbers[i],
                   (i + 1) % per_line == 0 || i + 1 == numbers.size() ? "\n" : " ");
}

/// Row by row, or column by column when transposed.
void append_dense(std::string& text, const SparseMatrix& a, Index rows, Index columns) {
  Vector line(columns);
  for (Index i = 0; i < rows; ++i) {
    std::fill(line.begin(), line.end(), 0.0);
    if (!a.empty())
      for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k) line[a.column[k]] = a.value[k];
    append_numbers(text, line, line.size());
  }
}

const LocalModel& model_of(const ContactProblem& problem) {
  const auto* model = std::get_if<LocalModel>(&problem.model);
  const auto is_bound = [](double bound) { return std::isfinite(bound); };
  if (!model || problem.dimension != 1)
    throw InvalidProblem("an LCP file holds a local problem of one component per contact");
  if (!problem.compliance.empty() || std::ranges::any_of(problem.row_lower, is_bound) ||
      std::ranges::any_of(problem.row_upper, is_bound))
    throw InvalidProblem("an LCP file has no place for compliance or bounded rows");
  return *model;
}

std::string text_of(const ContactProblem& problem) {
  const LocalModel& model = model_of(problem);
  const Index m = problem.contacts(), n = problem.equalities();
  std::string text;
  if (n == 0) {
    text = fmt::format("{}\n0 {} {}\n{} {}\n", m, m, m, m, m);
    append_dense(text, transpose(model.W), m, m);
  } else {
    text = fmt::format("0 1 {} {}\n", n, m);
    append_dense(text, model.R, n, n);
    append_dense(text, model.W, m, m);
    append_dense(text, model.U.empty() ? transpose(model.V) : model.U, n, m);
    append_dense(text, model.V, m, n);
    append_numbers(text, model.s, model.s.size());
  }
  append_numbers(text, model.q, std::max<std::size_t>(1, model.q.size()));
  return text;
}

} // namespace

void write_lcp(const std::string& path, const ContactProblem& problem,
               const LcpSolution& solution) {
  validate(problem);
  std::string text = text_of(problem) + "\n";
  if (!problem.description.empty()) text += problem.description + "\n";
  const auto append = [&](const char* name, const Vector& values) {
    if (values.empty()) return;
    text += fmt::format("{} =\n", name);
    append_numbers(text, values, 1);
  };
  append("u", solution.u);
  append("z", solution.z);
  append("w", solution.w);
  AtomicFile target(path);
  std::ofstream file(target.temporary_path(), std::ios::binary);
  file << text;
  file.close();
  if (!file) throw FileError(path, "cannot be written");
  target.commit();
}

} // namespace talus
