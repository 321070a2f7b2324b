#include "talus/io/scene/scene_fields.h"

#include "talus/core/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

void need_kind(const SceneValue& value, SceneValue::Kind kind, std::string_view what) {
  if (value.kind == kind) return;
  fail_at(value.place, fmt::format("{} must be {}, not {}", what, words(kind), words(value.kind)));
}

std::optional<double> plain_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// A number or a fraction of two.
std::optional<double> parsed_number(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return plain_number(text);
  const auto above = plain_number(text.substr(0, slash));
  const auto below = plain_number(text.substr(slash + 1));
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

bool admits(const NumberRange& range, double value) {
  return value <= range.upper && (range.strict ? value > range.lower : value >= range.lower);
}

std::string words(const NumberRange& range) {
  std::string text = "a finite number";
  if (std::isfinite(range.lower))
    text += fmt::format(" {} {}", range.strict ? ">" : ">=", range.lower);
  if (std::isfinite(range.upper)) text += fmt::format(" and <= {}", range.upper);
  return text;
}

double radians(double degrees) {
  return degrees * (std::numbers::pi / 180);
}

} // namespace

double to_number(const SceneValue& value, std::string_view what, NumberRange range) {
  need_kind(value, SceneValue::Kind::scalar, what);
  const auto number = parsed_number(value.text);
  if (!number || !std::isfinite(*number) || !admits(range, *number))
    fail_at(value.place, fmt::format("{} must be {}, not '{}'", what, words(range), value.text));
  return *number;
}

bool is_number(const SceneValue& value) {
  return value.kind == SceneValue::Kind::scalar && parsed_number(value.text).has_value();
}

long to_count(const SceneValue& value, std::string_view what, long least, long most) {
  need_kind(value, SceneValue::Kind::scalar, what);
  long number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || stop != end || number < least || number > most)
    fail_at(value.place, fmt::format("{} must be a whole number from {} to {}, not '{}'", what,
                                     least, most, value.text));
  return number;
}

bool to_switch(const SceneValue& value, std::string_view what) {
  need_kind(value, SceneValue::Kind::scalar, what);
  if (value.text == "true" || value.text == "yes" || value.text == "on") return true;
  if (value.text == "false" || value.text == "no" || value.text == "off") return false;
  fail_at(value.place, fmt::format("{} must be true or false, not '{}'", what, value.text));
}

const std::string& to_text(const SceneValue& value, std::string_view what) {
  need_kind(value, SceneValue::Kind::scalar, what);
  if (value.text.empty()) fail_at(value.place, fmt::format("{} is empty", what));
  return value.text;
}

Vec3 to_vector(const SceneValue& value, std::string_view what, NumberRange range) {
  need_kind(value, SceneValue::Kind::list, what);
  if (value.items.size() != 3)
    fail_at(value.place,
            fmt::format("{} must have 3 entries [x, y, z], not {}", what, value.items.size()));
  Vec3 result;
  for (int i = 0; i < 3; ++i) result[i] = to_number(value.items[i], what, range);
  return result;
}

const std::vector<SceneValue>& to_list(const SceneValue& value, std::string_view what) {
  need_kind(value, SceneValue::Kind::list, what);
  return value.items;
}

Quaternion to_rotation(const SceneValue& value, std::string_view what) {
  const SceneFields fields(value, std::string(what), {"quaternion", "axis", "angle", "euler"});
  fields.exclusive({"quaternion", "axis", "euler"});
  fields.exclusive({"quaternion", "angle"});
  fields.exclusive({"euler", "angle"});
  if (const SceneValue* given = fields.find("quaternion")) {
    const auto& items = to_list(*given, "quaternion");
    if (items.size() != 4) fail_at(given->place, "a quaternion has 4 entries [w, x, y, z]");
    double q[4];
    for (int i = 0; i < 4; ++i) q[i] = to_number(items[i], "quaternion");
    const Quaternion quaternion{q[0], q[1], q[2], q[3]};
    if (!(norm(quaternion) > 1e-9)) fail_at(given->place, "a quaternion must not be zero");
    return normalized(quaternion);
  }
  if (fields.find("axis")) {
    const Vec3 axis = fields.vector("axis");
    if (!(norm(axis) > 0)) fail_at(fields.need("axis").place, "the axis must not be zero");
    return axis_angle(axis, radians(fields.number("angle")));
  }
  if (fields.find("euler")) {
    const Vec3 angles = fields.vector("euler");
    return axis_angle({0, 0, 1}, radians(angles.z)) * axis_angle({0, 1, 0}, radians(angles.y)) *
           axis_angle({1, 0, 0}, radians(angles.x));
  }
  fields.fail("needs quaternion, axis and angle, or euler");
}

std::string joined(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

SceneFields::SceneFields(const SceneValue& value, std::string what,
                         std::vector<std::string_view> allowed)
    : value_(&value), what_(std::move(what)) {
  need_kind(value, SceneValue::Kind::mapping, what_);
  for (const auto& [key, member] : value.members)
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      fail_at(member.place,
              fmt::format("{}: unknown key {}", what_, unknown_name(key, allowed, "allowed")));
}

std::string SceneFields::label(std::string_view key) const {
  return fmt::format("{}: {}", what_, key);
}

const SceneValue& SceneFields::need(std::string_view key) const {
  const SceneValue* found = find(key);
  if (!found) fail(fmt::format("'{}' is missing", key));
  return *found;
}

void SceneFields::fail(const std::string& what) const {
  fail_at(place(), fmt::format("{}: {}", what_, what));
}

double SceneFields::number(std::string_view key, NumberRange range) const {
  return to_number(need(key), label(key), range);
}
double SceneFields::number(std::string_view key, double otherwise, NumberRange range) const {
  return find(key) ? number(key, range) : otherwise;
}
long SceneFields::count(std::string_view key, long least, long most) const {
  return to_count(need(key), label(key), least, most);
}
long SceneFields::count(std::string_view key, long otherwise, long least, long most) const {
  return find(key) ? count(key, least, most) : otherwise;
}
bool SceneFields::flag(std::string_view key, bool otherwise) const {
  const SceneValue* found = find(key);
  return found ? to_switch(*found, label(key)) : otherwise;
}
const std::string& SceneFields::text(std::string_view key) const {
  return to_text(need(key), label(key));
}
std::string SceneFields::text(std::string_view key, const std::string& otherwise) const {
  return find(key) ? text(key) : otherwise;
}
Vec3 SceneFields::vector(std::string_view key, NumberRange range) const {
  return to_vector(need(key), label(key), range);
}
Vec3 SceneFields::vector(std::string_view key, const Vec3& otherwise, NumberRange range) const {
  return find(key) ? vector(key, range) : otherwise;
}
Quaternion SceneFields::rotation(std::string_view key) const {
  const SceneValue* found = find(key);
  return found ? to_rotation(*found, label(key)) : Quaternion{};
}
Transform SceneFields::pose() const {
  return {vector("position", Vec3{}), rotation("orientation")};
}

void SceneFields::exclusive(std::initializer_list<std::string_view> keys) const {
  std::string_view first;
  for (const std::string_view key : keys) {
    if (!find(key)) continue;
    if (!first.empty())
      fail_at(find(key)->place,
              fmt::format("{}: '{}' and '{}' exclude each other", what_, first, key));
    first = key;
  }
}

} // namespace talus
