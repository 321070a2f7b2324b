#include "reproduction_summary.h"

#include "experiments/frame/catalogue.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

namespace talus::cli {
namespace {

using experiments::Finding;
using experiments::Paper;
using experiments::Verdict;

/// Text made safe inside a cell of a table.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<') safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

std::string verdict_words(const Finding& finding) {
  switch (finding.verdict) {
  case Verdict::reproduced:
    return "reproduced";
  case Verdict::differs:
    return "**differs**";
  case Verdict::beyond:
    break;
  }
  return "new";
}

std::string rows(const Reproduced& done) {
  std::string text;
  for (const Finding& finding : done.report.findings)
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", done.experiment.name,
                        cell(finding.what), cell(finding.published), cell(finding.measured),
                        verdict_words(finding), cell(finding.reason));
  return text;
}

} // namespace

std::string reproduction_summary(bool quick, const std::vector<Reproduced>& all) {
  std::string text;
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  for (const Paper& paper : experiments::papers()) {
    std::string table;
    for (const Reproduced& done : all)
      if (experiments::paper_of(done.experiment.name) == paper.key) table += rows(done);
    if (table.empty()) continue;
    text += fmt::format("{}## {}\n\n{}\n\n`talus reproduce {}{}`, Talus {}, {:%Y-%m-%d}.\n\n",
                        text.empty() ? "" : "\n", paper.key, paper.title, paper.key,
                        quick ? " --quick" : "", TALUS_VERSION, fmt::gmtime(now));
    text += "| experiment | finding | published | measured | verdict | note |\n"
            "|---|---|---|---|---|---|\n" +
            table;
  }
  return text;
}

} // namespace talus::cli
