#pragma once
// A folder of reproduced experiments. It holds
//
//     index.html            all reports as one page
//     summary.md            all findings as Markdown tables
//     NAME/report.json      one experiment for machines; what the page is made from
//     NAME/TABLE.csv        its tables
//     problems/*.hdf5       the contact problems, for other solvers
//     kept/                 finished pieces of work with what they were made from: an interrupted
//                           run goes on behind them, and a finished one is told anew from them
//     run.json              version and size of the run

#include "experiments/frame/experiment.h"
#include "talus/core/files/folder_lock.h"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace talus::cli {

struct Reproduced {
  experiments::Experiment experiment;
  experiments::Report report;
  double seconds = 0;  ///< Its work took, when it was done.
  std::string trouble; ///< Why there is no report; empty if all went well.
};

struct VerdictCounts {
  int reproduced = 0, differs = 0, beyond = 0;
};
VerdictCounts count_verdicts(const experiments::Report& report);

class Reproduction {
public:
  /// Opens or creates the folder; `again`: its problems are made anew, and so is what `run` finds
  /// kept. Throws InvalidArgument if it holds a run of another size (unless `again`), FileError if
  /// it cannot be written or another run is writing to it.
  Reproduction(std::string folder, bool quick, bool again);

  /// The experiment's report, made from the work that the folder keeps and doing what it does not.
  /// An error inside the experiment becomes `trouble`. `progress` returns false to stop it between
  /// its parts; `stop` (null: never) also ends long solves and steps.
  const Reproduced& run(const experiments::Experiment& experiment,
                        const std::function<bool(const std::string&)>& progress,
                        const std::atomic<bool>* stop);

  /// Writes the page and the summary of everything run so far and of reports of other experiments
  /// that this version of Talus left in the folder.
  void write_page();
  std::string page_path() const;

private:
  bool read_finished(Reproduced& done) const;
  void write_report(const Reproduced& done) const;

  std::string folder_;
  std::optional<FolderLock> lock_;
  bool quick_, again_;
  std::deque<Reproduced> done_;
  std::map<std::string, std::string> figures_; ///< By experiment: drawn once for each report.
};

} // namespace talus::cli
