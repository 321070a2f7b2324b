// Springs and dampers in joints, from very soft to stiffer than a step can resolve.
//
// A mass m on a spring k with a damper c, by implicit Euler: with y = (q, q̇), y⁺ = A⁻¹ y where
// A = [[1, −h], [h k/m, 1 + h c/m]]. Without damper q + i q̇/ω is divided by 1 + i ω h, ω² = k/m:
// the frequency is atan(ω h)/h, and a step multiplies the amplitude with 1/√(1 + ω² h²). A damper
// of c = 2 ζ ω m makes the amplitude fall by e^(−ζ ω t) in the limit of short steps. At rest under
// a load F the elongation is F/k, whatever the step.

#include "closed_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace talus::experiments::closed_springs {
namespace {

constexpr double mass = 2, h = 0.01, amplitude = 0.1;

Simulation oscillator(double stiffness, double damping, double load, double step) {
  World world;
  world.gravity = {};
  const Index block = world.add(body().with(make_box({0.05, 0.05, 0.05})).mass(mass));
  world.add(prismatic("spring")
                .between(ground, block)
                .along({1, 0, 0})
                .sprung(stiffness, damping, load == 0 ? -amplitude : 0)
                .pushed_by(load));
  StepOptions options;
  options.step = step;
  return Simulation(std::move(world), options);
}

double coordinate(const Simulation& simulation) {
  return simulation.world().joint_coordinates()[0];
}

/// Largest deviation from the closed form of the step, in amplitudes.
double worst_deviation(double ratio) {
  const double omega = std::sqrt(ratio) / h;
  Simulation simulation = oscillator(mass * omega * omega, 0, 0, h);
  std::complex<double> z = amplitude;
  double worst = 0;
  for (int k = 0; k < 300; ++k) {
    simulation.step();
    z /= std::complex<double>(1, omega * h);
    worst = std::max(worst, std::abs(coordinate(simulation) + amplitude - z.real()));
  }
  return worst / amplitude;
}

/// Deviation of the place of rest under a load, relative to the elongation.
double error_at_rest(double ratio) {
  const double stiffness = ratio * mass / (h * h), load = stiffness * amplitude;
  Simulation simulation = oscillator(stiffness, 2 * std::sqrt(stiffness * mass), load, h);
  const double slowest = std::sqrt(mass / stiffness); // critically damped
  const long steps = std::lround(std::max(60.0, 45 * slowest / h));
  for (long k = 0; k < steps; ++k) simulation.step();
  return std::abs(coordinate(simulation) - amplitude) / amplitude;
}

/// Frequency and decay of a spring that the step resolves: from the zeros and peaks of the swing.
struct Swing {
  double period, decay; ///< s, 1/s.
};
Swing measured_swing(const Context& context, double omega, double zeta, double step) {
  Simulation simulation = oscillator(mass * omega * omega, 2 * zeta * omega * mass, 0, step);
  double last = amplitude, first_zero = -1, last_zero = -1, peak = 0;
  std::vector<double> peaks;
  int zeros = 0;
  while (zeros < 21) {
    if (simulation.steps() % 5000 == 0) context.say("a slow spring");
    simulation.step();
    const double q = coordinate(simulation) + amplitude;
    if ((q > 0) != (last > 0)) {
      const double at = simulation.time() - step * q / (q - last);
      if (zeros++ == 0) first_zero = at;
      last_zero = at;
      if (zeros > 1) peaks.push_back(peak);
      peak = 0;
    }
    peak = std::max(peak, std::abs(q));
    last = q;
  }
  const double half = (last_zero - first_zero) / 20;
  return {2 * half,
          std::log(peaks.front() / peaks.back()) / (half * static_cast<double>(peaks.size() - 1))};
}

} // namespace

Report run(Context& context) {
  Report report;
  report.summary =
      "A block on a spring with k h²/m from 1e-4 to 1e8, compared with the closed form "
      "of implicit Euler; its rest under a load; frequency and decay of a swing that "
      "steps resolve.";
  DataTable table{"stiffness",
                  "Largest deviation in 300 steps, and error at rest under a load",
                  {"k h²/m", "deviation / amplitude", "error at rest"},
                  {}};
  double worst = 0, worst_rest = 0;
  for (int power = -4; power <= 8; power += 2) {
    context.say("springs of all stiffnesses");
    const double ratio = std::pow(10.0, power);
    const double deviation = worst_deviation(ratio), rest = error_at_rest(ratio);
    worst = std::max(worst, deviation);
    worst_rest = std::max(worst_rest, rest);
    table.rows.push_back({fmt::format("1e{}", power), deviation, rest});
  }
  report.tables.push_back(std::move(table));
  report.findings.push_back(
      vanishing("largest deviation of a swing, in amplitudes", worst, 1e-9, ""));
  report.findings.push_back(vanishing("largest error at rest under a load", worst_rest, 1e-9, ""));
  const double omega = 10, step = context.sized(1e-3, 1e-4), zeta = 0.05;
  const Swing free = measured_swing(context, omega, 0, step);
  report.findings.push_back(closed_form("period 2π √(m/k)", 2 * std::numbers::pi / omega,
                                        free.period, omega * omega * step * step, "s"));
  report.findings.push_back(closed_form("decay by the step alone, ln √(1 + ω²h²)/h",
                                        0.5 * std::log1p(omega * omega * step * step) / step,
                                        free.decay, 1e-2, "1/s"));
  const Swing damped = measured_swing(context, omega, zeta, step);
  report.findings.push_back(closed_form("decay with a damper, ζ ω", zeta * omega, damped.decay,
                                        0.6 * omega * step / zeta + 1e-2, "1/s"));
  return report;
}

} // namespace talus::experiments::closed_springs
