#pragma once
// What a run says and writes in the end, on one process or on several.

#include "report/overlap_warning.h"
#include "talus/io/scene.h"
#include "talus/step/step_times.h"

#include <nlohmann/json.hpp>

#include <string>

namespace talus::cli {

/// How the stepping ended.
struct RunOutcome {
  RunSummary summary;
  StepTimes times;
  InitialOverlaps overlaps;
  double seconds = 0;
  double seconds_files = 0; ///< Of `seconds`: waiting for files.
  int signal = 0;
  std::string unconverged; ///< With --strict: the step that missed its tolerance.

  void include(const StepReport& report) {
    summary.include(report);
    times.include(report);
  }
  /// Says so in `unconverged` if the step missed its tolerance.
  bool misses_tolerance(const StepReport& report);
  int exit_code() const;
};

/// What a run was of, and where it has arrived.
struct RunFacts {
  const Scene& scene;
  const StepOptions& options;
  const MaterialTable& materials;
  Index bodies = 0;
  bool has_joints = false;
  double time = 0;
  double kinetic_energy = 0, potential_energy = 0, elastic_energy = 0;
};

/// The object of summary.json and --json.
nlohmann::ordered_json summary_json(const RunFacts& facts, const RunOutcome& outcome);
/// One line of a summary.
void print_row(const char* name, const std::string& value);
/// The title with its numbers (`ranks`: ", 4 ranks" or nothing), and a row for what there is to
/// say, but for the time.
void print_summary_rows(const RunFacts& facts, const RunOutcome& outcome, const std::string& ranks);
/// Where the time went.
std::string time_text(const RunOutcome& outcome, double seconds_plot);

/// Removes what is written at the end only: a run that fails must not leave another's.
void remove_results_of_earlier_run(const std::string& folder);
/// summary.json and, if the scene asks for it, the figure of energy, contacts and error over time.
/// Without matplotlib there is a message from `program`.
void write_results(const std::string& folder, const Scene& scene,
                   const nlohmann::ordered_json& summary, const std::string& program);

} // namespace talus::cli
