#include "reproduction.h"

#include "experiments/frame/catalogue.h"
#include "report/output.h"
#include "report/plots.h"
#include "reproduction_page.h"
#include "reproduction_summary.h"
#include "talus/core/error.h"
#include "talus/core/files/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

namespace talus::cli {
namespace fs = std::filesystem;
using experiments::Context;
using experiments::DataTable;
using experiments::Experiment;
using experiments::Json;
using experiments::Verdict;

namespace {

std::string csv(const DataTable& table) {
  std::string text;
  for (const std::string& column : table.columns)
    text += (text.empty() ? "" : ",") + csv_field(column);
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ',';
      text += row[i].is_string() ? csv_field(row[i].get<std::string>())
              : row[i].is_null() ? std::string()
                                 : row[i].dump();
    }
    text += '\n';
  }
  return text;
}

Json read_json(const fs::path& path) {
  std::ifstream file(path);
  return file ? Json::parse(file, nullptr, false) : Json(Json::value_t::discarded);
}

} // namespace

VerdictCounts count_verdicts(const experiments::Report& report) {
  VerdictCounts counts;
  for (const experiments::Finding& finding : report.findings) switch (finding.verdict) {
    case Verdict::reproduced:
      ++counts.reproduced;
      break;
    case Verdict::differs:
      ++counts.differs;
      break;
    case Verdict::beyond:
      ++counts.beyond;
    }
  return counts;
}

Reproduction::Reproduction(std::string folder, bool quick, bool again)
    : folder_(std::move(folder)), quick_(quick), again_(again) {
  make_folder(folder_);
  lock_.emplace(folder_);
  const fs::path marker = fs::path(folder_) / "run.json";
  const Json earlier = read_json(marker);
  if (!again && earlier.is_object() && earlier.value("quick", quick) != quick)
    throw InvalidArgument(
        fmt::format("{} holds a {} run; choose another folder with --out, or start it anew "
                    "with --again",
                    folder_, quick ? "full" : "quick"));
  if (again) fs::remove_all(fs::path(folder_) / "problems");
  write_file(marker.string(), Json{{"talus", TALUS_VERSION}, {"quick", quick}}.dump(1) + "\n");
}

std::string Reproduction::page_path() const {
  return (fs::path(folder_) / "index.html").string();
}

bool Reproduction::read_finished(Reproduced& done) const {
  const Json json = read_json(fs::path(folder_) / done.experiment.name / "report.json");
  if (!json.is_object()) return false;
  try {
    done.report = experiments::report_from_json(json.at("report"));
    done.seconds = json.at("seconds");
    return json.at("quick") == quick_ && json.at("talus") == TALUS_VERSION;
  } catch (const std::exception&) {
    return false; // Written by another version.
  }
}

void Reproduction::write_report(const Reproduced& done) const {
  const fs::path folder = fs::path(folder_) / done.experiment.name;
  make_folder(folder.string());
  for (const DataTable& table : done.report.tables)
    write_file((folder / (table.name + ".csv")).string(), csv(table));
  const Json json = {{"experiment", done.experiment.name},
                     {"title", done.experiment.title},
                     {"talus", TALUS_VERSION},
                     {"quick", quick_},
                     {"seconds", done.seconds},
                     {"report", experiments::to_json(done.report)}};
  write_file((folder / "report.json").string(), json.dump(1) + "\n");
}

const Reproduced& Reproduction::run(const Experiment& experiment,
                                    const std::function<bool(const std::string&)>& progress,
                                    const std::atomic<bool>* stop) {
  done_.push_back({experiment, {}, 0, {}});
  Reproduced& done = done_.back();
  if (again_) fs::remove_all(fs::path(folder_) / "kept" / experiment.name);
  const auto start = std::chrono::steady_clock::now();
  Context context({folder_, experiment.name, quick_, progress, stop});
  try {
    done.report = experiment.run(context);
  } catch (const std::exception& error) {
    done.trouble = error.what();
    return done;
  }
  done.seconds = context.seconds_saved() +
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_report(done);
  figures_.erase(experiment.name);
  return done;
}

void Reproduction::write_page() {
  std::vector<Reproduced> all;
  for (const Experiment& experiment : experiments::catalogue()) {
    const auto ran = std::find_if(done_.begin(), done_.end(), [&](const Reproduced& done) {
      return done.experiment.name == experiment.name;
    });
    Reproduced found{experiment, {}, 0, {}};
    if (ran != done_.end()) {
      all.push_back(*ran);
    } else if (read_finished(found)) {
      all.push_back(std::move(found));
    }
  }
  for (const Reproduced& done : all)
    if (std::string& figures = figures_[done.experiment.name]; figures.empty())
      figures = reproduction_figures(folder_, done);
  write_file(page_path(), reproduction_page(quick_, all, figures_));
  write_file((fs::path(folder_) / "summary.md").string(), reproduction_summary(quick_, all));
}

} // namespace talus::cli
