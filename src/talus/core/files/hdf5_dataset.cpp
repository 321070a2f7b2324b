// Datasets of Hdf5File.

#include "talus/core/files/hdf5_file.h"
#include "talus/core/files/hdf5_handle.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace talus {

using namespace hdf5;

namespace {

/// More than deflate can pack (1032 : 1); a chunked dataset that claims more than this is damaged.
constexpr std::uint64_t largest_compression = 2000;

constexpr std::uint64_t most_elements = std::numeric_limits<std::uint64_t>::max();

/// Saturating product: what a damaged file claims may not fit in 64 bits.
std::uint64_t product(const std::vector<hsize_t>& extent) {
  std::uint64_t total = 1;
  for (const std::uint64_t d : extent) {
    if (d == 0) return 0;
    total = total > most_elements / d ? most_elements : total * d;
  }
  return total;
}

std::vector<hsize_t> to_extent(const Hdf5Shape& shape) {
  return {shape.begin(), shape.end()};
}

/// One open dataset with its type and extent.
class Dataset {
public:
  Dataset(hid_t file, const std::string& path, const std::string& name)
      : path_(path), name_(name), file_(file), id_(open(file, path, name), H5Dclose),
        type_(H5Dget_type(id_), H5Tclose), space_(H5Dget_space(id_), H5Sclose) {
    const int rank = H5Sget_simple_extent_ndims(space_);
    if (!type_.valid() || rank < 0) fail(path, name + " is damaged");
    extent_.resize(rank);
    if (H5Sget_simple_extent_dims(space_, extent_.data(), nullptr) < 0)
      fail(path, name + " is damaged");
    // A null dataspace has rank 0 like a scalar, but no element.
    if (H5Sget_simple_extent_type(space_) == H5S_NULL) extent_ = {0};
  }

  hid_t id() const { return id_; }
  hid_t type() const { return type_; }
  hid_t space() const { return space_; }
  const std::vector<hsize_t>& extent() const { return extent_; }
  std::uint64_t elements() const { return product(extent_); }

  /// Elements in one index of the first dimension.
  std::uint64_t row_elements() const {
    return product({extent_.begin() + (extent_.empty() ? 0 : 1), extent_.end()});
  }

  template <class T>
  void check_class() const {
    if (H5Tget_class(type_) != type_class<T>)
      throw FileError(path_, name_ + " does not hold " +
                                 (std::is_integral_v<T> ? "integers" : "floating-point numbers"));
  }

  /// Bytes in the file; chunks still in memory are written first, since they have none yet.
  std::uint64_t stored_bytes() const {
    unsigned intent = 0;
    if (H5Fget_intent(file_, &intent) >= 0 && intent != H5F_ACC_RDONLY) H5Dflush(id_);
    return H5Dget_storage_size(id_);
  }

  /// Refuses to believe in more data than the file can hold.
  void check_believable(std::uint64_t elements) const {
    if (elements == 0) return;
    const Handle creation(H5Dget_create_plist(id_), H5Pclose);
    hsize_t file_size = 0;
    if (!creation.valid() || H5Fget_filesize(file_, &file_size) < 0)
      fail(path_, name_ + " is damaged");
    std::uint64_t limit = std::min<std::uint64_t>(stored_bytes(), file_size);
    if (limit == 0) throw FileError(path_, name_ + " was created but never written");
    if (H5Pget_layout(creation) == H5D_CHUNKED) limit *= largest_compression;
    const std::size_t size = std::max<std::size_t>(H5Tget_size(type_), 1);
    if (elements > limit / size)
      throw FileError(path_, name_ + " claims more entries than the file can hold");
  }

  /// `count` elements of the selections.
  template <class T>
  std::vector<T> read(std::uint64_t count, hid_t memory, hid_t selection) const {
    check_class<T>();
    check_believable(count);
    if constexpr (std::is_integral_v<T>)
      if (may_clip<T>(type_)) {
        std::vector<T> values(count);
        if (holds_unsigned(type_))
          narrow(read_as<std::uint64_t>(count, memory, selection), values);
        else
          narrow(read_as<std::int64_t>(count, memory, selection), values);
        return values;
      }
    return read_as<T>(count, memory, selection);
  }

private:
  static hid_t open(hid_t file, const std::string& path, const std::string& name) {
    const hid_t id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    require(id >= 0, path, "dataset " + name + " is missing or unreadable");
    return id;
  }

  template <class T>
  std::vector<T> read_as(std::uint64_t count, hid_t memory, hid_t selection) const {
    std::vector<T> values(count);
    if (count == 0) return values;
    require(H5Dread(id_, native_type<T>(), memory, selection, H5P_DEFAULT, values.data()) >= 0,
            path_, name_ + " cannot be read");
    return values;
  }

