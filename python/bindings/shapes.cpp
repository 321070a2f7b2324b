// Shapes, with the measures that scene files give them: full sizes and lengths.

#include "arrays.h"
#include "bindings.h"
#include "talus/shape/containers.h"
#include "talus/shape/decompose.h"
#include "talus/shape/mass_properties.h"
#include "talus/shape/shape.h"
#include "talus/shape/superellipsoid.h"

namespace talus::python {
namespace {

// pybind11 keeps holders of non-const type; shapes stay immutable because nothing here changes one.
using ShapeHolder = std::shared_ptr<Shape>;

ShapeHolder held(ShapePtr shape) {
  return std::const_pointer_cast<Shape>(shape);
}

std::vector<Triangle>
triangles_from(const py::array_t<Index, py::array::c_style | py::array::forcecast>& array) {
  require_columns(array, 3, "triangles");
  std::vector<Triangle> result(static_cast<std::size_t>(array.shape(0)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Index* row = array.data() + 3 * i;
    result[i] = {row[0], row[1], row[2]};
  }
  return result;
}

ShapeHolder height_field(const Array& heights, std::pair<double, double> spacing) {
  if (heights.ndim() != 2)
    throw InvalidArgument("heights must have shape (rows along y, columns along x)");
  return held(make_height_field(static_cast<Index>(heights.shape(1)),
                                static_cast<Index>(heights.shape(0)), spacing.first, spacing.second,
                                vector_from(heights)));
}

ShapeHolder compound(const std::vector<std::pair<ShapeHolder, Transform>>& parts) {
  std::vector<Compound::Child> children;
  for (const auto& [shape, pose] : parts) children.push_back({shape, pose});
  return held(make_compound(children));
}

ShapeHolder clump(const std::vector<std::pair<ShapeHolder, Transform>>& parts) {
  std::vector<Compound::Child> children;
  for (const auto& [shape, pose] : parts) children.push_back({shape, pose});
  return held(make_clump(children));
}

/// Of a clump (volume, sum of the parts' volumes, error); of others nothing.
std::optional<std::tuple<double, double, double>> union_of(const Shape& shape) {
  const auto* compound = std::get_if<Compound>(&shape.geometry);
  if (!compound || !compound->solid) return std::nullopt;
  return std::tuple(compound->solid->volume, compound->solid->sum_of_parts, compound->solid->error);
}

/// What a convex decomposition gave.
struct Decomposed {
  ShapeHolder shape;
  std::vector<ShapeHolder> hulls;
  double volume, hull_volume, volume_error;
};

Decomposed decomposed(const Shape& mesh, int parts, double tolerance, int vertices) {
  const auto* triangles = std::get_if<TriangleMesh>(&mesh.geometry);
  if (!triangles)
    throw InvalidArgument(
        fmt::format("only a triangle mesh can be decomposed, not a {}", name_of(kind_of(mesh))));
  const Decomposition found = decompose(*triangles, {parts, tolerance, vertices});
  std::vector<ShapeHolder> hulls;
  for (const std::vector<Vec3>& points : found.hulls)
    hulls.push_back(held(make_convex_hull(points)));
  return {held(clump_of(found)), std::move(hulls), found.solid.mass, found.hull_volume,
          found.volume_error()};
}

void bind_decomposition(py::module_& m) {
  using py::arg;
  py::class_<Decomposed>(m, "Decomposition", py::dynamic_attr(),
                         "A mesh as convex parts, and how good they are.")
      .def_readonly("shape", &Decomposed::shape,
                    "The parts as one shape, with the mass properties of the mesh.")
      .def_readonly("hulls", &Decomposed::hulls, "The parts as shapes in the frame of the mesh.")
      .def_property_readonly(
          "parts", [](const Decomposed& found) { return found.hulls.size(); }, "How many.")
      .def_readonly("volume", &Decomposed::volume, "Of the mesh, m³.")
      .def_readonly("hull_volume", &Decomposed::hull_volume, "Of all parts, m³.")
      .def_readonly("volume_error", &Decomposed::volume_error, "hull_volume / volume - 1.");
  m.def("decompose", &decomposed, arg("mesh"), py::kw_only(), arg("parts") = 32,
        arg("tolerance") = 0.01, arg("vertices") = 64,
        "Cuts a closed triangle mesh into at most `parts` convex hulls of at most `vertices` "
        "points, so that bodies of this shape can move. Cutting ends once the hulls have the share "
        "`tolerance` of the volume too much. The same mesh gives the same parts, bit for bit.");
}

Quaternion checked_axis_angle(const Vec3& axis, double angle) {
  if (!is_finite(axis) || axis == Vec3{} || !std::isfinite(angle))
    throw InvalidArgument("a rotation needs a finite axis other than zero and a finite angle");
  return axis_angle(axis, angle);
}

void bind_primitives(py::module_& m) {
  using py::arg;
  m.def(
      "sphere", [](double radius) { return held(make_sphere(radius)); }, arg("radius"),
      "A ball about the origin.");
  m.def(
      "box", [](const Vec3& size) { return held(make_box(0.5 * size)); }, arg("size"),
      "A box about the origin with these edge lengths.");
  m.def(
      "capsule",
      [](double radius, double length) { return held(make_capsule(radius, length / 2)); },
      arg("radius"), arg("length"), "Points within `radius` of a segment of `length` along z.");
  m.def(
      "cylinder",
      [](double radius, double length) { return held(make_cylinder(radius, length / 2)); },
      arg("radius"), arg("length"), "A cylinder along z, centred at the origin.");
  m.def(
      "ellipsoid", [](const Vec3& radii) { return held(make_ellipsoid(radii)); }, arg("radii"),
      "An ellipsoid about the origin with its axes along x, y, z.");
  m.def(
      "half_space",
      [](const Vec3& normal, double offset) { return held(make_half_space(normal, offset)); },
      arg("normal") = Vec3{0, 0, 1}, arg("offset") = 0.0,
      "Everything below a plane: normal · x ≤ offset, for a normal of unit length.");
}

void bind_composed(py::module_& m) {
  using py::arg;
  m.def(
      "convex_hull",
      [](const Array& points) { return held(make_convex_hull(vectors_from(points, "points"))); },
      arg("points"), "The convex hull of points, an array of shape (n, 3).");
  m.def(
      "superellipsoid",
      [](const Vec3& radii, const std::pair<double, double>& blockiness, int segments) {
        return held(make_superellipsoid(radii, blockiness.first, blockiness.second, segments));
      },
      arg("radii"), arg("blockiness"), arg("segments") = 8,
      "(|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1 <= 1 with blockiness (n1, n2) of at least 1: "
      "(2, 2) is an ellipsoid, large numbers approach a box. The hull of 6 segments² + 2 points on "
      "it.");
  m.def(
      "triangle_mesh",
      [](const Array& vertices,
         const py::array_t<Index, py::array::c_style | py::array::forcecast>& triangles) {
        return held(
            make_triangle_mesh(vectors_from(vertices, "vertices"), triangles_from(triangles)));
      },
      arg("vertices"), arg("triangles"),
      "A surface of triangles (m, 3) between vertices (n, 3), for bodies that do not move by "
      "themselves.");
  m.def(
      "load_mesh",
      [](const PathText& path) { return held(make_triangle_mesh(read_mesh(path.text))); },
      arg("path"), "A triangle mesh from an OBJ or STL file.");
  m.def("height_field", &height_field, arg("heights"), arg("spacing"),
        "A landscape over the x-y plane: heights[j, i] at (i spacing[0], j spacing[1]).");
  m.def("compound", &compound, arg("parts"),
        "The union of shapes, each with its pose: [(shape, (position, quaternion)), ...].");
  m.def("clump", &clump, arg("parts"),
        "The same with the mass properties of the union where parts overlap: exact for spheres of "
        "which no three have a common point, otherwise integrated (Shape.union_volume).");
  m.def(
      "open_box", [](const Vec3& inner, double wall) { return held(make_open_box(inner, wall)); },
      arg("inner"), arg("wall"),
      "A box open at the top around the space `inner`, whose floor is at z = 0.");
  m.def(
      "cylinder_shell",
      [](double radius, double height, double wall, int segments) {
        return held(make_cylinder_shell(radius, height, wall, segments));
      },
      arg("radius"), arg("height"), arg("wall"), arg("segments") = 48,
      "A tube about the z axis from z = 0 up, open at both ends.");
  m.def(
      "hopper",
      [](double outlet, double inlet, double height, double wall, double rim, int segments) {
        return held(make_hopper(outlet, inlet, height, rim, wall, segments));
      },
      arg("outlet"), arg("inlet"), arg("height"), arg("wall"), arg("rim") = 0.0,
      arg("segments") = 48, "A funnel about the z axis from z = 0 up, then a tube.");
}

} // namespace

void bind_shapes(py::module_& m) {
  py::class_<Shape, ShapeHolder>(m, "Shape", py::dynamic_attr(),
                                 "Immutable geometry, shared between bodies. Metres.")
      .def_property_readonly(
          "type", [](const Shape& s) { return std::string(name_of(kind_of(s))); },
          "\"sphere\", \"box\", ...")
      .def(
          "mass_properties",
          [](const Shape& shape, double density) {
            const MassProperties p = mass_properties(shape, density);
            return py::make_tuple(p.mass, p.centre, frozen_copy({p.inertia.m, 9}, {3, 3}));
          },
          py::arg("density") = 1000.0,
          "(mass, centre of mass, inertia about it) for a density in kg/m³.")
      .def_property_readonly("union_volume", &union_of,
                             "Of a clump (volume of the union, sum of the parts' volumes, "
                             "estimated relative error of the first), else None.")
      .def("__repr__",
           [](const Shape& s) { return fmt::format("<talus.Shape {}>", name_of(kind_of(s))); });
  bind_primitives(m);
  bind_composed(m);
  bind_decomposition(m);
  m.def("axis_angle", &checked_axis_angle, py::arg("axis"), py::arg("angle"),
        "The quaternion (w, x, y, z) of a rotation by `angle` radians about `axis`.");
}

} // namespace talus::python
