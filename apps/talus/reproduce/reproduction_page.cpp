#include "reproduction_page.h"

#include "compare/solver_plot_style.h"
#include "experiments/frame/catalogue.h"
#include "report/page_frame.h"
#include "report/plots.h"
#include "report/table.h"
#include "talus/solve/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace talus::cli {
namespace {

using experiments::DataTable;
using experiments::Finding;
using experiments::Json;
using experiments::Verdict;

std::string seconds_words(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

std::string verdict_cell(const Finding& finding) {
  const char* look = finding.verdict == Verdict::reproduced ? "good"
                     : finding.verdict == Verdict::differs  ? "bad"
                                                            : "none";
  return fmt::format("<td class=\"word {}\">{}</td>", look,
                     finding.verdict == Verdict::beyond ? "new" : to_string(finding.verdict));
}

/// Answers beyond the papers have no published number to stand beside: no columns for one.
std::string findings_table(const std::vector<Finding>& findings) {
  if (findings.empty()) return {};
  const bool compared = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.verdict != Verdict::beyond;
  });
  std::string text = fmt::format(
      "<div class=\"scroll\"><table><thead><tr><th class=\"word\">what</th>{}"
      "<th class=\"word\">note</th></tr></thead><tbody>\n",
      compared ? "<th>published</th><th>measured</th><th>ratio</th><th class=\"word\">verdict</th>"
               : "<th class=\"word\">measured</th>");
  for (const Finding& finding : findings) {
    const std::string measured = html(finding.measured);
    text += fmt::format("<tr><td class=\"word wrap\">{}</td>", html(finding.what));
    if (compared)
      text += fmt::format("<td class=\"wrap\">{}</td><td class=\"wrap\">{}</td><td>{}</td>{}",
                          html(finding.published), measured,
                          std::isfinite(finding.ratio) ? short_number(finding.ratio) : "",
                          verdict_cell(finding));
    else
      text += fmt::format("<td class=\"word wrap\">{}</td>", measured);
    text += fmt::format("<td class=\"word wrap\">{}</td></tr>\n", html(finding.reason));
  }
  return text + "</tbody></table></div>\n";
}

bool is_solver(const std::string& name) {
  for (const std::string& solver : solver_names())
    if (solver == name) return true;
  return false;
}

std::string table_cell(const Json& value) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    const std::string mark =
        is_solver(text) ? fmt::format("<span class=\"swatch\" style=\"background:{}\"></span>",
                                      solver_look(text).colour)
                        : "";
    return fmt::format("<td class=\"word\">{}{}</td>", mark, html(text));
  }
  if (value.is_number_integer()) return fmt::format("<td>{}</td>", value.get<long>());
  if (value.is_number()) return fmt::format("<td>{:.5g}</td>", value.get<double>());
  if (value.is_boolean()) return fmt::format("<td>{}</td>", value.get<bool>() ? "yes" : "no");
  return "<td class=\"none\">–</td>";
}

std::string data_table(const DataTable& table) {
  std::string text =
      fmt::format("<h4>{}</h4>\n<div class=\"scroll\"><table class=\"sortable\"><thead><tr>",
                  html(table.caption));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool words = !table.rows.empty() && table.rows.front()[i].is_string();
    text += fmt::format("<th{}>{}</th>", words ? " class=\"word\"" : "", html(table.columns[i]));
  }
  text += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (const Json& value : row) text += table_cell(value);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

/// How all solvers look, for the plots.
std::string looks() {
  Json all = Json::object();
  for (const std::string& solver : solver_names()) {
    const SolverPlotStyle look = solver_look(solver);
    all[solver] = {{"colour", look.colour}, {"dashes", look.dashes}};
  }
  return all.dump();
}

std::string section(const Reproduced& done, const std::string& figures) {
  std::string text =
      fmt::format("<section>\n<h3 id=\"{0}\">{1}</h3>\n<p class=\"soft\">{0}{2}</p>\n",
                  html(done.experiment.name), html(done.experiment.title),
                  done.seconds > 0 ? " · took " + seconds_words(done.seconds) : "");
  if (!done.trouble.empty())
    return text +
           fmt::format("<p class=\"notice\">Not run: {}</p>\n</section>\n", html(done.trouble));
  text +=
      fmt::format("<p>{}</p>\n", html(done.report.summary)) + findings_table(done.report.findings);
  text += figures;
  for (const DataTable& table : done.report.tables)
    if (table.on_page) text += data_table(table);
  return text + "</section>\n";
}

std::string heading(bool quick, const std::vector<Reproduced>& all) {
  VerdictCounts counts;
  for (const Reproduced& done : all) {
    const VerdictCounts its = count_verdicts(done.report);
    counts.reproduced += its.reproduced;
    counts.differs += its.differs;
    counts.beyond += its.beyond;
  }
  std::string text =
      "<h1>Talus: the papers, reproduced</h1>\n<p class=\"soft\">Every state was made by "
      "Talus from nothing; every number on this page was measured in this run.</p>\n";
  if (quick)
    text +=
        "<p class=\"notice\">A quick run: smaller systems than the published ones. Shapes can be "
        "compared, sizes cannot; the full run is <code>talus reproduce</code>.</p>\n";
  const auto fact = [](const std::string& value, std::string_view name) {
    return fmt::format("<li><b>{}</b><span>{}</span></li>\n", value, name);
  };
  text += "<ul class=\"facts\">\n" + fact(std::to_string(all.size()), "experiments") +
          fact(std::to_string(counts.reproduced), "findings reproduced") +
          fact(std::to_string(counts.differs), "findings that differ") +
          fact(std::to_string(counts.beyond), "answers beyond the papers") + "</ul>\n<nav>";
  for (const Reproduced& done : all)
    text += fmt::format("<a href=\"#{0}\">{0}</a>", html(done.experiment.name));
  return text + "</nav>\n";
}

} // namespace

std::string reproduction_figures(const std::string& folder, const Reproduced& done) {
  if (done.report.plots.empty()) return {};
  const auto path = std::filesystem::path(folder) / done.experiment.name / "report.json";
  const Plots plots = make_plots("reproduce_plots.py", {path.string(), looks()});
  if (!plots.missing.empty())
    return fmt::format("<p class=\"notice\">Plots are missing: {}.</p>\n", html(plots.missing));
  std::string text;
  for (const Figure& figure : plots.figures)
    text += fmt::format("<h4>{}</h4>\n<figure>\n{}\n<figcaption>{}</figcaption>\n</figure>\n",
                        html(figure.title), figure.svg, html(figure.caption));
  return text;
}

std::string reproduction_page(bool quick, const std::vector<Reproduced>& all,
                              const std::map<std::string, std::string>& figures) {
  std::string body = heading(quick, all);
  for (const experiments::Paper& paper : experiments::papers()) {
    bool first = true;
    for (const Reproduced& done : all) {
      if (experiments::paper_of(done.experiment.name) != paper.key) continue;
      if (first) body += fmt::format("<h2 id=\"{}\">{}</h2>\n", paper.key, html(paper.title));
      first = false;
      body += section(done, figures.at(done.experiment.name));
    }
  }
  return page("Talus: the papers, reproduced", body);
}

} // namespace talus::cli
