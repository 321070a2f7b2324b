#pragma once
// VTK XML PolyData, written directly: arrays in an appended section, compressed with zlib.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

class PolyDataFile {
public:
  PolyDataFile(std::size_t points, std::size_t vertices, std::size_t polygons);

  /// The simulated time, s.
  void set_time(double time);
  /// The sections in the order VTK wants them: point data, points, then cells.
  void add_point_data(const std::string& name, std::span<const float> values, int components);
  void add_point_data(const std::string& name, std::span<const std::int32_t> values,
                      int components);
  void set_points(std::span<const float> coordinates);
  void set_vertices(std::span<const std::int32_t> connectivity);  ///< One point each.
  void set_triangles(std::span<const std::int32_t> connectivity); ///< Three points each.

  /// The whole file.
  std::string text() const;

private:
  std::string array(const std::string& name, const char* type, int components,
                    std::span<const std::uint8_t> bytes);
  std::string cells(std::span<const std::int32_t> connectivity, int size);

  std::size_t points_, vertices_, polygons_;
  std::string time_, point_data_, coordinates_, vertex_cells_, polygon_cells_, appended_;
};

/// The time in a file that set_time() went into, given its beginning; nothing in others. A few
/// hundred characters are enough.
std::optional<double> time_in_poly_data(std::string_view beginning);

} // namespace talus
