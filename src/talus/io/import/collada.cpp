// COLLADA 1.4 as modelling programs write it: float_array → source → vertices → triangles,
// polylist or polygons, placed by the nodes of the visual scene.

#include "talus/io/import/collada.h"

#include "talus/core/error.h"
#include "talus/core/quaternion.h"
#include "talus/io/import/xml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <span>

namespace talus::robot {

namespace {

/// x ↦ A x + b.
struct Affine {
  Mat3 a = Mat3{{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  Vec3 b;
  Vec3 operator()(const Vec3& x) const { return a * x + b; }
};
Affine operator*(const Affine& f, const Affine& g) {
  Affine h{.a = f.a * g.a, .b = f(g.b)};
  return h;
}

class ColladaReader {
public:
  ColladaReader(const std::string& path, const std::string& text) : file_(path, text) {}

  TriangleMesh read() {
    root_ = file_.root("COLLADA");
    collect_ids();
    Affine whole;
    if (const XmlElement asset = root_.child("asset")) {
      if (const XmlElement unit = asset.child("unit")) {
        const double metre = unit.number("meter", 1);
        if (!(metre > 0)) unit.fail("meter must be positive");
        whole.a = Mat3{{metre, 0, 0, 0, metre, 0, 0, 0, metre}};
      }
      const std::string up = asset.child("up_axis") ? asset.child("up_axis").content() : "Y_UP";
      if (up == "Y_UP") whole = whole * Affine{Mat3{{1, 0, 0, 0, 0, -1, 0, 1, 0}}, {}};
      if (up == "X_UP") whole = whole * Affine{Mat3{{0, -1, 0, 0, 0, 1, 1, 0, 0}}, {}};
    }
    bool placed = false;
    for (const XmlElement& library : root_.children("library_visual_scenes"))
      for (const XmlElement& scene : library.children("visual_scene"))
        for (const XmlElement& node : scene.children("node")) {
          read_node(node, whole);
          placed = true;
        }
    if (!placed)
      for (const XmlElement& library : root_.children("library_geometries"))
        for (const XmlElement& geometry : library.children("geometry"))
          read_geometry(geometry, whole);
    if (triangles_.empty()) fail_at(root_.place(), "the file has no triangles");
    return build_triangle_mesh(std::move(vertices_), std::move(triangles_));
  }

private:
  static std::vector<double> numbers_in(const XmlElement& element, std::size_t count) {
    std::vector<double> values = element.content_numbers();
    if (count > 0 && values.size() != count)
      element.fail(fmt::format("{} numbers were expected, not {}", count, values.size()));
    return values;
  }

  void collect_ids() {
    for (const XmlElement& library : root_.children("library_geometries"))
      for (const XmlElement& geometry : library.children("geometry"))
        if (const auto id = geometry.find("id")) geometries_[*id] = geometry;
  }

  static Affine transformation(const XmlElement& element) {
    const std::string kind = element.name();
    if (kind == "matrix") {
      const auto m = numbers_in(element, 16);
      return {Mat3{{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}}, {m[3], m[7], m[11]}};
    }
    if (kind == "translate") {
      const auto t = numbers_in(element, 3);
      return {Affine{}.a, {t[0], t[1], t[2]}};
    }
    if (kind == "scale") {
      const auto s = numbers_in(element, 3);
      return {Mat3{{s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]}}, {}};
    }
    if (kind == "rotate") {
      const auto r = numbers_in(element, 4);
      const Vec3 axis{r[0], r[1], r[2]};
      if (!(norm(axis) > 0)) return {};
      return {rotation_matrix(axis_angle(axis, r[3] * (std::numbers::pi / 180))), {}};
    }
    return {};
  }

  void read_node(const XmlElement& node, Affine place) {
    for (const XmlElement& each : node.all_children()) place = place * transformation(each);
    for (const XmlElement& instance : node.children("instance_geometry")) {
      const std::string url = instance.text("url");
      const auto found = geometries_.find(url.starts_with('#') ? url.substr(1) : url);
      if (found == geometries_.end()) instance.fail(fmt::format("there is no geometry '{}'", url));
      read_geometry(found->second, place);
    }
    for (const XmlElement& child : node.children("node")) read_node(child, place);
  }

  void read_geometry(const XmlElement& geometry, const Affine& place) {
    for (const XmlElement& mesh : geometry.children("mesh")) {
      sources_.clear();
      for (const XmlElement& source : mesh.children("source")) sources_[source.text("id")] = source;
      for (const XmlElement& vertices : mesh.children("vertices"))
        for (const XmlElement& input : vertices.children("input"))
          if (input.text("semantic") == "POSITION")
            sources_[vertices.text("id")] = source_of(input);
      for (const char* kind : {"triangles", "polylist", "polygons"})
        for (const XmlElement& faces : mesh.children(kind)) read_faces(faces, place);
    }
  }

  XmlElement source_of(const XmlElement& input) const {
    const std::string name = input.text("source");
    const auto found = sources_.find(name.starts_with('#') ? name.substr(1) : name);
    if (found == sources_.end()) input.fail(fmt::format("there is no source '{}'", name));
    return found->second;
  }

  void read_faces(const XmlElement& faces, const Affine& place) {
    std::size_t stride = 0, offset = 0;
    XmlElement positions;
    for (const XmlElement& input : faces.children("input")) {
      const auto at = static_cast<std::size_t>(std::clamp(input.number("offset", 0), 0.0, 100.0));
      stride = std::max(stride, at + 1);
      if (input.text("semantic") != "VERTEX") continue;
      positions = source_of(input);
      offset = at;
    }
    if (!positions) return;
    const auto first = static_cast<Index>(vertices_.size());
    const auto numbers = numbers_in(positions.child("float_array"), 0);
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
      vertices_.push_back(place({numbers[i], numbers[i + 1], numbers[i + 2]}));
    const double det =
        dot(cross(place.a * Vec3{1, 0, 0}, place.a * Vec3{0, 1, 0}), place.a * Vec3{0, 0, 1});
    const auto corners = [&](const std::vector<double>& p) {
      std::vector<Index> result;
      for (std::size_t i = offset; i < p.size(); i += stride) {
        if (!(p[i] >= 0) || p[i] >= static_cast<double>(numbers.size() / 3))
          faces.fail(
              fmt::format("vertex {} does not exist; there are {}", p[i], numbers.size() / 3));
        result.push_back(first + static_cast<Index>(p[i]));
      }
      return result;
    };
    const auto fan = [&](std::span<const Index> polygon) {
      for (std::size_t k = 2; k < polygon.size(); ++k)
        triangles_.push_back(det < 0 ? Triangle{polygon[0], polygon[k], polygon[k - 1]}
                                     : Triangle{polygon[0], polygon[k - 1], polygon[k]});
    };
    const XmlElement counts = faces.child("vcount");
    for (const XmlElement& p : faces.children("p")) {
      const std::vector<Index> all = corners(numbers_in(p, 0));
      if (faces.name() == "polygons") {
        fan(all);
        continue;
      }
      std::size_t at = 0;
      std::vector<double> sizes(all.size() / 3, 3.0);
      if (counts) sizes = numbers_in(counts, 0);
      for (const double size : sizes) {
        if (!(size >= 0) || size > static_cast<double>(all.size() - at))
          faces.fail("its polygons have more corners than were given");
        const auto n = static_cast<std::size_t>(size);
        fan(std::span(all).subspan(at, n));
        at += n;
      }
    }
  }

  XmlFile file_;
  XmlElement root_;
  std::map<std::string, XmlElement> geometries_, sources_;
  std::vector<Vec3> vertices_;
  std::vector<Triangle> triangles_;
};

} // namespace

TriangleMesh parse_collada(const std::string& path, const std::string& text) {
  return ColladaReader(path, text).read();
}

} // namespace talus::robot
