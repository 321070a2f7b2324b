#pragma once
// A run as the viewer page sees it: read from its folder, or from a trajectory alone, also while it
// is still being written. Safe to use from several threads.

#include "data_package.h"
#include "talus/core/error.h"
#include "talus/io/output/trajectory.h"
#include "viewed_table.h"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>

namespace talus::cli {

/// How much of a run there is by now.
struct RunExtent {
  Index frames = 0;
  std::size_t steps = 0; ///< Lines of steps.csv.
  bool growing = false;  ///< Somebody said that more is to come.
};

class ViewedRun {
public:
  /// `path` is a folder of `talus run --out`, or its trajectory. Throws FileError.
  ViewedRun(const std::string& path, bool growing);

  /// Looks at the files again if they changed.
  RunExtent extent();
  Index bodies() const { return bodies_; }
  /// Of the first and the last frame; there must be one.
  std::pair<double, double> time_range();
  /// Rows of contacts in all frames together.
  std::size_t contacts();

  /// Bodies, shapes, materials and joints.
  DataPackage model();
  /// Times of every `every`-th frame from `first` on, as far as extent() knew last.
  DataPackage times(Index first, Index every = 1);
  /// `count` frames from `first`, each `every` frames after the one before. Throws OutOfRange.
  DataPackage frames(Index first, Index count, Index every, bool with_contacts);
  /// What the plots show, from line `first` of steps.csv on; columns of sensors.csv as
  /// "sensor:NAME".
  DataPackage steps(std::size_t first);

  /// The run has ended: nothing more is to come.
  void stop_growing() { growing_ = false; }

  struct OutOfRange : Error {
    using Error::Error;
  };

private:
  const TrajectoryReader& refresh();
  const TrajectoryReader& reader();
  void read_new_steps();
  std::size_t step_count() const;

  std::mutex mutex_;
  std::string trajectory_path_;
  ViewedTable steps_, sensors_;
  std::atomic<bool> growing_; ///< The end of the run is told by a thread of its own.
  std::optional<TrajectoryReader> reader_;
  Index bodies_ = 0;
  std::filesystem::file_time_type seen_change_;
};

} // namespace talus::cli
