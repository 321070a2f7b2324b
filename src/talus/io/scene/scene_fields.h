#pragma once
// Typed access to the members of a mapping in a scene file. Every complaint names file and line,
// what was being read, and what would be right.

#include "talus/core/transform.h"
#include "talus/io/scene/scene_tree.h"
#include "talus/world/formula.h"
#include "talus/world/time_table.h"

#include <initializer_list>
#include <limits>
#include <optional>

namespace talus {

/// Bounds of a number; `strict` excludes the lower one.
struct NumberRange {
  double lower = -std::numeric_limits<double>::infinity();
  bool strict = false;
  double upper = std::numeric_limits<double>::infinity();
};
inline constexpr NumberRange any_number{};
inline constexpr NumberRange positive{0, true};
inline constexpr NumberRange not_negative{0, false};

/// These read one value; `what` names it in messages. Numbers are finite; "1/240" is a number too.
double to_number(const SceneValue& value, std::string_view what, NumberRange range = any_number);
long to_count(const SceneValue& value, std::string_view what, long least, long most);
bool to_switch(const SceneValue& value, std::string_view what);
const std::string& to_text(const SceneValue& value, std::string_view what);
Vec3 to_vector(const SceneValue& value, std::string_view what, NumberRange range = any_number);
const std::vector<SceneValue>& to_list(const SceneValue& value, std::string_view what);
/// {quaternion: [w, x, y, z]}, {axis: [..], angle: degrees} or {euler: [x, y, z] degrees}: turn
/// about x, then y, then z, all axes of the world.
Quaternion to_rotation(const SceneValue& value, std::string_view what);

/// [[t, value], ...]: a time table (world/time_table.h), the values multiplied by `unit`.
TimeTable<double> to_table(const SceneValue& value, std::string_view what, double unit = 1);
/// [[t, [x, y, z]], ...].
TimeTable<Vec3> to_vector_table(const SceneValue& value, std::string_view what);

/// Whether it is written as a number.
bool is_number(const SceneValue& value);

/// "a, b, c".
std::string joined(const std::vector<std::string_view>& names);

class SceneFields {
public:
  /// Throws when the value is not a mapping or has a key that is not allowed. `what` names the
  /// mapping ("body 'ball'").
  SceneFields(const SceneValue& value, std::string what, std::vector<std::string_view> allowed);

  const SceneValue& value() const { return *value_; }
  const std::string& what() const { return what_; }
  const ScenePlace& place() const { return value_->place; }
  /// Null when the key is absent.
  const SceneValue* find(std::string_view key) const { return value_->find(key); }
  /// Throws when the key is absent.
  const SceneValue& need(std::string_view key) const;
  [[noreturn]] void fail(const std::string& what) const;

  double number(std::string_view key, NumberRange range = any_number) const;
  double number(std::string_view key, double otherwise, NumberRange range = any_number) const;
  long count(std::string_view key, long least, long most) const;
  long count(std::string_view key, long otherwise, long least, long most) const;
  bool flag(std::string_view key, bool otherwise) const;
  const std::string& text(std::string_view key) const;
  std::string text(std::string_view key, const std::string& otherwise) const;
  Vec3 vector(std::string_view key, NumberRange range = any_number) const;
  Vec3 vector(std::string_view key, const Vec3& otherwise, NumberRange range = any_number) const;
  Quaternion rotation(std::string_view key) const; ///< The identity when absent.
  /// `position` and `orientation`.
  Transform pose() const;
  /// At most one of the keys may be present.
  void exclusive(std::initializer_list<std::string_view> keys) const;

  /// What messages call a member: "body 'ball': mass".
  std::string label(std::string_view key) const;

private:
  const SceneValue* value_;
  std::string what_;
};

/// A member that is a number, a time table, or a formula of t (world/formula.h); what it is not
/// stays as it was, a number is 0 beside the others.
void read_over_time(const SceneFields& fields, std::string_view key, double unit, double& number,
                    TimeTable<double>& table, std::string& formula);
/// The same for vectors, if the member is there. Of a formula's axes each may be a number.
void read_over_time(const SceneFields& fields, std::string_view key, Vec3& vector,
                    TimeTable<Vec3>& table, FormulaVector& formula,
                    const std::vector<std::string>& variables = {"t"});

} // namespace talus
