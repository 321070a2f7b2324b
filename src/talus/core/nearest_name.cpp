#include "talus/core/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace talus {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Distance of Damerau and Levenshtein in which no part is edited twice, by its recurrence over
/// prefixes; only the last three rows are kept.
std::size_t mistakes_between(std::string_view a, std::string_view b) {
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto &above = rows[(i - 1) % 3], &two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

} // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  constexpr std::size_t letters_per_mistake = 3;
  std::string_view nearest;
  std::size_t fewest = name.size() / letters_per_mistake + 1;
  for (const std::string_view candidate : known) {
    // Names of very different lengths are far apart, whatever their letters.
    if (candidate.size() >= name.size() + fewest || name.size() >= candidate.size() + fewest)
      continue;
    const std::size_t mistakes = mistakes_between(name, candidate);
    if (mistakes >= fewest) continue;
    fewest = mistakes;
    nearest = candidate;
  }
  return nearest;
}

std::string unknown_name(std::string_view name, std::span<const std::string_view> known,
                         std::string_view list) {
  const std::string_view nearest = nearest_name(name, known);
  const std::string hint =
      nearest.empty() ? std::string() : fmt::format(" (did you mean {}?)", nearest);
  return fmt::format("'{}'{}; {}: {}", name, hint, list,
                     known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

std::string unknown_name(std::string_view name, const std::vector<std::string>& known,
                         std::string_view list) {
  return unknown_name(name, std::vector<std::string_view>(known.begin(), known.end()), list);
}

} // namespace talus
