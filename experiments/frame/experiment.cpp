#include "experiment.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace talus::experiments {
namespace {

constexpr std::array<std::string_view, 3> verdict_names = {"reproduced", "differs", "beyond"};

Verdict verdict_from(const std::string& name) {
  for (std::size_t i = 0; i < verdict_names.size(); ++i)
    if (verdict_names[i] == name) return static_cast<Verdict>(i);
  throw InvalidArgument("unknown verdict '" + name + "'");
}

Json to_json(const Finding& finding) {
  return {{"what", finding.what},         {"published", finding.published},
          {"measured", finding.measured}, {"ratio", finding.ratio},
          {"reason", finding.reason},     {"verdict", to_string(finding.verdict)}};
}

Finding finding_from(const Json& json) {
  // JSON has no NaN: a ratio that does not exist comes back as null.
  const Json& ratio = json.at("ratio");
  return {json.at("what"),
          json.at("published"),
          json.at("measured"),
          ratio.is_null() ? std::nan("") : ratio.get<double>(),
          verdict_from(json.at("verdict")),
          json.at("reason")};
}

Json to_json(const DataTable& table) {
  return {{"name", table.name},
          {"caption", table.caption},
          {"columns", table.columns},
          {"rows", table.rows},
          {"on_page", table.on_page}};
}

DataTable table_from(const Json& json) {
  return {json.at("name"), json.at("caption"), json.at("columns"), json.at("rows"),
          json.at("on_page")};
}

Json to_json(const Plot& plot) {
  return {{"name", plot.name},       {"title", plot.title}, {"caption", plot.caption},
          {"table", plot.table},     {"x", plot.x},         {"y", plot.y},
          {"curve", plot.curve},     {"panel", plot.panel}, {"x_label", plot.x_label},
          {"y_label", plot.y_label}, {"log_x", plot.log_x}, {"log_y", plot.log_y},
          {"markers", plot.markers}};
}

Plot plot_from(const Json& json) {
  return {json.at("name"),    json.at("title"),   json.at("caption"), json.at("table"),
          json.at("x"),       json.at("y"),       json.at("curve"),   json.at("panel"),
          json.at("x_label"), json.at("y_label"), json.at("log_x"),   json.at("log_y"),
          json.at("markers")};
}

template <class T>
Json list(const std::vector<T>& items) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(to_json(item));
  return array;
}

template <class T>
std::vector<T> list_from(const Json& array, T (*item_from)(const Json&)) {
  std::vector<T> items;
  for (const Json& item : array) items.push_back(item_from(item));
  return items;
}

} // namespace

std::string_view to_string(Verdict verdict) {
  return verdict_names[static_cast<std::size_t>(verdict)];
}

Reason shown(std::string text) {
  Reason reason("");
  reason.text = std::move(text);
  return reason;
}

Finding compare_numbers(std::string what, double published, double measured, double factor,
                        const Reason& reason) {
  const double ratio = measured / published;
  const bool close = ratio <= factor && ratio >= 1 / factor;
  return {std::move(what),
          fmt::format("{:g}", published),
          std::isfinite(measured) ? fmt::format("{:.5g}", measured) : "not reached",
          ratio,
          close ? Verdict::reproduced : Verdict::differs,
          close ? std::string{} : reason.text};
}

Finding check_statement(std::string what, std::string published, std::string measured, bool holds,
                        const Reason& reason) {
  return {std::move(what),
          std::move(published),
          std::move(measured),
          std::nan(""),
          holds ? Verdict::reproduced : Verdict::differs,
          holds ? std::string{} : reason.text};
}

Finding answer(std::string what, std::string measured, std::string note) {
  return {std::move(what), {}, std::move(measured), std::nan(""), Verdict::beyond, std::move(note)};
}

Json to_json(const Report& report) {
  return {{"summary", report.summary},
          {"findings", list(report.findings)},
          {"tables", list(report.tables)},
          {"plots", list(report.plots)}};
}

Report report_from_json(const Json& json) {
  return {json.at("summary"), list_from(json.at("findings"), finding_from),
          list_from(json.at("tables"), table_from), list_from(json.at("plots"), plot_from)};
}

} // namespace talus::experiments
