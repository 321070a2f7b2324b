#include "talus/world/formula.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

namespace talus {

namespace {

constexpr std::size_t most_characters = 1000;
constexpr int most_levels = 50;
/// Every level of nesting keeps at most four values: a sum, a product, a power and an argument.
constexpr std::size_t stack_size = 4 * (most_levels + 2);

double integer_power(double base, double exponent) {
  double result = 1, square = base;
  for (auto n = static_cast<unsigned long long>(std::abs(exponent)); n > 0; n /= 2) {
    if (n % 2 == 1) result *= square;
    square *= square;
  }
  return exponent < 0 ? 1 / result : result;
}

double power_of(double base, double exponent) {
  constexpr double most = 1e6;
  if (std::floor(exponent) == exponent && std::abs(exponent) <= most)
    return integer_power(base, exponent);
  if (exponent == 0.5) return std::sqrt(base);
  if (base == 0) return exponent > 0 ? 0.0 : std::numeric_limits<double>::infinity();
  return exponential(exponent * logarithm(base)); // NaN for negative bases
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

} // namespace

/// Recursive descent; the depth of nesting is bounded.
///
///     sum     = product { (+|-) product }
///     product = signed { (*|/) signed }
///     signed  = { + | - } power
///     power   = atom [ ^ signed ]
///     atom    = number | name | name ( sum [, sum] ) | ( sum )
class FormulaParser {
public:
  using Code = Formula::Code;

  FormulaParser(std::string_view text, const std::vector<std::string>& variables, Formula& formula)
      : text_(text), variables_(variables), out_(formula.program_) {}

  void parse() {
    if (text_.size() > most_characters)
      fail(most_characters, fmt::format("a formula has at most {} characters", most_characters));
    sum();
    skip_space();
    if (place_ < text_.size())
      fail(place_, fmt::format("an operator was expected, not '{}'", text_[place_]));
  }

private:
  [[noreturn]] void fail(std::size_t place, const std::string& what) const {
    throw InvalidArgument(
        fmt::format("formula '{}', column {}: {}", text_.substr(0, 60), place + 1, what));
  }

  void skip_space() {
    while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\t')) ++place_;
  }
  bool take(char c) {
    skip_space();
    if (place_ >= text_.size() || text_[place_] != c) return false;
    ++place_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(place_, fmt::format("'{}' was expected", c));
  }
  void put(Code code) { out_.push_back({code}); }

  /// Levels are counted where the parser calls itself.
  struct Level {
    explicit Level(FormulaParser& p) : parser(p) {
      if (++parser.level_ > most_levels)
        parser.fail(parser.place_, fmt::format("more than {} levels of nesting", most_levels));
    }
    ~Level() { --parser.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    FormulaParser& parser;
  };

  void sum() {
    const Level level(*this);
    product();
    for (;;) {
      if (take('+')) {
        product();
        put(Code::add);
      } else if (take('-')) {
        product();
        put(Code::subtract);
      } else {
        return;
      }
    }
  }

  void product() {
    with_sign();
    for (;;) {
      if (take('*')) {
        with_sign();
        put(Code::multiply);
      } else if (take('/')) {
        with_sign();
        put(Code::divide);
      } else {
        return;
      }
    }
  }

  void with_sign() {
    bool negative = false;
    for (;;) {
      if (take('-'))
        negative = !negative;
      else if (!take('+'))
        break;
    }
    const Level level(*this);
    atom();
    if (take('^')) {
      with_sign();
      put(Code::power);
    }
    if (negative) put(Code::negate);
  }

  void atom() {
    skip_space();
    if (place_ >= text_.size()) fail(place_, "the formula ends where a value was expected");
    const char c = text_[place_];
    if (take('(')) {
      sum();
      expect(')');
    } else if (is_digit(c) || c == '.') {
      number();
    } else if (is_letter(c)) {
      name();
    } else {
      fail(place_, fmt::format("a value was expected, not '{}'", c));
    }
  }

  void number() {
    double value = 0;
    const char* begin = text_.data() + place_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) fail(place_, "this is no finite number");
    place_ += static_cast<std::size_t>(end - begin);
    out_.push_back({Code::number, value});
  }

