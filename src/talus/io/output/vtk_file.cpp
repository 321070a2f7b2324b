#include "talus/io/output/vtk_file.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <limits>
#include <ostream>
#include <unistd.h>
#include <utility>
#include <zlib.h>

namespace talus {

namespace {

static_assert(std::endian::native == std::endian::little, "the files say LittleEndian");

template <class T>
std::span<const std::uint8_t> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

ssize_t write_some(int file, const char* bytes, std::size_t count) {
  ssize_t written = 0;
  do written = write(file, bytes, count);
  while (written < 0 && errno == EINTR);
  return written;
}

void put(std::string& to, std::uint32_t number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// VTK's layout of compressed arrays: number of blocks, their size, size of a partial last one,
/// the compressed sizes, the blocks.
constexpr std::size_t block_size = std::size_t{1} << 18;
constexpr std::size_t most_in_memory = std::size_t{4} << 20; ///< Of what is compressed.

/// VTK's own name for it.
constexpr std::string_view time_tag =
    "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">";

} // namespace

PackedArray::~PackedArray() {
  if (file_ >= 0) close(file_);
}

PackedArray::PackedArray(PackedArray&& other) noexcept
    : folder_(std::move(other.folder_)), header_(std::move(other.header_)),
      packed_(std::move(other.packed_)), waiting_(std::move(other.waiting_)),
      sizes_(std::move(other.sizes_)), spilled_(other.spilled_), rest_(other.rest_),
      file_(std::exchange(other.file_, -1)) {}

void PackedArray::append(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    if (waiting_.empty() && bytes.size() >= block_size) {
      pack(bytes.first(block_size));
      bytes = bytes.subspan(block_size);
      continue;
    }
    const std::size_t count = std::min(bytes.size(), block_size - waiting_.size());
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.begin() + static_cast<long>(count));
    bytes = bytes.subspan(count);
    if (waiting_.size() < block_size) continue;
    pack(waiting_);
    waiting_.clear();
  }
}

void PackedArray::pack(std::span<const std::uint8_t> part) {
  uLongf size = compressBound(part.size());
  const std::size_t before = packed_.size();
  packed_.resize(before + size);
  if (compress2(reinterpret_cast<Bytef*>(&packed_[before]), &size, part.data(), part.size(), 1) !=
      Z_OK)
    throw Error("zlib could not compress a block");
  packed_.resize(before + size);
  sizes_.push_back(static_cast<std::uint32_t>(size));
  if (packed_.size() > most_in_memory) spill();
}

/// To a file that goes when it is closed.
void PackedArray::spill() {
  if (file_ < 0) {
    std::string name = folder_ + "/.vtk-XXXXXX";
    file_ = mkostemp(name.data(), O_CLOEXEC);
    if (file_ >= 0) unlink(name.c_str());
  }
  std::size_t done = 0;
  while (file_ >= 0 && done < packed_.size()) {
    const ssize_t written = write_some(file_, packed_.data() + done, packed_.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  if (done < packed_.size()) throw FileError(folder_, "cannot be written (is the disk full?)");
  spilled_ += done;
  packed_.clear();
}

std::size_t PackedArray::end() {
  if (header_.empty()) {
    rest_ = waiting_.size();
    if (!waiting_.empty()) pack(waiting_);
    waiting_ = {};
    put(header_, static_cast<std::uint32_t>(sizes_.size()));
    put(header_, static_cast<std::uint32_t>(block_size));
    put(header_, static_cast<std::uint32_t>(rest_));
    for (const std::uint32_t size : sizes_) put(header_, size);
  }
  return header_.size() + spilled_ + packed_.size();
}

void PackedArray::write(std::ostream& to) const {
  to.write(header_.data(), static_cast<std::streamsize>(header_.size()));
  std::string part(spilled_ > 0 ? std::size_t{1} << 20 : 0, '\0');
  for (std::size_t at = 0; at < spilled_;) {
    const ssize_t read =
        pread(file_, part.data(), std::min(part.size(), spilled_ - at), static_cast<off_t>(at));
    if (read <= 0) throw FileError(folder_, "cannot be read back: a file without a name");
    to.write(part.data(), read);
    at += static_cast<std::size_t>(read);
  }
  to.write(packed_.data(), static_cast<std::streamsize>(packed_.size()));
}

PolyDataFile::Array& PolyDataFile::find(std::vector<Array>& arrays, const std::string& name,
                                        const char* type, int components) {
  const auto found = std::ranges::find(arrays, name, &Array::name);
  if (found != arrays.end()) return *found;
  arrays.push_back({name, type, components, PackedArray(folder_)});
  return arrays.back();
}

void PolyDataFile::add_point_data(const std::string& name, std::span<const float> values,
                                  int components) {
  find(point_data_, name, "Float32", components).packed.append(bytes_of(values));
}
void PolyDataFile::add_point_data(const std::string& name, std::span<const std::int32_t> values,
                                  int components) {
  find(point_data_, name, "Int32", components).packed.append(bytes_of(values));
}
namespace {

/// Numbers in the files have 32 bits.
void require_numbers(std::int64_t count) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (count > most)
    throw InvalidArgument(fmt::format("a frame for ParaView holds at most {} points and corners "
                                      "(leave `paraview` out of `output.formats`)",
                                      most));
}

} // namespace

void PolyDataFile::add_points(std::span<const float> coordinates) {
  points_ += coordinates.size() / 3;
  require_numbers(static_cast<std::int64_t>(points_));
  find(coordinates_, "Points", "Float32", 3).packed.append(bytes_of(coordinates));
}

void PolyDataFile::add_cells(Cells& cells, std::span<const std::int32_t> connectivity, int size) {
  std::vector<std::int32_t> ends(connectivity.size() / static_cast<std::size_t>(size));
  require_numbers(
      (static_cast<std::int64_t>(cells.count) + static_cast<std::int64_t>(ends.size())) * size);
  for (std::int32_t& end : ends) end = static_cast<std::int32_t>(++cells.count) * size;
  find(cells.arrays, "connectivity", "Int32", 1).packed.append(bytes_of(connectivity));
  find(cells.arrays, "offsets", "Int32", 1)
      .packed.append(bytes_of(std::span<const std::int32_t>(ends)));
}
void PolyDataFile::add_vertices(std::span<const std::int32_t> connectivity) {
  add_cells(vertices_, connectivity, 1);
}
void PolyDataFile::add_triangles(std::span<const std::int32_t> connectivity) {
  add_cells(triangles_, connectivity, 3);
}

void PolyDataFile::write(std::ostream& to) {
  std::size_t offset = 0;
  std::vector<const PackedArray*> data;
  const auto tags = [&](std::vector<Array>& arrays) {
    std::string text;
    for (Array& array : arrays) {
      text += fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
                          "format=\"appended\" offset=\"{}\"/>\n",
                          array.type, array.name, array.components, offset);
      offset += array.packed.end();
      data.push_back(&array.packed);
    }
    return text;
  };
  to << fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt32\" compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n"
      "<FieldData>\n{}{}</DataArray>\n</FieldData>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n",
      time_tag, time_, points_, vertices_.count, triangles_.count);
  to << "<PointData>\n" << tags(point_data_) << "</PointData>\n";
  to << "<Points>\n" << tags(coordinates_) << "</Points>\n";
  for (Cells* cells : {&vertices_, &triangles_})
    if (!cells->arrays.empty())
      to << fmt::format("<{0}>\n{1}</{0}>\n", cells->name, tags(cells->arrays));
  to << "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
  for (const PackedArray* array : data) array->write(to);
  to << "\n</AppendedData>\n</VTKFile>\n";
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
