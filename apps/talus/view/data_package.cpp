#include "data_package.h"

#include "talus/core/error.h"

#include <nlohmann/json.hpp>

#include <cstring>
#include <zlib.h>

namespace talus::cli {
namespace {

std::string shuffle(const std::string& bytes, std::size_t element_size) {
  const std::size_t count = bytes.size() / element_size;
  std::string result(bytes.size(), '\0');
  for (std::size_t k = 0; k < element_size; ++k)
    for (std::size_t i = 0; i < count; ++i) result[k * count + i] = bytes[i * element_size + k];
  return result;
}

} // namespace

template <class Number>
void DataPackage::add_numbers(std::string_view name, const char* type,
                              std::span<const Number> numbers) {
  std::string bytes(numbers.size_bytes(), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  sections_.push_back({std::string(name), type, sizeof(Number), std::move(bytes)});
}

void DataPackage::add(std::string_view name, std::span<const double> numbers) {
  add_numbers(name, "f64", numbers);
}
void DataPackage::add(std::string_view name, std::span<const float> numbers) {
  add_numbers(name, "f32", numbers);
}
void DataPackage::add(std::string_view name, std::span<const std::int32_t> numbers) {
  add_numbers(name, "i32", numbers);
}
void DataPackage::add(std::string_view name, std::span<const std::int16_t> numbers) {
  add_numbers(name, "i16", numbers);
}
void DataPackage::add_text(std::string_view name, std::string_view text) {
  sections_.push_back({std::string(name), "text", 1, std::string(text)});
}

std::string DataPackage::assemble(bool shuffled) const {
  nlohmann::ordered_json header;
  header["sections"] = nlohmann::ordered_json::array();
  header["shuffled"] = shuffled;
  std::size_t offset = 0;
  const auto padded = [](std::size_t size) { return (size + 7) / 8 * 8; };
  for (const Section& section : sections_) {
    header["sections"].push_back({{"name", section.name},
                                  {"type", section.type},
                                  {"offset", offset},
                                  {"length", section.bytes.size() / section.element_size}});
    offset += padded(section.bytes.size());
  }
  std::string text = header.dump();
  text.resize(padded(text.size() + 4) - 4, ' ');

  const auto length = static_cast<std::uint32_t>(text.size());
  std::string result(4, '\0');
  std::memcpy(result.data(), &length, 4);
  result.reserve(4 + text.size() + offset);
  result += text;
  for (const Section& section : sections_) {
    result += shuffled ? shuffle(section.bytes, section.element_size) : section.bytes;
    result.resize(padded(result.size()), '\0');
  }
  return result;
}

std::string DataPackage::bytes() const {
  return assemble(false);
}

std::string DataPackage::embedded() const {
  return base64(gzip(assemble(true)));
}

std::string gzip(std::string_view bytes) {
  constexpr int window_bits_for_gzip = 15 + 16, memory_level = 8;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits_for_gzip, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("zlib cannot deflate: it is out of memory");
  std::string result;
  std::string buffer(1 << 20, '\0');
  int state = Z_OK;
  // zlib counts its input in 32 bits.
  constexpr std::size_t portion = std::size_t{1} << 30;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && !bytes.empty()) {
      const std::size_t count = std::min(portion, bytes.size());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(count);
      bytes.remove_prefix(count);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) break;
    result.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  if (state != Z_STREAM_END) throw Error("zlib cannot deflate the data of the page");
  return result;
}

std::string base64(std::string_view bytes) {
  constexpr const char* letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? letters[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

} // namespace talus::cli
