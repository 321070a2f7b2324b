#pragma once
// Trajectories: one HDF5 file with the bodies, their surfaces, and a frame for every recorded step.
// The layout is described in docs/output.md. A frame counts once its time is in the file, which is
// written last: a reader that looks while the file grows, or after the writer was killed, sees
// whole frames only.

#include "talus/core/files/atomic_file.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/io/output/frame.h"
#include "talus/io/output/world_tables.h"
#include "talus/io/scene.h"
#include "talus/step/simulation.h"

#include <map>
#include <optional>

namespace talus {

/// Bodies that lie together in the file, of one frame: as many are best written at a time.
inline constexpr std::size_t bodies_per_piece = 1 << 13;

/// Which frames of an earlier part of the same run stay: those of steps up to `last_step` that a
/// run without interruption would have recorded.
struct KeptFrames {
  std::int64_t last_step = 0, every = 1;
  bool keeps(std::int64_t step) const { return step <= last_step && step % every == 0; }
};

class TrajectoryReader;

class TrajectoryWriter {
public:
  /// A new file takes the place of what is at `path`. With `kept`, such frames are taken over from
  /// there; a trajectory of another scene is refused. Throws FileError.
  TrajectoryWriter(const std::string& path, const Scene& scene, const World& world,
                   const std::optional<KeptFrames>& kept);

  /// Appends a frame.
  void add(const FrameView& frame);
  void close() { file_.close(); }

  // The same in pieces, of a world and frames that nobody has as a whole.

  /// `common` has the materials, the gravity and what sensors ask for; `joints` have the numbers of
  /// the whole world. Bodies follow, then begin().
  TrajectoryWriter(const std::string& path, const Scene& scene, const TableSizes& sizes,
                   const World& common, std::span<const Joint> joints);
  void add_bodies(std::span<const Body> bodies, const WorldSurface& surface) {
    bodies_.add(bodies, surface);
  }
  /// The file takes its name.
  void begin(const std::optional<KeptFrames>& kept);

  /// begin_frame(), then all contacts and all bodies in their order, then end_frame().
  void begin_frame(const FrameHead& head);
  void add_contacts(std::span<const ContactPoint> contacts, std::span<const Vec3> impulses);
  void add_bodies(const FramePiece& piece);
  void end_frame();

private:
  TrajectoryWriter(const std::string& path, const Scene& scene, const World& world,
                   const WorldSurface& surface, const std::optional<KeptFrames>& kept);
  void make_tables(std::size_t bodies, std::size_t joints);
  void add_joints(const std::vector<JointReading>& joints);
  void take_over_row(const char* name, const TrajectoryReader& old, Index frame);
  void list_removed(std::int32_t body, std::int64_t step);
  template <class Wrenches, class Put>
  void put_wrenches(const char* forces, const char* torques, Wrenches&& wrenches, Put&& put);
  void append_numbers(const char* name, const std::vector<JointReading>& joints,
                      double JointReading::*number);
  void take_over(const std::string& path, const KeptFrames& kept);

  AtomicFile target_; ///< Takes the name when the file is ready for frames.
  Hdf5File file_;
  BodyTablesWriter bodies_;
  std::string scene_text_;
  FrameHead head_;            ///< Of the frame that is being written.
  std::size_t frame_row_ = 0; ///< Of that frame.
  std::int64_t contact_rows_ = 0, contacts_of_frame_ = 0;
  std::vector<bool> removed_; ///< Bodies that are listed as removed.
  Vector numbers_;
  std::vector<float> forces_;
  std::vector<std::int32_t> indices_;
};

class TrajectoryReader {
public:
  /// Throws FileError when the file is not a trajectory. The frames are those complete now.
  explicit TrajectoryReader(const std::string& path);

  /// All of it, for what the functions below do not give.
  const Hdf5File& file() const { return file_; }

  Index bodies() const { return bodies_; }
  Index frames() const { return frames_; }
  double time(Index frame) const;
  std::int64_t step(Index frame) const;
  std::vector<BodyState> states(Index frame) const;
  /// The step after which each removed body was gone; largest int64 of the others.
  std::vector<std::int64_t> removal_steps() const;
  std::map<Index, std::int64_t> removals() const; ///< Of these alone.
  /// Contacts of the step that led to the frame: bodies, normal, gap, with both points at the
  /// stored one; and their impulses on body_b.
  std::vector<ContactPoint> contacts(Index frame, std::vector<Vec3>& impulses) const;
  /// One of the tables of forces ("contact_force", "joint_position", ...), row by row. Empty where
  /// the file has none: of a world without joints, or of an earlier version.
  std::vector<double> forces(const std::string& name, Index frame) const;

private:
  friend class TrajectoryWriter;
  Hdf5File file_;
  Index bodies_ = 0, frames_ = 0;
};

} // namespace talus
