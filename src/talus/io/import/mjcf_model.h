#pragma once
// What the parts of the MJCF reader share: the model as it grows, and names.

#include "talus/io/import/mjcf_document.h"
#include "talus/io/import/robot_model.h"

namespace talus::robot {

/// A mesh of the section `asset`.
struct MjcfMesh {
  TriangleMesh mesh;
  ShapeDescription hull;
};

struct MjcfModel {
  MjcfDocument& document;
  Warnings& warnings;
  RobotModel model;
  std::map<std::string, int> links, geom_links; ///< By the names of bodies and geoms.
  std::map<std::string, MjcfMesh> meshes;
  bool contacts = true; ///< Not switched off by `option`.

  void warn(const Place& place, const std::string& what);
  /// A body by its name; "world" or an empty one is -1. Throws at `user`.
  int link_named(const std::string& name, const XmlElement& user) const;
  /// Throws at `user` if there is none.
  RobotJoint& joint_named(const std::string& name, const XmlElement& user);
};

/// The sections of a file, in the order in which they are read.
void read_mesh_assets(MjcfModel& m);
void read_bodies(MjcfModel& m);
void read_contacts(MjcfModel& m);
void read_equalities(MjcfModel& m);
/// Before the actuators: `control` gets the controls of the keyframe.
void apply_keyframe(MjcfModel& m, const std::string& name, std::vector<double>& control);
void read_actuators(MjcfModel& m, const std::vector<double>& control);

/// A geom with its mass, in the frame of its body.
struct MjcfGeom {
  Geom geom;
  std::optional<MassProperties> mass; ///< Nothing for planes and groups without mass.
};
MjcfGeom read_geom(MjcfModel& m, const MjcfElement& element, const Transform& frame);
/// What contacts of a geom or pair feel, of its attributes `friction` and `condim`.
Surface read_surface(const MjcfElement& element);

} // namespace talus::robot
