// Writing a description as text: JSON (RFC 8259), one line for every material, shape, body and
// joint. Numbers have as many digits as they need to be read back bit for bit.

#include "talus/io/description/description_fields.h"
#include "talus/io/description/description_version.h"
#include "talus/io/description/enumeration_names.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace talus {

namespace description {
namespace {

class Writer {
public:
  std::string take() { return std::move(text_); }

  void put(bool value) { text_ += value ? "true" : "false"; }
  void put(double value) {
    if (std::isfinite(value))
      fmt::format_to(std::back_inserter(text_), "{}", value);
    else
      text_ += value > 0 ? "\"inf\"" : value < 0 ? "\"-inf\"" : "\"nan\"";
  }
  template <std::integral Number>
  void put(Number value) {
    fmt::format_to(std::back_inserter(text_), "{}", value);
  }
  void put(std::string_view value) {
    text_ += '"';
    for (const char c : value) put_character(c);
    text_ += '"';
  }
  void put(const std::string& value) { put(std::string_view(value)); }
  template <class Enumeration>
  requires std::is_enum_v<Enumeration>
  void put(Enumeration value) { put(name_of(value)); }
  void put(const FrictionSet& set) { put(to_string(set)); }
  void put(const Vec3& v) { put_list(v.x, v.y, v.z); }
  void put(const Quaternion& q) { put_list(q.w, q.x, q.y, q.z); }
  void put(const Transform& t) { put_list(t.position, t.rotation); }
  void put(const Mat3& m) { put_items(std::begin(m.m), std::end(m.m)); }
  template <class A, class B>
  void put(const std::pair<A, B>& pair) {
    put_list(pair.first, pair.second);
  }
  template <class Item, std::size_t count>
  void put(const std::array<Item, count>& items) {
    put_items(items.begin(), items.end());
  }
  template <class Item>
  void put(const std::vector<Item>& items) {
    constexpr bool in_lines =
        std::is_same_v<Item, BodyDescription> || std::is_same_v<Item, JointDescription> ||
        std::is_same_v<Item, SensorDescription> || std::is_same_v<Item, FluidDescription> ||
        std::is_same_v<Item, ShapeDescription>;
    put_items(items.begin(), items.end(), in_lines ? "\n" : "");
  }
  template <class Item>
  void put(const std::optional<Item>& item) {
    if (item)
      put(*item);
    else
      text_ += "null";
  }
  void put(const MaterialTable& table) {
    std::vector<Material> all;
    for (Index i = 0; i < table.size(); ++i) all.push_back(table[i]);
    text_ += "{\"friction_rule\":";
    put(table.friction_rule);
    text_ += ",\"restitution_rule\":";
    put(table.restitution_rule);
    text_ += ",\"rolling_rule\":";
    put(table.rolling_rule);
    text_ += ",\"cohesion_rule\":";
    put(table.cohesion_rule);
    text_ += ",\"all\":";
    put_items(all.begin(), all.end(), "\n");
    text_ += ",\"pairs\":";
    put_items(table.pairs().begin(), table.pairs().end(), "\n");
    text_ += '}';
  }
  void put(const ShapeDescription& shape) {
    fmt::format_to(std::back_inserter(text_), "{{\"{}\":", shape_names[shape.geometry.index()]);
    std::visit([this](const auto& geometry) { put(geometry); }, shape.geometry);
    text_ += '}';
  }
  template <Listed Part>
  void put(const Part& part) {
    static const std::vector<std::string> usual = texts_of_members(Part{});
    text_ += '{';
    put_members(part, usual, "");
    text_ += '}';
  }

  void put_document(const WorldDescription& d) {
    static const std::vector<std::string> usual = texts_of_members(WorldDescription{});
    fmt::format_to(std::back_inserter(text_), "{{\"{}\":{}", format_key, format_version);
    put_members(d, usual, "\n", false);
    text_ += "\n}\n";
  }

private:
  void put_character(char c) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      text_ += c;
    }
  }
  template <class Iterator>
  void put_items(Iterator begin, Iterator end, std::string_view before_each = "") {
    text_ += '[';
    for (Iterator i = begin; i != end; ++i) {
      if (i != begin) text_ += ',';
      text_ += before_each;
      put(*i);
    }
    text_ += ']';
  }
  template <class... Items>
  void put_list(const Items&... items) {
    text_ += '[';
    bool first = true;
    ((text_ += first ? "" : ",", first = false, put(items)), ...);
    text_ += ']';
  }
  template <class Part>
  static std::vector<std::string> texts_of_members(Part part) {
    std::vector<std::string> texts;
    members(part, [&](const char*, auto& member) {
      Writer writer;
      writer.put(std::as_const(member));
      texts.push_back(writer.take());
    });
    return texts;
  }
  /// Those that differ from what is usual.
  template <class Part>
  void put_members(const Part& part, const std::vector<std::string>& usual,
                   std::string_view before_each, bool first = true) {
    std::size_t position = 0;
    // The lists serve readers too, so they take what they may change.
    members(const_cast<Part&>(part), [&](const char* name, auto& member) {
      const std::size_t before = text_.size();
      if (!first) text_ += ',';
      text_ += before_each;
      fmt::format_to(std::back_inserter(text_), "\"{}\":", name);
      const std::size_t begin = text_.size();
      put(std::as_const(member));
      if (std::string_view(text_).substr(begin) == usual[position++])
        text_.resize(before);
      else
        first = false;
    });
  }

  std::string text_;
};

} // namespace
} // namespace description

std::string description_text(const WorldDescription& description) {
  description::Writer writer;
  writer.put_document(description);
  return writer.take();
}

} // namespace talus
