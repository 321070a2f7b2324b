// mazhar2014 figs. 5 and 6: time and iterations against the size of the problem.

#include "experiments/beyond/beyond.h"
#include "experiments/frame/power_law.h"
#include "mazhar2014_spheres.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::experiments::mazhar2014_scaling {
namespace {

struct Size {
  Index spheres = 0;
  double contacts = 0;
  Race race = {};
  RaceTimes times = {};
  Json path = {}; ///< Null where it was not tried.
  double primal_before = 0;
};

std::vector<Index> sphere_counts(const Context& context) {
  if (context.quick()) return {64, 128, 192, 256};
  return {64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2560};
}

/// Seconds of processor time that PATH is given.
double path_limit(const Context& context) {
  return context.sized(5.0, 30.0);
}

/// PATH solves the equations of motion with polyhedral cones. It is tried on growing systems until
/// it runs out of time.
Json run_path(const Context& context, ContactProblem problem, Index spheres) {
  const double limit = path_limit(context);
  problem.friction = {FrictionKind::polyhedron, 8};
  SolveOptions options;
  options.tolerance = 1e-6;
  options.time_limit = limit;
  const Json inputs = inputs_of(problem, {"path"}, options);
  return context.once(fmt::format("{}-path", spheres), inputs, [&]() -> Json {
    const TimedSolve timed = solve_within(problem, {"path"}, options);
    return {{"status", to_string(timed.result.status)},
            {"iterations", timed.result.iterations},
            {"processor", timed.processor}};
  });
}

std::vector<Size> measure(const Context& context) {
  const long most = context.sized<long>(3000, 10000);
  std::vector<Size> sizes;
  bool path_in_time = true;
  for (const Index spheres : sphere_counts(context)) {
    const ContactProblem problem = settled_quickly(context, spheres);
    const std::string key = fmt::format("{}", spheres);
    Size size{.spheres = spheres, .contacts = static_cast<double>(problem.contacts())};
    size.race = race(context, key, problem, most);
    size.times = race_times(context, key, problem, size.race);
    size.primal_before = primal_objective_before(problem);
    if (path_in_time) {
      size.path = run_path(context, problem, spheres);
      path_in_time = size.path.at("status") == "converged";
    }
    sizes.push_back(std::move(size));
  }
  return sizes;
}

/// The power of the number of contacts that y grows with.
double exponent(const std::vector<Size>& sizes, double (*y)(const Size&)) {
  std::vector<std::pair<double, double>> points;
  for (const Size& size : sizes) points.emplace_back(size.contacts, y(size));
  return fitted_power(points);
}

double interior_seconds(const Size& size) {
  return size.times.interior;
}

double apgd_seconds(const Size& size) {
  return size.times.apgd;
}

DataTable size_table(const std::vector<Size>& sizes) {
  DataTable table{"sizes",
                  "To the same objective; processor times.",
                  {"spheres", "contacts", "objective [J]", "conic-ip iterations", "conic-ip [s]",
                   "apgd iterations", "apgd [s]", "path iterations", "path [s]"},
                  {}};
  for (const Size& size : sizes) {
    const bool solved = size.path.is_object() && size.path.at("status") == "converged";
    table.rows.push_back({size.spheres, std::lround(size.contacts), size.race.objective,
                          size.race.interior.at("iterations"), interior_seconds(size),
                          size.race.reached.iterations, apgd_seconds(size),
                          solved ? size.path.at("iterations") : Json(),
                          solved ? size.path.at("processor") : Json()});
  }
  return table;
}

DataTable drawn_table(const std::vector<Size>& sizes) {
  DataTable table{
      "scaling", "Time and iterations.", {"curve", "contacts", "seconds", "iterations"}, {}, false};
  const auto add = [&](const Size& size, const char* curve, const Json& seconds,
                       const Json& iterations) {
    table.rows.push_back({curve, size.contacts, seconds, iterations});
  };
  for (const Size& size : sizes) {
    add(size, "conic-ip", interior_seconds(size), size.race.interior.at("iterations"));
    add(size, "apgd", apgd_seconds(size), size.race.reached.iterations);
    if (size.path.is_object() && size.path.at("status") == "converged")
      add(size, "path", size.path.at("processor"), size.path.at("iterations"));
  }
  return table;
}

DataTable primal_table(const std::vector<Size>& sizes) {
  DataTable table{"primal", "Fig. 6.", {"curve", "contacts", "objective"}, {}, false};
  for (const Size& size : sizes) {
    table.rows.push_back({"before the step", size.contacts, size.primal_before});
    table.rows.push_back({"converged", size.contacts, size.race.interior.at("primal")});
  }
  return table;
}

void judge_contacts(Report& report, const std::vector<Size>& sizes, bool quick) {
  const char* reason = "another container: the paper does not give its own";
  report.findings.push_back(
      compare_numbers("contacts of 64 spheres", 77, sizes.front().contacts, 1.1, reason));
  if (!quick)
    report.findings.push_back(
        compare_numbers("contacts of 2560 spheres", 9228, sizes.back().contacts, 1.1, reason));
}

void judge_iterations(Report& report, const std::vector<Size>& sizes) {
  long least = std::numeric_limits<long>::max(), most = 0;
  for (const Size& size : sizes) {
    if (size.contacts < 2.0 * static_cast<double>(size.spheres)) continue; // A layer, not a pile.
    const long iterations = size.race.interior.at("iterations");
    least = std::min(least, iterations);
    most = std::max(most, iterations);
  }
  report.findings.push_back(check_statement(
      "the interior point converges on all piles within the same number of iterations",
      "consistently",
      fmt::format("{} to {}; the single layer of {} spheres, not counted, takes {}", least, most,
                  sizes.front().spheres, sizes.front().race.interior.at("iterations").get<long>()),
      most <= 2 * least,
      "iterations rise with the logarithm of what the start misses, which grows with overlaps and "
      "with the height of the pile"));
  const double interior = exponent(sizes, interior_seconds), apgd = exponent(sizes, apgd_seconds);
  report.findings.push_back(
      check_statement("time of the interior point and of APGD scale alike", "similar",
                      fmt::format("contacts to the power {:.2f} and {:.2f}", interior, apgd),
                      std::abs(interior - apgd) < 0.4,
                      "the factors of the interior point fill in; APGD takes more iterations, each "
                      "of them linear"));
  const Size& largest = sizes.back();
  report.findings.push_back(
      answer(fmt::format("time at {:.0f} contacts", largest.contacts),
             fmt::format("conic-ip {:.2g} s, APGD {:.2g} s", interior_seconds(largest),
                         apgd_seconds(largest)),
             "to the same objective; processor time, the least of up to three runs"));
}

void judge_path(Report& report, const std::vector<Size>& sizes, double limit) {
  Index solved = 0;
  for (const Size& size : sizes)
    if (size.path.is_object() && size.path.at("status") == "converged") solved = size.spheres;
  report.findings.push_back(
      check_statement("PATH solves the small systems only", "up to 384 spheres in 3600 s",
                      solved > 0 ? fmt::format("up to {} spheres in {:g} s", solved, limit)
                                 : fmt::format("none in {:g} s", limit),
                      solved < sizes.back().spheres, shown("it solves all of them here")));
}

void judge_primal(Report& report, const std::vector<Size>& sizes) {
  const Size& largest = sizes.back();
  const double converged = largest.race.interior.at("primal");
  report.findings.push_back(check_statement(
      fmt::format("{} spheres: the converged step has a larger primal objective than its input",
                  largest.spheres),
      "yes, for large systems",
      fmt::format("{:.3g} J against {:.3g} J", converged, largest.primal_before),
      converged > largest.primal_before, "the steps of settling were solved well"));
}

void add_plots(Report& report) {
  const auto over_contacts = [](std::string name, std::string title, std::string caption,
                                std::string table, std::string y, std::string label) {
    return Plot{.name = std::move(name),
                .title = std::move(title),
                .caption = std::move(caption),
                .table = std::move(table),
                .x = "contacts",
                .y = std::move(y),
                .curve = "curve",
                .panel = "",
                .x_label = "contacts",
                .y_label = std::move(label),
                .log_x = true,
                .log_y = true,
                .markers = true};
  };
  report.plots.push_back(
      over_contacts("time", "Fig. 5: time to the same objective",
                    "How steep the lines are says how the methods scale. path, in the part of "
                    "PATH, is out of the race early.",
                    "scaling", "seconds", "processor time [s]"));
  report.plots.push_back(over_contacts(
      "iterations", "Iterations to the same objective",
      "Those of the interior point grow little from pile to pile, those of APGD much.", "scaling",
      "iterations", "iterations"));
  Plot primal = over_contacts(
      "primal", "Fig. 6: primal objective before and after the step",
      "Where the upper curve is the converged one, the steps of settling were softer than a "
      "converged step is.",
      "primal", "objective", "½ v'Mv - k'v [J]");
  primal.log_y = false;
  report.plots.push_back(std::move(primal));
}

} // namespace

Report run(Context& context) {
  const std::vector<Size> sizes = measure(context);
  Report report;
  report.summary = fmt::format(
      "{} to {} spheres in one container ({:.0f} to {:.0f} contacts), settled with steps of 2 "
      "ms{}; "
      "one step of 0.5 ms under the relaxed law, from zero impulses. conic-ip to an error of 1e-8, "
      "APGD to its objective, PATH on eight-sided cones.",
      sizes.front().spheres, sizes.back().spheres, sizes.front().contacts, sizes.back().contacts,
      context.quick()
          ? ""
          : " for 2 s (the single layer of the smallest for 1 s: its spheres roll on, and "
            "more and more of them meet)");
  report.summary += fitted_pile;
  judge_contacts(report, sizes, context.quick());
  judge_iterations(report, sizes);
  judge_path(report, sizes, path_limit(context));
  judge_primal(report, sizes);
  report.tables.push_back(size_table(sizes));
  report.tables.push_back(drawn_table(sizes));
  report.tables.push_back(primal_table(sizes));
  add_plots(report);
  return report;
}

} // namespace talus::experiments::mazhar2014_scaling
