#pragma once
// Options of solvers, by name. A solver keeps its options as plain members and shows them to a
// visitor; from that one description they are listed, set from text and documented.

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

class Solver;

/// Where a number may lie. Outside of it a method would not be itself: a step length that never
/// shrinks searches for ever.
struct Range {
  double least, most;
  bool with_least, with_most;

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr Range above(double a) { return {a, infinity, false, false}; }
  static constexpr Range at_least(double a) { return {a, infinity, true, false}; }
  static constexpr Range inside(double a, double b) { return {a, b, false, false}; }
  static constexpr Range between(double a, double b) { return {a, b, true, true}; }
  /// (0, 1], of a part that is taken or left over.
  static constexpr Range share() { return {0, 1, false, true}; }

  bool contains(double x) const {
    return (with_least ? x >= least : x > least) && (with_most ? x <= most : x < most);
  }
};

/// "> 1", "≥ 0" or "in (0, 1]".
std::string to_string(const Range& range);

class OptionVisitor {
public:
  virtual ~OptionVisitor() = default;
  virtual void visit(std::string_view name, double& value, const Range& range,
                     std::string_view doc) = 0;
  virtual void visit(std::string_view name, int& value, const Range& range,
                     std::string_view doc) = 0;
  virtual void visit(std::string_view name, bool& value, std::string_view doc) = 0;
  /// A choice between names; `value` is the index of the chosen one.
  virtual void visit(std::string_view name, int& value, const std::vector<std::string>& names,
                     std::string_view doc) = 0;
};

struct OptionDescription {
  std::string name, value, doc;
  std::string range;                ///< Where a number may lie; empty for all else.
  std::vector<std::string> choices; ///< Empty for numbers and switches.
};

/// All options of a solver with their current values.
std::vector<OptionDescription> describe_options(Solver& solver);

/// Sets one option; throws InvalidArgument naming the known options or the right form or range of
/// the value, and then changes nothing.
void set_option(Solver& solver, std::string_view name, std::string_view value);

} // namespace talus
