#include "request_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace talus::cli {
namespace {

char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return lower_case(a) == b; });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Digits and nothing else.
template <class Number>
std::optional<Number> plain_number(std::string_view text) {
  Number value = 0;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return {};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc()) return {};
  return value;
}

bool is_port(std::string_view text) {
  return plain_number<std::uint16_t>(text).value_or(0) > 0;
}

} // namespace

std::size_t header_length(std::string_view text, std::size_t known) {
  constexpr std::string_view end = "\n\r\n";
  const std::size_t found = text.find(end, known < end.size() ? 0 : known - end.size());
  return found == std::string_view::npos ? 0 : found + end.size();
}

std::vector<std::string_view> header_values(std::string_view header, std::string_view name) {
  std::vector<std::string_view> values;
  for (std::size_t begin = 0; begin < header.size();) {
    const std::size_t end = std::min(header.find('\n', begin), header.size());
    std::string_view line = header.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && same_name(trimmed(line.substr(0, colon)), name))
      values.push_back(trimmed(line.substr(colon + 1)));
    begin = end + 1;
  }
  return values;
}

std::optional<std::size_t> body_length(std::string_view header) {
  if (!header_values(header, "transfer-encoding").empty()) return {};
  const auto lengths = header_values(header, "content-length");
  if (lengths.empty()) return 0;
  if (lengths.size() > 1) return {};
  return plain_number<std::size_t>(lengths[0]);
}

bool names_host(std::string_view header, std::span<const std::string> names) {
  const auto hosts = header_values(header, "host");
  if (hosts.size() != 1) return false;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    if (!same_name(hosts[0].substr(0, name.size()), name)) return false;
    const std::string_view rest = hosts[0].substr(name.size());
    return rest.empty() || (rest.front() == ':' && is_port(rest.substr(1)));
  });
}

} // namespace talus::cli
