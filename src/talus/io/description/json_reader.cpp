#include "talus/io/description/json_reader.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace talus::description {

void JsonReader::fail(const std::string& what) const {
  const auto line =
      1 + std::count(text_.begin(), text_.begin() + static_cast<long>(position_), '\n');
  throw FileError(fmt::format("{}:{}", path_, line), what);
}

void JsonReader::skip_space() {
  while (position_ < text_.size() &&
         std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos)
    ++position_;
}

bool JsonReader::take(char c) {
  skip_space();
  if (position_ >= text_.size() || text_[position_] != c) return false;
  ++position_;
  return true;
}

void JsonReader::expect(char c) {
  if (!take(c)) fail(fmt::format("'{}' is missing", c));
}

bool JsonReader::take_word(std::string_view word) {
  skip_space();
  if (!text_.substr(position_).starts_with(word)) return false;
  position_ += word.size();
  return true;
}

bool JsonReader::at_end() {
  skip_space();
  return position_ == text_.size();
}

/// Descriptions escape quotes, backslashes and control characters only.
char JsonReader::escaped_character() {
  if (position_ >= text_.size()) fail("the text ends within a string");
  const char c = text_[position_++];
  if (c == '"' || c == '\\' || c == '/') return c;
  unsigned code = 0;
  const std::string_view digits = text_.substr(position_, 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (c != 'u' || error != std::errc() || end != digits.data() + 4 || code >= 0x80)
    fail("an escape in a string is not known");
  position_ += 4;
  return static_cast<char>(code);
}

std::string JsonReader::string() {
  expect('"');
  std::string result;
  while (position_ < text_.size()) {
    const char c = text_[position_++];
    if (c == '"') return result;
    result += c == '\\' ? escaped_character() : c;
  }
  fail("the text ends within a string");
}

template <class Number>
Number JsonReader::parsed(const char* what) {
  skip_space();
  Number value = 0;
  const char *begin = text_.data() + position_, *last = text_.data() + text_.size();
  const auto [end, error] = std::from_chars(begin, last, value);
  if (error != std::errc()) fail(fmt::format("{} is missing or out of range", what));
  position_ += static_cast<std::size_t>(end - begin);
  return value;
}

double JsonReader::number() {
  skip_space();
  if (position_ >= text_.size() || text_[position_] != '"') return parsed<double>("a number");
  const std::string word = string();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (word == "inf") return infinity;
  if (word == "-inf") return -infinity;
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  fail(fmt::format("'{}' is not a number", word));
}

std::int64_t JsonReader::integer() {
  return parsed<std::int64_t>("an integer");
}

bool JsonReader::truth() {
  if (take_word("true")) return true;
  if (take_word("false")) return false;
  fail("true or false is missing");
}

} // namespace talus::description
