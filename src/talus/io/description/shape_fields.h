#pragma once
// The members of described shapes, as in description_fields.h.

#include "talus/io/world_description.h"

namespace talus::description {

template <class Visit>
void members(described::Sphere& s, Visit&& visit) {
  auto& [radius] = s;
  visit("radius", radius);
}
template <class Visit>
void members(described::Box& s, Visit&& visit) {
  auto& [half_extents] = s;
  visit("half_extents", half_extents);
}
template <class Visit>
void members(described::Capsule& s, Visit&& visit) {
  auto& [radius, half_length] = s;
  visit("radius", radius);
  visit("half_length", half_length);
}
template <class Visit>
void members(described::Cylinder& s, Visit&& visit) {
  auto& [radius, half_length] = s;
  visit("radius", radius);
  visit("half_length", half_length);
}
template <class Visit>
void members(described::Ellipsoid& s, Visit&& visit) {
  auto& [radii] = s;
  visit("radii", radii);
}
template <class Visit>
void members(described::HalfSpace& s, Visit&& visit) {
  auto& [normal, offset] = s;
  visit("normal", normal);
  visit("offset", offset);
}
template <class Visit>
void members(described::ConvexHull& s, Visit&& visit) {
  auto& [points] = s;
  visit("points", points);
}
template <class Visit>
void members(described::Mesh& s, Visit&& visit) {
  auto& [vertices, triangles] = s;
  visit("vertices", vertices);
  visit("triangles", triangles);
}
template <class Visit>
void members(described::HeightField& s, Visit&& visit) {
  auto& [columns, rows, spacing_x, spacing_y, heights] = s;
  visit("columns", columns);
  visit("rows", rows);
  visit("spacing_x", spacing_x);
  visit("spacing_y", spacing_y);
  visit("heights", heights);
}
template <class Visit>
void members(described::Part& s, Visit&& visit) {
  auto& [shape, pose] = s;
  visit("shape", shape);
  visit("pose", pose);
}
template <class Visit>
void members(described::Compound& s, Visit&& visit) {
  auto& [parts] = s;
  visit("parts", parts);
}
template <class Visit>
void members(described::Clump& s, Visit&& visit) {
  auto& [parts, solid] = s;
  visit("parts", parts);
  visit("solid", solid);
}
template <class Visit>
void members(described::OpenBox& s, Visit&& visit) {
  auto& [inner, wall] = s;
  visit("inner", inner);
  visit("wall", wall);
}
template <class Visit>
void members(described::CylinderShell& s, Visit&& visit) {
  auto& [radius, height, wall, segments] = s;
  visit("radius", radius);
  visit("height", height);
  visit("wall", wall);
  visit("segments", segments);
}
template <class Visit>
void members(described::Hopper& s, Visit&& visit) {
  auto& [outlet, inlet, height, rim, wall, segments] = s;
  visit("outlet", outlet);
  visit("inlet", inlet);
  visit("height", height);
  visit("rim", rim);
  visit("wall", wall);
  visit("segments", segments);
}

/// Names of the kinds of shapes, in the order of the variant.
inline constexpr const char* shape_names[] = {
    "sphere", "box",          "capsule",  "cylinder", "ellipsoid",      "half_space", "convex_hull",
    "mesh",   "height_field", "compound", "open_box", "cylinder_shell", "hopper",     "clump"};
static_assert(std::size(shape_names) == std::variant_size_v<decltype(ShapeDescription::geometry)>);

} // namespace talus::description
