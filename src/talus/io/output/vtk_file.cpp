#include "talus/io/output/vtk_file.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <zlib.h>

namespace talus {

namespace {

static_assert(std::endian::native == std::endian::little, "the files say LittleEndian");

template <class T>
std::span<const std::uint8_t> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

void put(std::string& to, std::uint32_t number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// VTK's layout of compressed arrays: number of blocks, their size, size of a partial last one,
/// the compressed sizes, the blocks.
std::string compressed(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t block = std::size_t{1} << 18;
  const std::size_t blocks = (bytes.size() + block - 1) / block;
  std::string header, data;
  put(header, static_cast<std::uint32_t>(blocks));
  put(header, static_cast<std::uint32_t>(block));
  put(header, static_cast<std::uint32_t>(bytes.size() % block));
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto part = bytes.subspan(i * block, std::min(block, bytes.size() - i * block));
    uLongf size = compressBound(part.size());
    std::string packed(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, part.data(), part.size(), 1) !=
        Z_OK)
      throw Error("zlib could not compress a block");
    put(header, static_cast<std::uint32_t>(size));
    data.append(packed, 0, size);
  }
  return header + data;
}

/// VTK's own name for it.
constexpr std::string_view time_tag =
    "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">";

} // namespace

PolyDataFile::PolyDataFile(std::size_t points, std::size_t vertices, std::size_t polygons)
    : points_(points), vertices_(vertices), polygons_(polygons) {}

std::string PolyDataFile::array(const std::string& name, const char* type, int components,
                                std::span<const std::uint8_t> bytes) {
  std::string tag = fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
      "offset=\"{}\"/>\n",
      type, name, components, appended_.size());
  appended_ += compressed(bytes);
  return tag;
}

void PolyDataFile::set_time(double time) {
  time_ = fmt::format("<FieldData>\n{}{}</DataArray>\n</FieldData>\n", time_tag, time);
}
void PolyDataFile::add_point_data(const std::string& name, std::span<const float> values,
                                  int components) {
  point_data_ += array(name, "Float32", components, bytes_of(values));
}
void PolyDataFile::add_point_data(const std::string& name, std::span<const std::int32_t> values,
                                  int components) {
  point_data_ += array(name, "Int32", components, bytes_of(values));
}
void PolyDataFile::set_points(std::span<const float> coordinates) {
  coordinates_ = array("Points", "Float32", 3, bytes_of(coordinates));
}

std::string PolyDataFile::cells(std::span<const std::int32_t> connectivity, int size) {
  std::vector<std::int32_t> ends(connectivity.size() / static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = static_cast<std::int32_t>(i + 1) * size;
  const std::string first = array("connectivity", "Int32", 1, bytes_of(connectivity));
  return first + array("offsets", "Int32", 1, bytes_of(std::span<const std::int32_t>(ends)));
}
void PolyDataFile::set_vertices(std::span<const std::int32_t> connectivity) {
  vertex_cells_ = cells(connectivity, 1);
}
void PolyDataFile::set_triangles(std::span<const std::int32_t> connectivity) {
  polygon_cells_ = cells(connectivity, 3);
}

std::string PolyDataFile::text() const {
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt32\" compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n{}"
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n",
      time_, points_, vertices_, polygons_);
  text += "<PointData>\n" + point_data_ + "</PointData>\n";
  text += "<Points>\n" + coordinates_ + "</Points>\n";
  if (!vertex_cells_.empty()) text += "<Verts>\n" + vertex_cells_ + "</Verts>\n";
  if (!polygon_cells_.empty()) text += "<Polys>\n" + polygon_cells_ + "</Polys>\n";
  text += "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
  return text + appended_ + "\n</AppendedData>\n</VTKFile>\n";
}

std::optional<double> time_in_poly_data(std::string_view beginning) {
  const std::size_t tag = beginning.find(time_tag);
  if (tag == std::string_view::npos) return std::nullopt;
  beginning.remove_prefix(tag + time_tag.size());
  double time = 0;
  const char* end = beginning.data() + beginning.size();
  const auto [stop, error] = std::from_chars(beginning.data(), end, time);
  if (error != std::errc() || stop == end || *stop != '<') return std::nullopt;
  return time;
}

} // namespace talus
