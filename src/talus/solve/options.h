#pragma once
// Options of solvers, by name. A solver keeps its options as plain members and shows them to a
// visitor; from that one description they are listed, set from text and documented.

#include <string>
#include <string_view>
#include <vector>

namespace talus {

class Solver;

class OptionVisitor {
public:
  virtual ~OptionVisitor() = default;
  virtual void visit(std::string_view name, double& value, std::string_view doc) = 0;
  virtual void visit(std::string_view name, int& value, std::string_view doc) = 0;
  virtual void visit(std::string_view name, bool& value, std::string_view doc) = 0;
  /// A choice between names; `value` is the index of the chosen one.
  virtual void visit(std::string_view name, int& value, const std::vector<std::string>& names,
                     std::string_view doc) = 0;
};

struct OptionDescription {
  std::string name, value, doc;
  std::vector<std::string> choices; ///< Empty for numbers and switches.
};

/// All options of a solver with their current values.
std::vector<OptionDescription> describe_options(Solver& solver);

/// Sets one option; throws InvalidArgument naming the known options or the right form of the value.
void set_option(Solver& solver, std::string_view name, std::string_view value);

} // namespace talus
