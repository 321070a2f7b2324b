#pragma once
// Formulas in text, for drives, loads and flows of scene files:
//
//     const Formula speed("2 + 0.5*sin(2*pi*t)");
//     const double now = speed(1.25);
//     const Formula shear("0.1*z*exp(-t)", {"t", "x", "y", "z"});
//
// A formula has + - * / ^, parentheses, numbers, pi, the variables that it was given (t unless
// told), and the functions sin cos exp log sqrt abs (of one argument), min max (of two). Powers
// bind from the right and before a sign: -2^2 = -4, 2^3^2 = 2^9. Angles are in radians. All
// functions are those of core/elementary.h: the same bits on every machine.
//
// The text is not trusted: it has at most 1000 characters and nests at most 50 deep, and its value
// takes one pass without recursion or allocation.

#include "talus/core/types.h"
#include "talus/core/vec3.h"

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

class Formula {
public:
  /// Throws InvalidArgument that names the column (from 1) and what was expected there.
  explicit Formula(std::string_view text, std::vector<std::string> variables = {"t"});

  /// The value for values of the variables, in their order; may be infinite or NaN.
  double operator()(std::span<const double> values) const;
  double operator()(double t) const { return (*this)(std::span<const double>(&t, 1)); }

private:
  friend class FormulaParser;
  enum class Code : unsigned char {
    number,
    variable,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    sin,
    cos,
    exp,
    log,
    sqrt,
    abs,
    min,
    max
  };
  struct Instruction {
    Code code;
    double number = 0; ///< Of a number.
    Index variable = 0;
  };
  std::vector<Instruction> program_; ///< In postfix order.
  std::size_t variables_ = 0;
};

/// Three formulas, one per axis; an empty text is 0.
using FormulaVector = std::array<std::string, 3>;
inline bool is_empty(const FormulaVector& formulas) {
  return formulas[0].empty() && formulas[1].empty() && formulas[2].empty();
}
/// The vector as a function of the variables. Throws as Formula does, with the axis.
std::function<Vec3(std::span<const double> values)>
vector_function(const FormulaVector& formulas, const std::vector<std::string>& variables = {"t"});

} // namespace talus
