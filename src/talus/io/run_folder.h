#pragma once
// The folder of a run: names of its files, and what other runs have left there.

#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "talus/core/files/hdf5_file.h"

#include <filesystem>
#include <string>

namespace talus {

struct RunFolder {
  std::string path;

  std::string trajectory() const { return path + "/trajectory.h5"; }
  std::string checkpoint() const { return path + "/checkpoint.h5"; }
  std::string step_table() const { return path + "/steps.csv"; }
  std::string sensor_table() const { return path + "/sensors.csv"; }
  std::string paraview() const { return path + "/paraview"; }

  /// What the last run in the folder left, had it no time to finish.
  void tidy_up_after_killed_run() const {
    for (const std::string& file : {trajectory(), step_table(), sensor_table(), checkpoint()})
      remove_stale_temporaries(file);
    try {
      end_stream_of_killed_writer(trajectory());
    } catch (const FileError&) {
      // It is something else or damaged. Whoever reads it says so.
    }
  }

  /// When the other files are those of a new run. What an earlier one left to go on from must not
  /// meet them.
  void remove_what_new_run_replaces(bool has_sensors) const {
    std::error_code ignored;
    std::filesystem::remove(checkpoint(), ignored);
    if (!has_sensors) std::filesystem::remove(sensor_table(), ignored);
  }
};

} // namespace talus
