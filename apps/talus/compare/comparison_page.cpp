#include "comparison_page.h"

#include "report/page_frame.h"
#include "report/report.h"
#include "report/table.h"
#include "solver_plot_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace talus::cli {
namespace {

std::string swatch(const std::string& solver) {
  return fmt::format("<span class=\"swatch\" style=\"background:{}\"></span>{}",
                     solver_look(solver).colour, html(solver));
}

std::string fact(const std::string& value, const std::string& name) {
  return fmt::format("<li><b>{}</b><span>{}</span></li>\n", html(value), html(name));
}

std::string heading(const Comparison& comparison) {
  const ComparisonSettings& settings = comparison.settings;
  std::string text = "<h1>Talus: solvers compared</h1>\n";
  text += "<p class=\"soft\">Every solver on every problem at every tolerance, in one process, "
          "judged by one measure computed from the answers alone.</p>\n<ul class=\"facts\">\n";
  text += fact(std::to_string(comparison.problems.size()), "problems");
  text += fact(std::to_string(settings.solvers.size()), "solvers");
  text += fact(comparison.law, "friction law");
  text += fact(comparison.friction, "friction set");
  text += fact(settings.measure == Measure::talus ? "error" : "error_fclib", "measure");
  text += fact(settings.time_limit > 0 ? short_seconds(settings.time_limit) : "none",
               "time limit per solve");
  text += fact(std::to_string(comparison.threads), "threads");
  text += "</ul>\n<nav><a href=\"#solved\">Share solved</a><a href=\"#profiles\">Performance "
          "profiles</a><a href=\"#times\">Times</a><a href=\"#convergence\">Convergence</a>"
          "<a href=\"#runs\">All runs</a><a href=\"#how\">How it was measured</a></nav>\n";
  for (const std::string& error : comparison.file_errors)
    text += fmt::format("<p class=\"notice\">Not read: {}</p>\n", html(error));
  return text;
}

std::string shares(const Comparison& comparison) {
  const ComparisonSettings& settings = comparison.settings;
  const std::size_t all = comparison.problems.size();
  std::string text =
      "<h2 id=\"solved\">Share solved</h2>\n<p>Problems brought within the tolerance "
      "before the limits, of those that the solver admits."
      "</p>\n<div class=\"scroll\"><table class=\"sortable\"><thead><tr><th "
      "class=\"word\">solver</th>";
  for (const double tolerance : settings.tolerances)
    text += fmt::format("<th class=\"word\">{}</th>", short_tolerance(tolerance));
  text += "</tr></thead><tbody>\n";
  for (const std::string& solver : settings.solvers) {
    text += fmt::format("<tr><td class=\"word\">{}</td>", swatch(solver));
    for (const double tolerance : settings.tolerances) {
      const std::size_t solved = comparison.solved(solver, tolerance);
      const std::size_t admitted = comparison.admitted(solver, tolerance);
      text +=
          fmt::format("<td class=\"word\" data-value=\"{}\"><span class=\"bar\"><i "
                      "style=\"width:{:.1f}%;background:{}\"></i></span>{}/{}{}</td>",
                      solved, 100.0 * static_cast<double>(solved) / static_cast<double>(all),
                      solver_look(solver).colour, solved, admitted,
                      admitted < all ? fmt::format(" <span class=\"none\">{} not admitted</span>",
                                                   all - admitted)
                                     : "");
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string figure_html(const Figure& figure) {
  return fmt::format("<figure>\n{}\n<figcaption>{}</figcaption>\n</figure>\n", figure.svg,
                     html(figure.caption));
}

std::string missing_plots(const Plots& plots) {
  return fmt::format("<p class=\"notice\">Plots are missing: {}.</p>\n", html(plots.missing));
}

std::string profiles(const Plots& plots) {
  std::string text =
      "<h2 id=\"profiles\">Performance profiles</h2>\n<p>Dolan and Moré: the share of "
      "problems a solver solves within a factor τ of the best solver on each. The "
      "value at τ = 1 says how often a solver is the best one, the height at the "
      "right how many problems it solves at all.</p>\n";
  if (!plots.missing.empty()) return text + missing_plots(plots);
  for (const Figure& figure : plots.figures)
    if (figure.section == "profiles")
      text += fmt::format("<h3>{}</h3>\n", html(figure.title)) + figure_html(figure);
  return text;
}

/// A failure says that it is one; what a solver does not admit is no failure.
std::string outcome_on_page(const Comparison& comparison, const Run& run) {
  if (run.status == Status::converged) return outcome(comparison, run);
  if (run.status == Status::unsupported) return "not admitted";
  return "failed: " + outcome(comparison, run);
}

std::string time_cell(const Comparison& comparison, const Run& run, double best) {
  const bool converged = run.status == Status::converged;
  const char* look = !converged            ? run.status == Status::unsupported ? "none" : "bad"
                     : run.seconds == best ? "best"
                                           : "";
  const double sort_value = converged ? run.seconds : 1e300;
  return fmt::format("<td class=\"{}\" data-value=\"{:.6g}\" title=\"{}\">{}</td>", look,
                     sort_value, html(run.message), html(outcome_on_page(comparison, run)));
}

std::string time_table(const Comparison& comparison, double tolerance) {
  const std::vector<std::string>& solvers = comparison.settings.solvers;
  std::string text = fmt::format("<h3>Tolerance {}</h3>\n<div class=\"scroll\"><table "
                                 "class=\"sortable\"><thead><tr><th class=\"word\">problem</th>"
                                 "<th>contacts</th>",
                                 short_tolerance(tolerance));
  for (const std::string& solver : solvers) text += fmt::format("<th>{}</th>", swatch(solver));
  text += "</tr></thead><tbody>\n";
  for (std::size_t p = 0; p < comparison.problems.size(); ++p) {
    const ComparedProblem& problem = comparison.problems[p];
    const double best = fastest(comparison, p, tolerance);
    text += fmt::format("<tr><td class=\"word\" title=\"{}\">{}</td><td>{}</td>",
                        html(problem.path), html(problem.label), problem.contacts);
    for (const std::string& solver : solvers)
      text += time_cell(comparison, comparison.run(p, tolerance, solver), best);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string times(const Comparison& comparison) {
  std::string text =
      "<h2 id=\"times\">Times</h2>\n<p>Seconds of the solver alone; the fastest on each "
      "problem is marked. Not admitted: the solver cannot do this law, friction set or "
      "size, and says so. Failed: it tried, and did not reach the tolerance. "
      "Click a head to sort.</p>\n";
  for (const double tolerance : comparison.settings.tolerances)
    text += time_table(comparison, tolerance);
  return text;
}

std::string convergence(const Plots& plots) {
  std::string text = "<h2 id=\"convergence\">Convergence</h2>\n<p>The error after each iteration, "
                     "against products with the Delassus operator (a Gauss-Seidel sweep counts as "
                     "the solver reports it) and against time. Steep is good; a curve that ends "
                     "above the lowest dotted line did not reach the tightest tolerance.</p>\n";
  if (!plots.missing.empty()) return text + missing_plots(plots);
  constexpr int open_at_first = 6;
  int count = 0;
  for (const Figure& figure : plots.figures) {
    if (figure.section != "convergence") continue;
    text += fmt::format("<details{}><summary>{}</summary>\n{}</details>\n",
                        count++ < open_at_first ? " open" : "", html(figure.title),
                        figure_html(figure));
  }
  return text;
}

std::string run_row(const Comparison& comparison, const Run& run) {
  const auto& fields = run.fields;
  const auto number = [&](const char* name) {
    const double value = fields[name].get<double>();
    return std::isfinite(value)
               ? fmt::format("<td data-value=\"{:.6g}\">{}</td>", value, short_number(value))
               : std::string("<td class=\"none\" data-value=\"1e300\">-</td>");
  };
  const auto count = [&](const char* name) {
    return fmt::format("<td>{}</td>", fields[name].get<long>());
  };
  std::string text = fmt::format(
      "<tr><td class=\"word\">{}</td><td>{}</td><td class=\"word\">{}</td>"
      "<td data-value=\"{:g}\">{}</td>",
      html(comparison.problems[run.problem].label), comparison.problems[run.problem].contacts,
      swatch(run.solver), run.tolerance, short_tolerance(run.tolerance));
  text += fmt::format("<td class=\"word {}\" title=\"{}\">{}</td>",
                      run.status == Status::converged     ? "good"
                      : run.status == Status::unsupported ? "none"
                                                          : "bad",
                      html(run.message), words(run.status));
  text += number("seconds") + count("iterations") + count("outer_iterations") + count("products");
  for (const char* name :
       {"error", "error_fclib", "violation", "primal", "dual", "complementarity"})
    text += number(name);
  return text + "</tr>\n";
}

std::string all_runs(const Comparison& comparison) {
  std::string text =
      "<h2 id=\"runs\">All runs</h2>\n<p>Click a head to sort; type to filter. Point at a status "
      "for "
      "the solver's own words. The same numbers, in full, are in results.csv and "
      "results.json.</p>\n"
      "<input type=\"search\" data-filter=\"run-table\" aria-label=\"Filter runs\" "
      "placeholder=\"filter, e.g. apgd 1e-8\">\n<div class=\"long\"><table id=\"run-table\" "
      "class=\"sortable\"><thead><tr><th class=\"word\">problem</th><th>contacts</th><th "
      "class=\"word\">solver</th><th>tolerance</th><th "
      "class=\"word\">status</th><th>seconds</th><th>iterations</th>"
      "<th>outer</th><th>products</th><th>error</th><th>error_fclib</th><th>violation</th>"
      "<th>primal</th><th>dual</th><th>complementarity</th></tr></thead><tbody>\n";
  for (const Run& run : comparison.runs) text += run_row(comparison, run);
  return text + "</tbody></table></div>\n";
}

std::string how() {
  return "<h2 id=\"how\">How it was measured</h2>\n<p>Status and error are judged from the "
         "impulses "
         "a solver returns, outside the solver. Times are those of the solver alone, without "
         "reading the file, building the operator and judging; a converged solve is repeated up to "
         "five times while the runs together last less than 0.05 s, and the least time counts. "
         "Convergence curves come from separate runs with history to the tightest tolerance, "
         "whose "
         "recording time is taken out; long histories are thinned to about one point for each "
         "percent of further iterations.</p>\n<p class=\"soft\">Made by talus " TALUS_VERSION
         ".</p>\n";
}

} // namespace

std::string comparison_page(const Comparison& comparison, const Plots& plots) {
  return page("Talus: solvers compared", heading(comparison) + shares(comparison) +
                                             profiles(plots) + times(comparison) +
                                             convergence(plots) + all_runs(comparison) + how());
}

} // namespace talus::cli
