#pragma once
// Reads JSON text from its beginning to its end, as the caller asks for it. The text is not
// trusted; every complaint is a FileError with the line.

#include <cstdint>
#include <string>
#include <string_view>

namespace talus::description {

class JsonReader {
public:
  JsonReader(std::string_view text, std::string path) : text_(text), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& what) const;

  /// Goes past the character, or says no.
  bool take(char c);
  void expect(char c);
  /// Goes past the word, or says no.
  bool take_word(std::string_view word);
  bool at_end();

  std::string string();
  /// Strings "inf", "-inf" and "nan" are numbers, too.
  double number();
  std::int64_t integer();
  bool truth();

private:
  void skip_space();
  void skip_to(std::size_t position) { position_ = position; }
  char escaped_character();
  template <class Number>
  Number parsed(const char* what);

  std::string_view text_;
  std::string path_;
  std::size_t position_ = 0;
};

} // namespace talus::description