  void name() {
    const std::size_t begin = place_;
    while (place_ < text_.size() && (is_letter(text_[place_]) || is_digit(text_[place_]))) ++place_;
    const std::string_view word = text_.substr(begin, place_ - begin);
    const auto variable = std::ranges::find(variables_, word);
    if (variable != variables_.end()) {
      out_.push_back({Code::variable, 0, static_cast<Index>(variable - variables_.begin())});
      return;
    }
    if (word == "pi") {
      out_.push_back({Code::number, std::numbers::pi});
      return;
    }
    for (const auto& [known, code, arguments] : functions)
      if (word == known) return call(code, arguments);
    fail(begin, fmt::format("unknown name '{}'; known are {}, pi, sin, cos, exp, log, sqrt, abs, "
                            "min and max",
                            word, fmt::join(variables_, ", ")));
  }

  void call(Code code, int arguments) {
    expect('(');
    sum();
    if (arguments == 2) {
      expect(',');
      sum();
    }
    expect(')');
    put(code);
  }

  struct Function {
    std::string_view name;
    Code code;
    int arguments;
  };
  static constexpr Function functions[] = {
      {"sin", Code::sin, 1},   {"cos", Code::cos, 1}, {"exp", Code::exp, 1}, {"log", Code::log, 1},
      {"sqrt", Code::sqrt, 1}, {"abs", Code::abs, 1}, {"min", Code::min, 2}, {"max", Code::max, 2}};

  std::string_view text_;
  const std::vector<std::string>& variables_;
  std::vector<Formula::Instruction>& out_;
  std::size_t place_ = 0;
  int level_ = 0;
};

Formula::Formula(std::string_view text, std::vector<std::string> variables)
    : variables_(variables.size()) {
  FormulaParser(text, variables, *this).parse();
}

double Formula::operator()(std::span<const double> values) const {
  if (values.size() != variables_)
    throw InvalidArgument(
        fmt::format("the formula has {} variables, not {}", variables_, values.size()));
  std::array<double, stack_size> stack;
  std::size_t top = 0;
  const auto with_two = [&](auto&& operation) {
    --top;
    stack[top - 1] = operation(stack[top - 1], stack[top]);
  };
  const auto with_one = [&](auto&& operation) { stack[top - 1] = operation(stack[top - 1]); };
  for (const Instruction& each : program_) {
    switch (each.code) {
    case Code::number:
      stack[top++] = each.number;
      break;
    case Code::variable:
      stack[top++] = values[static_cast<std::size_t>(each.variable)];
      break;
    case Code::add:
      with_two([](double a, double b) { return a + b; });
      break;
    case Code::subtract:
      with_two([](double a, double b) { return a - b; });
      break;
    case Code::multiply:
      with_two([](double a, double b) { return a * b; });
      break;
    case Code::divide:
      with_two([](double a, double b) { return a / b; });
      break;
    case Code::power:
      with_two(power_of);
      break;
    case Code::negate:
      with_one([](double a) { return -a; });
      break;
    case Code::sin:
      with_one(sine);
      break;
    case Code::cos:
      with_one(cosine);
      break;
    case Code::exp:
      with_one(exponential);
      break;
    case Code::log:
      with_one(logarithm);
      break;
    case Code::sqrt:
      with_one([](double a) { return std::sqrt(a); });
      break;
    case Code::abs:
      with_one([](double a) { return std::abs(a); });
      break;
    case Code::min:
      with_two([](double a, double b) { return std::min(a, b); });
      break;
    case Code::max:
      with_two([](double a, double b) { return std::max(a, b); });
      break;
    }
  }
  return stack[0];
}

std::function<Vec3(std::span<const double>)>
vector_function(const FormulaVector& formulas, const std::vector<std::string>& variables) {
  constexpr std::string_view axes[] = {"x", "y", "z"};
  std::vector<Formula> parts;
  for (std::size_t k = 0; k < 3; ++k) {
    try {
      parts.emplace_back(formulas[k].empty() ? "0" : formulas[k], variables);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}: {}", axes[k], error.what()));
    }
  }
  return [parts = std::move(parts)](std::span<const double> values) {
    return Vec3{parts[0](values), parts[1](values), parts[2](values)};
  };
}

} // namespace talus
