#include "talus/solve/options.h"

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"
#include "talus/solve/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace talus {
namespace {

class Describer : public OptionVisitor {
public:
  void visit(std::string_view name, double& value, const Range& range,
             std::string_view doc) override {
    add(name, fmt::format("{}", value), doc, to_string(range));
  }
  void visit(std::string_view name, int& value, const Range& range, std::string_view doc) override {
    add(name, fmt::format("{}", value), doc, to_string(range));
  }
  void visit(std::string_view name, bool& value, std::string_view doc) override {
    add(name, value ? "true" : "false", doc);
  }
  void visit(std::string_view name, int& value, const std::vector<std::string>& names,
             std::string_view doc) override {
    add(name, names.at(value), doc, {}, names);
  }

  std::vector<OptionDescription> found;

private:
  void add(std::string_view name, std::string value, std::string_view doc, std::string range = {},
           const std::vector<std::string>& choices = {}) {
    found.push_back(
        {std::string(name), std::move(value), std::string(doc), std::move(range), choices});
  }
};

class Setter : public OptionVisitor {
public:
  Setter(std::string_view name, std::string_view value) : name_(name), value_(value) {}

  void visit(std::string_view name, double& value, const Range& range, std::string_view) override {
    if (matches(name)) value = parsed<double>("a number", range);
  }
  void visit(std::string_view name, int& value, const Range& range, std::string_view) override {
    if (matches(name)) value = parsed<int>("a whole number", range);
  }
  void visit(std::string_view name, bool& value, std::string_view) override {
    if (!matches(name)) return;
    if (value_ != "true" && value_ != "false") reject("true or false");
    value = value_ == "true";
  }
  void visit(std::string_view name, int& value, const std::vector<std::string>& names,
             std::string_view) override {
    if (!matches(name)) return;
    const auto chosen = std::find(names.begin(), names.end(), value_);
    if (chosen == names.end()) reject(fmt::format("one of {}", fmt::join(names, ", ")));
    value = static_cast<int>(chosen - names.begin());
  }

  bool found = false;

private:
  bool matches(std::string_view name) {
    if (name != name_) return false;
    return found = true;
  }
  template <class Number>
  Number parsed(std::string_view kind, const Range& range) const {
    Number number{};
    const auto [end, failure] =
        std::from_chars(value_.data(), value_.data() + value_.size(), number);
    const bool whole = failure == std::errc() && end == value_.data() + value_.size();
    if (!whole || !std::isfinite(static_cast<double>(number)) || !range.contains(number))
      reject(fmt::format("{} {}", kind, to_string(range)));
    return number;
  }
  [[noreturn]] void reject(const std::string& expected) const {
    throw InvalidArgument(fmt::format("option {}: expected {}, got '{}'", name_, expected, value_));
  }

  std::string_view name_, value_;
};

} // namespace

std::string to_string(const Range& range) {
  if (range.most == Range::infinity)
    return fmt::format("{} {}", range.with_least ? "≥" : ">", range.least);
  return fmt::format("in {}{}, {}{}", range.with_least ? '[' : '(', range.least, range.most,
                     range.with_most ? ']' : ')');
}

std::vector<OptionDescription> describe_options(Solver& solver) {
  Describer describer;
  solver.visit_options(describer);
  return std::move(describer.found);
}

void set_option(Solver& solver, std::string_view name, std::string_view value) {
  Setter setter(name, value);
  solver.visit_options(setter);
  if (setter.found) return;
  std::vector<std::string> names;
  for (const OptionDescription& option : describe_options(solver)) names.push_back(option.name);
  throw InvalidArgument(fmt::format("solver {} has no option {}", solver.info().name,
                                    unknown_name(name, names, "it has")));
}

} // namespace talus
