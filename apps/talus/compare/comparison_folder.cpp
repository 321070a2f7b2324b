#include "comparison_folder.h"

#include "comparison_files.h"
#include "comparison_page.h"
#include "report/output.h"
#include "report/plots.h"
#include "report/report.h"
#include "talus/core/files/path.h"

#include <filesystem>

namespace talus::cli {
namespace {

std::string in_folder(const std::string& folder, const char* name) {
  return (std::filesystem::path(folder) / name).string();
}

} // namespace

std::string page_path(const std::string& folder) {
  return in_folder(folder, "index.html");
}

bool prepare_folder(const std::string& folder) {
  const bool is_new = make_folder(folder);
  require_writable(page_path(folder));
  return is_new;
}

std::string write_comparison(const Comparison& comparison, const std::string& folder) {
  const std::string results = in_folder(folder, "results.json");
  const std::string convergence = in_folder(folder, "convergence.csv");
  const auto json = results_json(comparison);
  write_file(in_folder(folder, "results.csv"), results_csv(comparison));
  write_file(results, indented(json));
  write_file(convergence, comparison.convergence_csv);
  const Plots plots = make_plots("compare_plots.py", {results, convergence});
  write_file(page_path(folder), comparison_page(comparison, plots));
  return plots.missing;
}

} // namespace talus::cli
