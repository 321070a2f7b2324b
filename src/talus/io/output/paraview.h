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

namespace talus {

class ParaviewSeries {
public:
  /// Files go into `folder`, which is made. Frames of an earlier series there are removed, but for
  /// those kept, and so is what a killed writer left half done. Throws FileError.
  ParaviewSeries(const std::string& folder, const Scene& scene, const World& world,
                 const std::optional<KeptFrames>& kept);

  void add(const FrameView& frame);
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
  WorldSurface surface_; ///< Without spheres.
  std::vector<Particle> particles_;
  bool has_joints_;
  std::vector<Frame> frames_;
  double index_written_at_ = 0; ///< Seconds of a steady clock.
};

} // namespace talus
