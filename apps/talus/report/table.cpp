#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::cli {

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_)
    column.width = std::max(column.width, display_width(column.title));
}

void Table::add(std::vector<std::string> cells) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i].width = std::max(columns_[i].width, display_width(cells[i]));
  lines_.push_back(std::move(cells));
}

std::string Table::line(const std::vector<std::string>& cells) const {
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t width = display_width(cells[i]);
    const std::string space(columns_[i].width > width ? columns_[i].width - width : 0, ' ');
    if (i > 0) text += "  ";
    text += columns_[i].right ? space + cells[i] : cells[i] + space;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

std::string Table::header() const {
  std::vector<std::string> titles;
  titles.reserve(columns_.size());
  for (const Column& column : columns_) titles.push_back(column.title);
  return line(titles);
}

std::string Table::text() const {
  std::string text = header();
  for (const auto& cells : lines_) text += line(cells);
  return text;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const double size = std::abs(value);
  return size >= 1e-3 && size < 1e5 ? fmt::format("{:.4g}", value) : fmt::format("{:.2e}", value);
}

std::string short_tolerance(double tolerance) {
  const int exponent = static_cast<int>(std::floor(std::log10(tolerance) + 1e-12));
  return fmt::format("{:.3g}e{}", tolerance / std::pow(10.0, exponent), exponent);
}

std::string short_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

std::string shares_of_time(double total, std::vector<std::pair<double, std::string>> parts) {
  std::erase_if(parts, [&](const auto& part) { return part.first < 0.01 * total; });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  double other = total;
  std::string text;
  for (const auto& [seconds, name] : parts) {
    text += fmt::format("{} {}, ", name, short_seconds(seconds));
    other -= seconds;
  }
  return fmt::format("{} ({}other {})", short_seconds(total), text,
                     short_seconds(std::max(0.0, other)));
}

} // namespace talus::cli
