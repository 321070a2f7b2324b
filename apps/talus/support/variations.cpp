#include "variations.h"

#include "arguments.h"
#include "talus/core/elementary.h"
#include "talus/core/error.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace talus::cli {
namespace {

constexpr std::size_t most_runs = 1'000'000;

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, value);
  if (failure != std::errc() || end != last || !std::isfinite(value)) return {};
  return value;
}

std::vector<std::string> values_of_range(std::string_view text, std::string_view range) {
  const std::vector<std::string> parts = parts_of(range, ':');
  const auto fail = [&](std::string_view why) -> InvalidArgument {
    return InvalidArgument(fmt::format(
        "--vary {}: {}; a range is FROM:TO:COUNT or FROM:TO:COUNT:log, e.g. 0.1:0.8:8", text, why));
  };
  const bool by_factors = parts.size() == 4 && parts[3] == "log";
  if (parts.size() != 3 && !by_factors) throw fail(fmt::format("'{}' is no range", range));
  const auto from = number_in(parts[0]), to = number_in(parts[1]), count = number_in(parts[2]);
  if (!from || !to || !count) throw fail("its parts are not all finite numbers");
  if (*count != std::floor(*count) || *count < 2 || *count > static_cast<double>(most_runs))
    throw fail(fmt::format("the count is {}, it must be a whole number from 2 to {}", parts[2],
                           most_runs));
  if (by_factors && !(*from > 0 && *to > 0)) throw fail("equal factors need positive ends");
  std::vector<std::string> values;
  const auto n = static_cast<int>(*count);
  for (int i = 0; i < n; ++i) {
    const double share = static_cast<double>(i) / (n - 1);
    const double value = i == 0       ? *from
                         : i == n - 1 ? *to
                         : by_factors
                             ? exponential((1 - share) * logarithm(*from) + share * logarithm(*to))
                             : (1 - share) * *from + share * *to;
    values.push_back(fmt::format("{:.10g}", value));
  }
  return values;
}

} // namespace

Variation parse_variation(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    throw InvalidArgument(
        fmt::format("--vary takes KEY.PATH=FROM:TO:COUNT or KEY.PATH=a,b,c, not '{}'", text));
  Variation variation{std::string(text.substr(0, equals)), {}};
  const std::string_view values = text.substr(equals + 1);
  if (values.find(':') != std::string_view::npos && values.find(',') == std::string_view::npos)
    variation.values = values_of_range(text, values);
  else
    variation.values = split_list(values, "--vary " + variation.key);
  return variation;
}

std::vector<std::vector<std::string>> combinations(const std::vector<Variation>& variations) {
  std::set<std::string> keys;
  std::size_t count = 1;
  for (const Variation& each : variations) {
    if (!keys.insert(each.key).second)
      throw InvalidArgument(fmt::format("--vary gives {} twice", each.key));
    count *= each.values.size();
    if (count > most_runs)
      throw InvalidArgument(fmt::format("--vary asks for more than {} runs", most_runs));
  }
  std::vector<std::vector<std::string>> all = {{}};
  for (const Variation& each : variations) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& begun : all)
      for (const std::string& value : each.values) {
        longer.push_back(begun);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

} // namespace talus::cli
