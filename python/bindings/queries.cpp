// Questions to a world as it lies: rays, distances, pictures.

#include "arrays.h"
#include "bindings.h"
#include "talus/core/parallel.h"
#include "talus/query/distance.h"
#include "talus/query/picture.h"
#include "talus/query/ray.h"
#include "world_parts.h"

namespace talus::python {
namespace {

RayFilter filter_of(const World& world, double max_distance, const std::optional<Key>& ignore) {
  RayFilter filter;
  filter.max_distance = max_distance;
  if (ignore) filter.ignore = body_index(world, *ignore);
  return filter;
}

/// Many rays at once: origins and directions of shape (n, 3), or one origin for all.
py::dict cast_all(const WorldRef& w, const Array& origins, const Array& directions,
                  double max_distance, const std::optional<Key>& ignore) {
  std::vector<Vec3> from = origins.ndim() == 1 && origins.size() == 3
                               ? std::vector{Vec3{origins.at(0), origins.at(1), origins.at(2)}}
                               : vectors_from(origins, "origins");
  const std::vector<Vec3> along = vectors_from(directions, "directions");
  if (from.size() == 1) from.resize(along.size(), from.front());
  if (from.size() != along.size())
    throw InvalidArgument(
        fmt::format("there are {} origins and {} directions", from.size(), along.size()));
  const RayFilter filter = filter_of(*w, max_distance, ignore);
  const auto n = static_cast<py::ssize_t>(along.size());
  Array distances(n), points({n, py::ssize_t{3}}), normals({n, py::ssize_t{3}});
  py::array_t<Index> bodies(n);
  double *to_distance = distances.mutable_data(), *to_point = points.mutable_data(),
         *to_normal = normals.mutable_data();
  Index* to_body = bodies.mutable_data();
  {
    const py::gil_scoped_release no_gil;
    const RayCaster rays(*w);
    parallel_for(
        static_cast<Index>(n),
        [&](Index begin, Index end) {
          for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const auto hit = rays.cast(from[i], along[i], filter);
            const double none = std::numeric_limits<double>::quiet_NaN();
            to_body[i] = hit ? hit->body : -1;
            to_distance[i] = hit ? hit->distance : std::numeric_limits<double>::infinity();
            for (int k = 0; k < 3; ++k) {
              to_point[3 * i + k] = hit ? hit->point[k] : none;
              to_normal[3 * i + k] = hit ? hit->normal[k] : none;
            }
          }
        },
        64);
  }
  py::dict result;
  result["body"] = bodies;
  result["distance"] = distances;
  result["point"] = points;
  result["normal"] = normals;
  return result;
}

void bind_rays(py::module_& m, WorldClass& world) {
  using py::arg;
  const double endless = std::numeric_limits<double>::infinity();
  py::class_<RayHit>(m, "RayHit", "What a ray meets first.")
      .def_readonly("body", &RayHit::body, "Number of the body.")
      .def_readonly("shape", &RayHit::shape, "Number of the shape among those of the body.")
      .def_readonly("distance", &RayHit::distance, "From the origin of the ray, m.")
      .def_readonly("point", &RayHit::point, "In the world, m.")
      .def_readonly("normal", &RayHit::normal, "Of the surface, unit, against the ray.")
      .def("__repr__", [](const RayHit& hit) {
        return fmt::format("<talus.RayHit of body {} at {:.6g} m>", hit.body, hit.distance);
      });
  world.def(
      "ray_cast",
      [](const WorldRef& w, const Vec3& origin, const Vec3& direction, double max_distance,
         const std::optional<Key>& ignore) {
        return ray_cast(*w, origin, direction, filter_of(*w, max_distance, ignore));
      },
      arg("origin"), arg("direction"), arg("max_distance") = endless, arg("ignore") = py::none(),
      "The first surface that a ray meets from outside, as a RayHit, or None. Shapes are exact; a "
      "ray that begins inside a solid passes out of it unseen. `ignore` is a body to pass "
      "through.");
  world.def("ray_cast_many", &cast_all, arg("origins"), arg("directions"),
            arg("max_distance") = endless, arg("ignore") = py::none(),
            "Many rays, as of a laser scanner: directions of shape (n, 3), origins the same or one "
            "for all. Arrays by name: body (-1: none), distance (inf), point and normal (NaN).");
}

void bind_distances(py::module_& m, WorldClass& world) {
  using py::arg;
  py::class_<Separation>(m, "Separation", "The distance between two bodies.")
      .def_readonly("distance", &Separation::distance,
                    "m; negative for the depth of an overlap, inf if one has no shapes.")
      .def_readonly("point_a", &Separation::point_a, "The closest point of the first, m.")
      .def_readonly("point_b", &Separation::point_b, "The closest point of the second, m.")
      .def_readonly("normal", &Separation::normal,
                    "From the first to the second, unit; zero where a surface is crossed.")
      .def_property_readonly(
          "shapes", [](const Separation& s) { return std::pair(s.shape_a, s.shape_b); },
          "Numbers of the two shapes among those of the bodies.")
      .def("__repr__", [](const Separation& s) {
        return fmt::format("<talus.Separation of {:.6g} m>", s.distance);
      });
  world.def(
      "closest",
      [](const WorldRef& w, const Key& a, const Key& b) {
        return closest(*w, body_index(*w, a), body_index(*w, b));
      },
      arg("a"), arg("b"),
      "The distance between two bodies, whether or not they may touch, with their closest points: "
      "a "
      "Separation. Of meshes and height fields the surface counts.");
  world.def(
      "closest_to",
      [](const WorldRef& w, const Vec3& point, const Key& body) {
        return closest(*w, point, body_index(*w, body));
      },
      arg("point"), arg("body"), "The same between a point and a body; point_a is the point.");
}

template <class Number>
py::array_t<Number> image(const std::vector<Number>& values, std::vector<py::ssize_t> shape) {
  py::array_t<Number> result(std::move(shape));
  std::copy(values.begin(), values.end(), result.mutable_data());
  return result;
}

py::dict draw_all(const WorldRef& w, const Camera& camera, const PictureOptions& options) {
  Picture picture;
  {
    const py::gil_scoped_release no_gil;
    picture = draw(*w, camera, options);
  }
  const py::ssize_t rows = picture.height, columns = picture.width;
  py::dict result;
  result["rgb"] = image(picture.rgb, {rows, columns, 3});
  result["depth"] = image(picture.distance, {rows, columns});
  result["body"] = image(picture.body, {rows, columns});
  return result;
}

void bind_pictures(py::module_& m, WorldClass& world) {
  using py::arg;
  py::class_<Camera>(m, "Camera", "Where a picture is taken from.")
      .def(py::init([](const Vec3& eye, const Vec3& target, const Vec3& up, double field_of_view) {
             return Camera{eye, target, up, field_of_view};
           }),
           arg("eye"), arg("target") = Vec3{}, arg("up") = Vec3{0, 0, 1},
           arg("field_of_view") = 40.0,
           "From `eye` to `target` (m); field_of_view is the angle from the lowest to the highest "
           "row, degrees.")
      .def_readwrite("eye", &Camera::eye, "m.")
      .def_readwrite("target", &Camera::target, "What is in the middle, m.")
      .def_readwrite("up", &Camera::up, "What is up in the picture.")
      .def_readwrite("field_of_view", &Camera::field_of_view, "Of the height, degrees.")
      .def("__repr__", [](const Camera& c) {
        return fmt::format("talus.Camera(({:.4g}, {:.4g}, {:.4g}), ({:.4g}, {:.4g}, {:.4g}))",
                           c.eye.x, c.eye.y, c.eye.z, c.target.x, c.target.y, c.target.z);
      });
  world.def(
      "camera",
      [](const WorldRef& w, double aspect, const Vec3& direction) {
        return camera_for(*w, aspect, direction);
      },
      arg("aspect") = 4.0 / 3, arg("direction") = Vec3{1, -1.6, 0.9},
      "A Camera that shows all bodies of bounded size; direction goes from them to the eye.");
  world.def(
      "_draw",
      [](const WorldRef& w, const Camera& camera, int width, int height, int samples, bool shadows,
         const std::string& colours, double grid) {
        if (colours != "body" && colours != "material")
          throw InvalidArgument(
              fmt::format("colours is '{}', it must be body or material", colours));
        return draw_all(w, camera,
                        {width, height, samples, shadows,
                         colours == "body" ? PictureColours::body : PictureColours::material,
                         grid});
      },
      arg("camera"), arg("width"), arg("height"), arg("samples"), arg("shadows"), arg("colours"),
      arg("grid"), "A picture's arrays rgb, depth and body, for talus/pictures.py.");
}

} // namespace

void bind_queries(py::module_& m, WorldClass& world) {
  bind_rays(m, world);
  bind_distances(m, world);
  bind_pictures(m, world);
}

} // namespace talus::python
