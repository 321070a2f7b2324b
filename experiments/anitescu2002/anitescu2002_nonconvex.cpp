// anitescu2002, "Nonconvex solution set": two solutions of a step whose mean is none.

#include "anitescu2002.h"
#include "talus/core/vector_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::experiments::anitescu2002_nonconvex {
namespace {

constexpr double mu = 0.5, push = 0.3, weight = 1;

/// A particle of 1 kg that two equal contacts hold up against an impulse sideways: either of them
/// can carry all of it.
ContactProblem two_equal_contacts() {
  ContactProblem problem;
  problem.dimension = 2;
  problem.mu = {mu, mu};
  GlobalModel model;
  model.M = identity_matrix(2);
  model.f = {push, -weight};
  model.H = from_triplets(2, 4, {{1, 0, 1}, {0, 1, 1}, {1, 2, 1}, {0, 3, 1}});
  model.w = {0, 0, 0, 0};
  problem.model = std::move(model);
  return problem;
}

/// A contact in the unknowns of the linear complementarity problem: normal impulse, the weights of
/// the two tangents d and -d, and the multiplier λ of the friction cone.
struct Unknowns {
  double normal, plus, minus, lambda;
};
using Point = std::array<Unknowns, 2>;

Point mean_of(const Point& a, const Point& b) {
  Point mean;
  for (int c = 0; c < 2; ++c)
    mean[c] = {(a[c].normal + b[c].normal) / 2, (a[c].plus + b[c].plus) / 2,
               (a[c].minus + b[c].minus) / 2, (a[c].lambda + b[c].lambda) / 2};
  return mean;
}

/// Largest violated condition of the linear complementarity problem with the impulse `sideways`.
double violation(const Point& point, double sideways = push) {
  double v[2] = {sideways, -weight}, worst = 0;
  for (const Unknowns& c : point) {
    v[0] += c.plus - c.minus;
    v[1] += c.normal;
  }
  for (const Unknowns& c : point) {
    const double cone = mu * c.normal - c.plus - c.minus;
    const double pairs[4][2] = {
        {c.normal, v[1]}, {c.plus, c.lambda + v[0]}, {c.minus, c.lambda - v[0]}, {c.lambda, cone}};
    for (const auto& [x, y] : pairs) worst = std::max({worst, -x, -y, std::abs(x * y)});
  }
  return worst;
}

} // namespace

Report run(Context& context) {
  const ContactProblem problem =
      with_friction(context.problem("anitescu2002-two-contacts",
                                    {{"weight", weight}, {"push", push}}, two_equal_contacts),
                    mu);
  Report report;
  // The loaded contact sticks, λ = 0; the idle one may have any λ ≥ 0 at v = 0.
  const Point first = {{{weight, 0, push, 0}, {0, 0, 0, 1}}};
  const Point second = {{{0, 0, 0, 1}, {weight, 0, push, 0}}};
  const Point printed = {{{weight / 2, 0, 0, 1}, {weight / 2, 0, 0, 1}}};
  DataTable points{"points",
                   "Points of the linear complementarity problem.",
                   {"point", "c_n 1", "β 1", "λ 1", "c_n 2", "β 2", "λ 2", "worst violation"},
                   {}};
  const auto add = [&](const std::string& name, const Point& p) {
    points.rows.push_back({name, p[0].normal, p[0].minus, p[0].lambda, p[1].normal, p[1].minus,
                           p[1].lambda, violation(p)});
  };
  const Point mean = mean_of(first, second);
  add("left contact carries", first);
  add("right contact carries", second);
  add("their mean", mean);
  DataTable solvers{"solvers",
                    "Where solvers end: all at rest, with different impulses.",
                    {"solver", "c_n 1", "β 1", "c_n 2", "β 2", "|v| (m/s)", "error"},
                    {}};
  double fastest = 0;
  for (const char* solver : {"lemke", "path", "keller", "enumeration", "p1", "p1-p2", "nsgs"}) {
    const Json run = context.once(solver, inputs_of(problem, {solver}, {}), [&]() -> Json {
      const SolveResult result = run_solver(problem, {solver}, {});
      return {{"x", result.x}, {"speed", norm(result.v)}, {"error", result.quality.error}};
    });
    const Vector x = run["x"].get<Vector>();
    fastest = std::max(fastest, run["speed"].get<double>());
    solvers.rows.push_back({solver, x[0], x[1], x[2], x[3], run["speed"], run["error"]});
  }
  report.findings.push_back(check_statement(
      "two impulse solutions give the same velocity v = 0, their mean violates complementarity",
      "yes",
      fmt::format("violations {:.1g}, {:.1g}; mean {:.2g}", violation(first), violation(second),
                  violation(mean)),
      violation(first) < 1e-12 && violation(second) < 1e-12 && violation(mean) > 0.01,
      "the two solutions are those of equal contacts, with the load on either of them"));
  report.findings.push_back(check_statement(
      "the printed solution 1 (no friction force, λ = 1 at loaded contacts) solves the step", "yes",
      fmt::format("it violates λ ⊥ μ c_n - Σ β by {:.2g}", violation(printed, 0)),
      violation(printed, 0) < 1e-12,
      shown("misprint: λ > 0 asks for a friction force on the cone, and μ c_n > 0 with β = 0 is "
            "inside. Two redundant contacts show what the example is to say")));
  report.findings.push_back(
      check_statement("the velocity is unique all the same", "for small friction",
                      fmt::format("|v| at most {:.1e} m/s", fastest), fastest < 1e-7,
                      "a solver stopped at its tolerance before the velocity was at rest"));
  report.summary =
      "A particle of 1 kg is held against an impulse (0.3, -1) N s by two equal contacts with "
      "μ = 0.5. Impulses and the multipliers λ are not unique, and their set is not convex, "
      "so that methods that rely on convexity in these unknowns are on thin ice; velocities are "
      "unique, which is what the paper's fixed points iterate on.";
  report.tables = {std::move(points), std::move(solvers)};
  return report;
}

} // namespace talus::experiments::anitescu2002_nonconvex
