#pragma once
// Named arrays of numbers and texts as one block of bytes, for the viewer page:
//
//     bytes 0..3   length L of the header, little-endian
//     L bytes      JSON: {"sections": [{"name", "type", "offset", "length"}, ...],
//                         "shuffled": bool}
//     the rest     the sections; offsets count from here and are multiples of 8
//
// Types are f64, f32, i32, i16 and text (UTF-8). A shuffled package stores the first bytes of
// all numbers of a section, then the second ones, and so on, which deflates much better.
// Everything is little-endian, as every machine that runs Talus or a browser is.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::cli {

class DataPackage {
public:
  void add(std::string_view name, std::span<const double> numbers);
  void add(std::string_view name, std::span<const float> numbers);
  void add(std::string_view name, std::span<const std::int32_t> numbers);
  void add(std::string_view name, std::span<const std::int16_t> numbers);
  void add_text(std::string_view name, std::string_view text);

  std::string bytes() const;
  /// Shuffled, deflated in gzip's format, in base64: for pages that carry their data.
  std::string embedded() const;

private:
  struct Section {
    std::string name, type;
    std::size_t element_size;
    std::string bytes;
  };
  template <class Number>
  void add_numbers(std::string_view name, const char* type, std::span<const Number> numbers);
  std::string assemble(bool shuffled) const;

  std::vector<Section> sections_;
};

std::string base64(std::string_view bytes);
/// As gzip writes it. Throws Error when zlib fails.
std::string gzip(std::string_view bytes);

} // namespace talus::cli
