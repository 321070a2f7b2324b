#pragma once
// An open dataset of HDF5, and how new ones are made (hdf5_dataset.cpp).

#include "talus/core/files/hdf5_file.h"
#include "talus/core/files/hdf5_handle.h"

#include <algorithm>
#include <limits>

namespace talus::hdf5 {

/// More than deflate can pack (1032 : 1); a chunked dataset that claims more than this is damaged.
inline constexpr std::uint64_t largest_compression = 2000;

inline constexpr std::uint64_t most_elements = std::numeric_limits<std::uint64_t>::max();

/// Saturating product: what a damaged file claims may not fit in 64 bits.
inline std::uint64_t product(const std::vector<hsize_t>& extent) {
  std::uint64_t total = 1;
  for (const std::uint64_t d : extent) {
    if (d == 0) return 0;
    total = total > most_elements / d ? most_elements : total * d;
  }
  return total;
}

inline std::vector<hsize_t> to_extent(const Hdf5Shape& shape) {
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
inline Handle select_rows(std::vector<hsize_t> extent, hsize_t first, hsize_t count) {
  Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
  std::vector<hsize_t> start(extent.size(), 0);
  start[0] = first;
  extent[0] = count;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
  return space;
}

/// Entries [first, first + count) of one row.
inline Handle select_in_row(std::vector<hsize_t> extent, hsize_t row, hsize_t first,
                            hsize_t count) {
  Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
  std::vector<hsize_t> start(extent.size(), 0);
  start[0] = row;
  start[1] = first;
  extent[0] = 1;
  extent[1] = count;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
  return space;
}

/// So many numbers, one after another in memory.
inline Handle in_memory(hsize_t count) {
  return {H5Screate_simple(1, &count, nullptr), H5Sclose};
}

/// Chunks of at most about a megabyte along the first dimension.
inline std::vector<hsize_t> chunk_extent(std::vector<hsize_t> extent, std::size_t element_size) {
  const std::uint64_t row =
      std::max<std::uint64_t>(1, product({extent.begin() + 1, extent.end()}) * element_size);
  extent[0] = std::clamp<hsize_t>((hsize_t{1} << 20) / row, 1, extent[0]);
  return extent;
}

inline void set_chunks(hid_t creation, const std::vector<hsize_t>& chunk, int compression) {
  H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  if (compression > 0) {
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, static_cast<unsigned>(std::min(compression, 9)));
  }
}

/// Creation properties without time stamps, so that equal data make equal files.
inline Handle dataset_creation() {
  Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation, false);
  return creation;
}

inline Handle create_dataset(hid_t file, const std::string& path, const std::string& name,
                             hid_t type, hid_t space, hid_t creation) {
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  Handle dataset(H5Dcreate2(file, name.c_str(), type, space, links, creation, H5P_DEFAULT),
                 H5Dclose);
  require(dataset.valid(), path, "dataset " + name + " cannot be created");
  return dataset;
}

} // namespace talus::hdf5
