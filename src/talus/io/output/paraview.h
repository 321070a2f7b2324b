#pragma once
// Series of VTK PolyData files for ParaView: bodies.pvd with the surfaces of all shapes but spheres
// (point arrays `velocity`, `contact_force` and `body`), particles.pvd with a point for every
// sphere
// (`radius`, `velocity`, `contact_force`, `body`), if there are some, contacts.pvd with a point for
// every contact (`force`, `normal`, `gap`, `bodies`) and, where there are joints, joints.pvd with a
// point for each (`force`, `torque`, `position`, `motor_effort`, `joint`), made to be shown as
// arrows. Data are compressed; every file appears whole and holds its time, so that the index can
// be made anew from the files.

#include "talus/io/output/surface_mesh.h"
#include "talus/io/output/trajectory.h"

#include <memory>

namespace talus {

/// How bodies look.
struct BodyLooks {
  WorldSurface surface; ///< Without spheres.
  std::vector<Particle> particles;
};

class ParaviewSeries {
public:
  /// Files go into `folder`, which is made. Frames of an earlier series there are removed, but for
  /// those kept, and so is what a killed writer left half done. Throws FileError.
  ParaviewSeries(const std::string& folder, const Scene& scene, const World& world,
                 const std::optional<KeptFrames>& kept);

  ~ParaviewSeries();
  void add(const FrameView& frame);

  /// The same in pieces, of frames that nobody has as a whole: begin_frame(), then all contacts and
  /// all bodies in their order, then end_frame(), which writes the files.
  ParaviewSeries(const std::string& folder, bool has_particles, bool has_joints,
                 const std::optional<KeptFrames>& kept);
  void begin_frame(const FrameHead& head);
  void add_contacts(std::span<const ContactPoint> contacts, std::span<const Vec3> impulses);
  void add_bodies(const FramePiece& piece, const BodyLooks& looks);
  void end_frame();

  /// Brings the .pvd files up to date; add() does so now and then.
  void write_index();

private:
  struct Frame {
    std::int64_t step;
    double time;
    bool has_particles; ///< Earlier versions drew spheres as surfaces.
  };
  std::vector<const char*> series() const; ///< Names of the files' groups.
  std::string file_name(const std::string& series, std::int64_t step) const;
  std::string path_of(const std::string& series, std::int64_t step) const;
  void remove_all_but(const std::optional<KeptFrames>& kept) const;
  void list_earlier(const KeptFrames& kept);

  std::string folder_;
  BodyLooks looks_; ///< Of all bodies, where they came as a whole.
  bool has_particles_, has_joints_;
  struct OpenFrame;
  std::unique_ptr<OpenFrame> open_;
  std::vector<Frame> frames_;
  double index_written_at_ = 0; ///< Seconds of a steady clock.
};

} // namespace talus