  template <class Wide, class T>
  void narrow(const std::vector<Wide>& wide, std::vector<T>& values) const {
    for (std::size_t i = 0; i < wide.size(); ++i) values[i] = fitting<T>(wide[i], path_, name_);
  }

  const std::string& path_;
  const std::string& name_;
  hid_t file_;
  Handle id_, type_, space_;
  std::vector<hsize_t> extent_;
};

/// Rows [first, first + count) selected in a dataspace of the given extent.
Handle select_rows(std::vector<hsize_t> extent, hsize_t first, hsize_t count) {
  Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
  std::vector<hsize_t> start(extent.size(), 0);
  start[0] = first;
  extent[0] = count;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
  return space;
}

/// Chunks of at most about a megabyte along the first dimension.
std::vector<hsize_t> chunk_extent(std::vector<hsize_t> extent, std::size_t element_size) {
  const std::uint64_t row =
      std::max<std::uint64_t>(1, product({extent.begin() + 1, extent.end()}) * element_size);
  extent[0] = std::clamp<hsize_t>((hsize_t{1} << 20) / row, 1, extent[0]);
  return extent;
}

void set_chunks(hid_t creation, const std::vector<hsize_t>& chunk, int compression) {
  H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  if (compression > 0) {
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, static_cast<unsigned>(std::min(compression, 9)));
  }
}

/// Creation properties without time stamps, so that equal data make equal files.
Handle dataset_creation() {
  Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation, false);
  return creation;
}

Handle create_dataset(hid_t file, const std::string& path, const std::string& name, hid_t type,
                      hid_t space, hid_t creation) {
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  Handle dataset(H5Dcreate2(file, name.c_str(), type, space, links, creation, H5P_DEFAULT),
                 H5Dclose);
  require(dataset.valid(), path, "dataset " + name + " cannot be created");
  return dataset;
}

} // namespace

Hdf5Shape Hdf5File::shape(const std::string& name) const {
  const Silence silence;
  const Dataset dataset(id_, path_, name);
  return {dataset.extent().begin(), dataset.extent().end()};
}

bool Hdf5File::is_written(const std::string& name) const {
  const Silence silence;
  const Dataset dataset(id_, path_, name);
  return dataset.elements() == 0 || dataset.stored_bytes() > 0;
}

template <class T>
std::vector<T> Hdf5File::read(const std::string& name) const {
  const Silence silence;
  const Dataset dataset(id_, path_, name);
  return dataset.read<T>(dataset.elements(), H5S_ALL, H5S_ALL);
}

template <class T>
T Hdf5File::read_value(const std::string& name) const {
  const Silence silence;
  const Dataset dataset(id_, path_, name);
  if (dataset.elements() != 1) throw FileError(path_, name + " must have exactly one entry");
  return dataset.read<T>(1, H5S_ALL, H5S_ALL).front();
}

std::string Hdf5File::read_string(const std::string& name) const {
  const Silence silence;
  const Dataset dataset(id_, path_, name);
  return read_text(id_, dataset.type(), dataset.space(), path_, name, [&](hid_t memory, void* out) {
    return H5Dread(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  });
}

template <class T>
void Hdf5File::write(const std::string& name, std::span<const T> values, const Hdf5Shape& shape,
                     int compression) {
  const Silence silence;
  const std::vector<hsize_t> extent =
      shape.empty() ? std::vector<hsize_t>{values.size()} : to_extent(shape);
  if (product(extent) != values.size())
    throw InvalidArgument(name + ": " + std::to_string(values.size()) +
                          " values do not fill the given shape");
  const Handle creation = dataset_creation();
  if (compression > 0 && !values.empty())
    set_chunks(creation, chunk_extent(extent, sizeof(T)), compression);
  const Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                     H5Sclose);
  const Handle dataset = create_dataset(id_, path_, name, native_type<T>(), space, creation);
  if (values.empty()) return;
  require(H5Dwrite(dataset, native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0,
          path_, name + " cannot be written");
  check_written();
}

template <class T>
void Hdf5File::make_unfilled(const std::string& name, std::size_t entries) {
  const Silence silence;
  const hsize_t extent = entries;
  const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  create_dataset(id_, path_, name, native_type<T>(), space, dataset_creation());
  check_written();
}

void Hdf5File::write_string(const std::string& name, const std::string& text) {
  const Silence silence;
  const Handle type = string_type(text, path_, name);
  const Handle dataset = create_dataset(id_, path_, name, type, scalar_space(), dataset_creation());
  require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) >= 0, path_,
          name + " cannot be written");
  check_written();
}

template <class T>
void Hdf5File::make_table(const std::string& name, const Hdf5Shape& row_shape,
                          std::size_t rows_per_chunk, int compression) {
  const Silence silence;
  std::vector<hsize_t> extent = to_extent(row_shape);
  extent.insert(extent.begin(), 0);
  std::vector<hsize_t> most = extent, chunk = extent;
  most[0] = H5S_UNLIMITED;
  chunk[0] = rows_per_chunk;
  for (hsize_t& d : chunk) d = std::max<hsize_t>(d, 1);
  const Handle creation = dataset_creation();
  set_chunks(creation, chunk, compression);
  const Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), most.data()),
                     H5Sclose);
  create_dataset(id_, path_, name, native_type<T>(), space, creation);
  check_written();
}

