// Time tables and formulas in scene files.

#include "talus/io/scene/scene_shapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus {

namespace {

template <class Value, class Read>
TimeTable<Value> read_table(const SceneValue& value, std::string_view what, Read&& read) {
  TimeTable<Value> table;
  for (const SceneValue& point : to_list(value, what)) {
    const auto& pair = to_list(point, what);
    if (pair.size() != 2)
      fail_at(point.place, fmt::format("{}: a point of a time table is [time, value]", what));
    table.emplace_back(to_number(pair[0], what), read(pair[1]));
  }
  with_location(value.place, what, [&] { check_table(table, what); });
  return table;
}

bool holds_lists(const SceneValue& value) {
  return value.kind == SceneValue::Kind::list && !value.items.empty() &&
         value.items.front().kind == SceneValue::Kind::list;
}

} // namespace

TimeTable<double> to_table(const SceneValue& value, std::string_view what, double unit) {
  return read_table<double>(value, what,
                            [&](const SceneValue& v) { return unit * to_number(v, what); });
}

TimeTable<Vec3> to_vector_table(const SceneValue& value, std::string_view what) {
  return read_table<Vec3>(value, what, [&](const SceneValue& v) { return to_vector(v, what); });
}

namespace {

/// The text of a formula that was checked; complaints are about its place.
std::string checked_formula(const SceneValue& value, const std::string& what,
                            const std::vector<std::string>& variables = {"t"}) {
  const std::string& text = to_text(value, what);
  with_location(value.place, what, [&] { Formula(text, variables); });
  return text;
}

} // namespace

void read_over_time(const SceneFields& fields, std::string_view key, double unit, double& number,
                    TimeTable<double>& table, std::string& formula) {
  const SceneValue& value = fields.need(key);
  if (value.kind == SceneValue::Kind::scalar && is_number(value)) {
    number = unit * fields.number(key);
    return;
  }
  number = 0;
  if (value.kind == SceneValue::Kind::list) {
    table = to_table(value, fields.label(key), unit);
    return;
  }
  formula = checked_formula(value, fields.label(key));
  if (unit != 1) formula = fmt::format("({})*{}", formula, unit);
}

void read_over_time(const SceneFields& fields, std::string_view key, Vec3& vector,
                    TimeTable<Vec3>& table, FormulaVector& formula,
                    const std::vector<std::string>& variables) {
  const SceneValue* value = fields.find(key);
  if (!value) return;
  if (holds_lists(*value)) {
    table = to_vector_table(*value, fields.label(key));
    return;
  }
  const bool has_formula = value->kind == SceneValue::Kind::list && value->items.size() == 3 &&
                           !std::ranges::all_of(value->items, is_number);
  if (!has_formula) {
    vector = fields.vector(key);
    return;
  }
  for (std::size_t k = 0; k < 3; ++k)
    formula[k] = checked_formula(value->items[k], fields.label(key), variables);
}

} // namespace talus
