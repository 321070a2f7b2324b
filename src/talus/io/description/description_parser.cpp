// Reading the text of a description.

#include "talus/core/error.h"
#include "talus/io/description/description_fields.h"
#include "talus/io/description/description_version.h"
#include "talus/io/description/enumeration_names.h"
#include "talus/io/description/json_reader.h"

#include <fmt/format.h>

#include <concepts>
#include <limits>

namespace talus {

namespace description {
namespace {

class Parser {
public:
  Parser(std::string_view text, const std::string& path) : in_(text, path) {}

  WorldDescription document() {
    WorldDescription description;
    in_.expect('{');
    if (in_.take('}') || in_.string() != format_key)
      in_.fail(
          fmt::format("is no description of a world: it does not begin with '{}'", format_key));
    in_.expect(':');
    const std::int64_t version = in_.integer();
    if (version != format_version)
      in_.fail(fmt::format("is a description of version {}; this program reads version {}", version,
                           format_version));
    while (in_.take(',')) get_member(description);
    in_.expect('}');
    if (!in_.at_end()) in_.fail("there is text after the end of the description");
    return description;
  }

private:
  void get(bool& value) { value = in_.truth(); }
  void get(double& value) { value = in_.number(); }
  template <std::integral Number>
  void get(Number& value) {
    const std::int64_t given = in_.integer();
    if (!std::in_range<Number>(given)) in_.fail(fmt::format("{} is out of range", given));
    value = static_cast<Number>(given);
  }
  void get(std::string& value) { value = in_.string(); }
  template <class Enumeration>
  requires std::is_enum_v<Enumeration>
  void get(Enumeration& value) {
    translated([&](const std::string& name) { set_from(name, value); });
  }
  void get(FrictionSet& set) {
    translated([&](const std::string& name) { set = parse_friction_set(name); });
  }
  void get(Vec3& v) { get_list(v.x, v.y, v.z); }
  void get(Quaternion& q) { get_list(q.w, q.x, q.y, q.z); }
  void get(Transform& t) { get_list(t.position, t.rotation); }
  void get(Mat3& m) { get_array(m.m); }
  template <class A, class B>
  void get(std::pair<A, B>& pair) {
    get_list(pair.first, pair.second);
  }
  template <class Item, std::size_t count>
  void get(std::array<Item, count>& items) {
    get_array(items);
  }
  template <class Item>
  void get(std::vector<Item>& items) {
    items.clear();
    in_.expect('[');
    if (in_.take(']')) return;
    do get(items.emplace_back());
    while (in_.take(','));
    in_.expect(']');
  }
  template <class Item>
  void get(std::optional<Item>& item) {
    item.reset();
    if (!in_.take_word("null")) get(item.emplace());
  }
  void get(MaterialTable& table) {
    std::vector<Material> all;
    std::vector<MaterialPair> pairs;
    get_members([&](const std::string& name) {
      if (name == "friction_rule")
        get(table.friction_rule);
      else if (name == "restitution_rule")
        get(table.restitution_rule);
      else if (name == "rolling_rule")
        get(table.rolling_rule);
      else if (name == "cohesion_rule")
        get(table.cohesion_rule);
      else if (name == "all")
        get(all);
      else if (name == "pairs")
        get(pairs);
      else
        return false;
      return true;
    });
    checked([&] {
      for (std::size_t i = 0; i < all.size(); ++i)
        i == 0 ? table.replace(0, all[i]) : static_cast<void>(table.add(all[i]));
      for (const MaterialPair& pair : pairs) table.set_pair(pair);
    });
  }
  void get(ShapeDescription& shape) {
    in_.expect('{');
    const std::string name = in_.string();
    in_.expect(':');
    if (!get_shape(name, shape, std::make_index_sequence<std::size(shape_names)>{}))
      in_.fail(fmt::format("there is no shape '{}'", name));
    in_.expect('}');
  }
  template <Listed Part>
  void get(Part& part) {
    get_members([&](const std::string& name) { return get_member_named(name, part); });
  }

  template <std::size_t... position>
  bool get_shape(const std::string& name, ShapeDescription& shape,
                 std::index_sequence<position...>) {
    return ((name == shape_names[position] && (get(shape.geometry.emplace<position>()), true)) ||
            ...);
  }
  template <class Items>
  void get_array(Items& items) {
    in_.expect('[');
    bool first = true;
    for (auto& item : items) {
      if (!first) in_.expect(',');
      first = false;
      get(item);
    }
    in_.expect(']');
  }
  template <class... Items>
  void get_list(Items&... items) {
    in_.expect('[');
    bool first = true;
    ((first ? void() : in_.expect(','), first = false, get(items)), ...);
    in_.expect(']');
  }
  template <class Part>
  bool get_member_named(const std::string& name, Part& part) {
    bool found = false;
    members(part, [&](const char* known, auto& member) {
      if (found || name != known) return;
      found = true;
      get(member);
    });
    return found;
  }
  template <class Part>
  void get_member(Part& part) {
    const std::string name = in_.string();
    in_.expect(':');
    if (!get_member_named(name, part)) in_.fail(fmt::format("unknown member '{}'", name));
  }
  template <class Get>
  void get_members(Get&& get_named) {
    in_.expect('{');
    if (in_.take('}')) return;
    do {
      const std::string name = in_.string();
      in_.expect(':');
      if (!get_named(name)) in_.fail(fmt::format("unknown member '{}'", name));
    } while (in_.take(','));
    in_.expect('}');
  }
  template <class Check>
  void checked(Check&& check) {
    std::string message;
    try {
      return check();
    } catch (const InvalidArgument& error) {
      message = error.what();
    }
    in_.fail(message);
  }
  template <class Translate>
  void translated(Translate&& translate) {
    const std::string name = in_.string();
    checked([&] { translate(name); });
  }

  JsonReader in_;
};

} // namespace
} // namespace description

WorldDescription parse_description(const std::string& text, const std::string& path) {
  return description::Parser(text, path).document();
}

} // namespace talus
