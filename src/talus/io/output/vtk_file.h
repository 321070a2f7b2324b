#pragma once
// VTK XML PolyData, written directly: arrays in an appended section, compressed with zlib. Arrays
// may come in pieces. What was compressed waits in memory or, where it is much, in a file without a
// name, so that arrays may be larger than the memory.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// An array of VTK, compressed in blocks.
class PackedArray {
public:
  /// Files without a name are made in `folder`.
  explicit PackedArray(std::string folder) : folder_(std::move(folder)) {}
  ~PackedArray();
  PackedArray(PackedArray&& other) noexcept;
  PackedArray& operator=(PackedArray&&) = delete;

  void append(std::span<const std::uint8_t> bytes);
  /// No more is appended. Returns how many bytes write() writes.
  std::size_t end();
  void write(std::ostream& to) const;

private:
  void pack(std::span<const std::uint8_t> part);
  void spill();

  std::string folder_, header_, packed_;
  std::vector<std::uint8_t> waiting_; ///< Less than a block.
  std::vector<std::uint32_t> sizes_;
  std::size_t spilled_ = 0, rest_ = 0;
  int file_ = -1;
};

class PolyDataFile {
public:
  /// `folder` has room for what does not fit into memory.
  explicit PolyDataFile(std::string folder) : folder_(std::move(folder)) {}

  /// The simulated time, s.
  void set_time(double time) { time_ = time; }
  /// Each appends to its array; the arrays of points are in the order in which they are named
  /// first.
  void add_point_data(const std::string& name, std::span<const float> values, int components);
  void add_point_data(const std::string& name, std::span<const std::int32_t> values,
                      int components);
  void add_points(std::span<const float> coordinates);
  void add_vertices(std::span<const std::int32_t> connectivity);  ///< One point each.
  void add_triangles(std::span<const std::int32_t> connectivity); ///< Three points each.

  /// The whole file.
  void write(std::ostream& to);

private:
  struct Array {
    std::string name;
    const char* type;
    int components;
    PackedArray packed;
  };
  struct Cells {
    const char* name;
    std::size_t count = 0;
    std::vector<Array> arrays = {}; ///< Connectivity and offsets, if it was filled.
  };

  Array& find(std::vector<Array>& arrays, const std::string& name, const char* type,
              int components);
  void add_cells(Cells& cells, std::span<const std::int32_t> connectivity, int size);

  std::string folder_;
  double time_ = 0;
  std::size_t points_ = 0;
  std::vector<Array> point_data_, coordinates_;
  Cells vertices_{"Verts"}, triangles_{"Polys"};
};

/// The time in a file that set_time() went into, given its beginning; nothing in others. A few
/// hundred characters are enough.
std::optional<double> time_in_poly_data(std::string_view beginning);

} // namespace talus
