#pragma once
// The files of a run (io/recorder.h) over ranks of which none has the whole world. They hold,
// number by number, what RunRecorder writes where the first rank has all of it. The first rank
// writes; bodies and contacts come to it some at a time, in the order of the whole world, so that
// no rank needs room for a frame. Checkpoints are written by all ranks in turn
// (io/checkpoint_blocks.h).
//
// Files are written while the run waits. Trouble with one is thrown on all ranks. What RunRecorder
// says of kills, restarts and locks holds here too.

#include "talus/cluster/rank_simulation.h"
#include "talus/io/output/trajectory.h"
#include "talus/io/scene.h"

#include <memory>

namespace talus {

/// How much the first rank takes at a time.
struct PieceSizes {
  Index bodies = static_cast<Index>(bodies_per_piece);
  std::size_t contacts = std::size_t{1} << 14;
};

class DividedRecorder {
public:
  /// As that of RunRecorder; `scene` is a part (io/description/scene_part.h) or the whole. All
  /// functions are for all ranks together.
  DividedRecorder(const std::string& folder, const Scene& scene, RankSimulation& simulation,
                  Ranks& ranks, PieceSizes sizes = {});
  ~DividedRecorder();
  DividedRecorder(DividedRecorder&&) noexcept;
  DividedRecorder& operator=(DividedRecorder&&) noexcept;

  /// To be called after every step; records a frame every `output.every` steps.
  void record();
  void checkpoint();
  /// Records the last step too, brings all files up to date, and writes a checkpoint. Everything is
  /// tried; throws the first error at the end.
  void finish();

private:
  struct Files;
  std::unique_ptr<Files> files_;
};

} // namespace talus