template <class T>
void Hdf5File::append(const std::string& name, std::span<const T> rows) {
  const Silence silence;
  const Dataset dataset(id_, path_, name);
  std::vector<hsize_t> extent = dataset.extent();
  const std::uint64_t row = dataset.row_elements();
  if (extent.empty() || row == 0 || rows.size() % row != 0)
    throw InvalidArgument(name + ": " + std::to_string(rows.size()) +
                          " values are not a whole number of rows of " + std::to_string(row));
  const hsize_t first = extent[0], count = rows.size() / row;
  if (count == 0) return;
  extent[0] += count;
  require(H5Dset_extent(dataset.id(), extent.data()) >= 0, path_, name + " cannot grow");
  const Handle selection = select_rows(extent, first, count);
  extent[0] = count;
  const Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                      H5Sclose);
  require(H5Dwrite(dataset.id(), native_type<T>(), memory, selection, H5P_DEFAULT, rows.data()) >=
              0,
          path_, name + " cannot be written");
  check_written();
}

template <class T>
std::vector<T> Hdf5File::read_rows(const std::string& name, std::size_t first,
                                   std::size_t count) const {
  const Silence silence;
  const Dataset dataset(id_, path_, name);
  std::vector<hsize_t> extent = dataset.extent();
  if (extent.empty() || first > extent[0] || count > extent[0] - first)
    throw FileError(path_, name + " does not have rows " + std::to_string(first) + " to " +
                               std::to_string(first + count));
  if (count == 0 || dataset.row_elements() == 0) return {};
  const Handle selection = select_rows(extent, first, count);
  extent[0] = count;
  const Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                      H5Sclose);
  return dataset.read<T>(product(extent), memory, selection);
}

// One block per element type of the header.
using Name = const std::string&;
using Size = std::size_t;

template std::vector<double> Hdf5File::read(Name) const;
template double Hdf5File::read_value(Name) const;
template void Hdf5File::write(Name, std::span<const double>, const Hdf5Shape&, int);
template void Hdf5File::make_unfilled<double>(Name, Size);
template void Hdf5File::make_table<double>(Name, const Hdf5Shape&, Size, int);
template void Hdf5File::append(Name, std::span<const double>);
template std::vector<double> Hdf5File::read_rows(Name, Size, Size) const;

template std::vector<float> Hdf5File::read(Name) const;
template float Hdf5File::read_value(Name) const;
template void Hdf5File::write(Name, std::span<const float>, const Hdf5Shape&, int);
template void Hdf5File::make_unfilled<float>(Name, Size);
template void Hdf5File::make_table<float>(Name, const Hdf5Shape&, Size, int);
template void Hdf5File::append(Name, std::span<const float>);
template std::vector<float> Hdf5File::read_rows(Name, Size, Size) const;

template std::vector<std::int32_t> Hdf5File::read(Name) const;
template std::int32_t Hdf5File::read_value(Name) const;
template void Hdf5File::write(Name, std::span<const std::int32_t>, const Hdf5Shape&, int);
template void Hdf5File::make_unfilled<std::int32_t>(Name, Size);
template void Hdf5File::make_table<std::int32_t>(Name, const Hdf5Shape&, Size, int);
template void Hdf5File::append(Name, std::span<const std::int32_t>);
template std::vector<std::int32_t> Hdf5File::read_rows(Name, Size, Size) const;

template std::vector<std::int64_t> Hdf5File::read(Name) const;
template std::int64_t Hdf5File::read_value(Name) const;
template void Hdf5File::write(Name, std::span<const std::int64_t>, const Hdf5Shape&, int);
template void Hdf5File::make_unfilled<std::int64_t>(Name, Size);
template void Hdf5File::make_table<std::int64_t>(Name, const Hdf5Shape&, Size, int);
template void Hdf5File::append(Name, std::span<const std::int64_t>);
template std::vector<std::int64_t> Hdf5File::read_rows(Name, Size, Size) const;

template std::vector<std::uint8_t> Hdf5File::read(Name) const;
template std::uint8_t Hdf5File::read_value(Name) const;
template void Hdf5File::write(Name, std::span<const std::uint8_t>, const Hdf5Shape&, int);
template void Hdf5File::make_unfilled<std::uint8_t>(Name, Size);
template void Hdf5File::make_table<std::uint8_t>(Name, const Hdf5Shape&, Size, int);
template void Hdf5File::append(Name, std::span<const std::uint8_t>);
template std::vector<std::uint8_t> Hdf5File::read_rows(Name, Size, Size) const;

} // namespace talus
