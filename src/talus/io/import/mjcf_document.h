#pragma once
// An MJCF file with what it includes, its default classes and the settings of its compiler.

#include "talus/core/transform.h"
#include "talus/io/import/model_files.h"

#include <map>
#include <memory>

namespace talus::robot {

/// An element and the defaults that stand behind it: an attribute is looked for in that order.
class MjcfElement {
public:
  MjcfElement(XmlElement own, std::vector<XmlElement> defaults)
      : own_(own), defaults_(std::move(defaults)) {}

  const XmlElement& own() const { return own_; }
  std::string name() const { return own_.name(); }
  Place place() const { return own_.place(); }
  [[noreturn]] void fail(const std::string& what) const { own_.fail(what); }

  std::optional<std::string> find(std::string_view attribute) const;
  std::optional<std::vector<double>> numbers(std::string_view attribute, std::size_t least,
                                             std::size_t most) const;
  std::optional<double> number(std::string_view attribute) const;
  double number(std::string_view attribute, double otherwise) const {
    return number(attribute).value_or(otherwise);
  }
  std::optional<Vec3> vector(std::string_view attribute) const;
  Vec3 vector(std::string_view attribute, const Vec3& otherwise) const {
    return vector(attribute).value_or(otherwise);
  }
  std::optional<bool> flag(std::string_view attribute) const;

private:
  /// The one that has the attribute, else the element itself.
  const XmlElement& holder(std::string_view attribute) const;

  XmlElement own_;
  std::vector<XmlElement> defaults_;
};

/// Whether a range is in force: its switch (`limited`), or with autolimits whether it was given.
bool is_limited(const MjcfElement& element, std::string_view flag, std::string_view range,
                bool autolimits);

/// The element `compiler`.
struct MjcfCompiler {
  bool degrees = true, autolimits = true, balance_inertia = false, strip_path = false;
  enum class Inertia { automatic, always, never } from_geoms = Inertia::automatic;
  std::string euler_sequence = "xyz", mesh_folder;
  double least_mass = 0, least_inertia = 0, total_mass = -1;
  double first_group = 0, last_group = 5; ///< Geoms of these groups have mass.
};

class MjcfDocument {
public:
  explicit MjcfDocument(const ModelFiles& files);

  const ModelFiles& files() const { return files_; }
  const MjcfCompiler& compiler() const { return compiler_; }
  XmlElement root() const { return root_; }
  /// Child elements, those of included files in place of `include`.
  std::vector<XmlElement> children(const XmlElement& parent);
  /// Children of all sections of that name.
  std::vector<XmlElement> section(std::string_view name);

  /// With the defaults of its class, or of `childclass` if it names none.
  MjcfElement with_defaults(const XmlElement& element, const std::string& childclass) const;
  /// Throws if there is no such class.
  void require_class(const std::string& name, const XmlElement& user) const;

  /// pos and one of quat, axisangle, euler, xyaxes and zaxis.
  Transform frame(const MjcfElement& element) const;
  /// The factor of angles in the file.
  double angle_unit() const;
  void report_unused(Warnings& warnings);

private:
  struct Class {
    std::string parent;
    std::vector<XmlElement> elements;
  };
  void read_compiler();
  void read_classes(const XmlElement& element, const std::string& parent);
  Quaternion orientation(const MjcfElement& element) const;
  Quaternion from_euler(const Vec3& angles) const;

  const ModelFiles& files_;
  std::map<std::string, std::unique_ptr<XmlFile>> loaded_;
  std::shared_ptr<AskedFor> asked_;
  XmlElement root_;
  int include_depth_ = 0;
  MjcfCompiler compiler_;
  std::map<std::string, Class> classes_;
};

} // namespace talus::robot
