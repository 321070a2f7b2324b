// Datasets of Hdf5File.

#include "talus/core/files/hdf5_file.h"
#include "talus/core/files/hdf5_open_dataset.h"

#include <algorithm>

namespace talus {

using namespace hdf5;

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
  make<T>(name, {extent.begin(), extent.end()}, compression);
  if (!values.empty()) write_rows<T>(name, 0, values);
}

template <class T>
void Hdf5File::make(const std::string& name, const Hdf5Shape& shape, int compression) {
  const Silence silence;
  const std::vector<hsize_t> extent = to_extent(shape);
  const Handle creation = dataset_creation();
  if (compression > 0 && product(extent) > 0)
    set_chunks(creation, chunk_extent(extent, sizeof(T)), compression);
  const Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                     H5Sclose);
  create_dataset(id_, path_, name, native_type<T>(), space, creation);
  check_written();
}

template <class T>
void Hdf5File::write_rows(const std::string& name, std::size_t first, std::span<const T> values) {
  const Silence silence;
  const Dataset dataset(id_, path_, name);
  const std::vector<hsize_t>& extent = dataset.extent();
  const std::uint64_t row = dataset.row_elements();
  const std::uint64_t count = row > 0 ? values.size() / row : 0;
  if (extent.empty() || count * row != values.size() || first > extent[0] ||
      count > extent[0] - first)
    throw InvalidArgument(name + ": " + std::to_string(values.size()) +
                          " values do not fit into its rows from " + std::to_string(first) + " on");
  if (count == 0) return;
  require(H5Dwrite(dataset.id(), native_type<T>(), in_memory(values.size()),
                   select_rows(extent, first, count), H5P_DEFAULT, values.data()) >= 0,
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
                          std::size_t rows_per_chunk, int compression, std::size_t most_in_chunk) {
  const Silence silence;
  std::vector<hsize_t> extent = to_extent(row_shape);
  extent.insert(extent.begin(), 0);
  std::vector<hsize_t> most = extent, chunk = extent;
  most[0] = H5S_UNLIMITED;
  chunk[0] = rows_per_chunk;
  if (chunk.size() > 1) chunk[1] = std::min<hsize_t>(chunk[1], most_in_chunk);
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

void Hdf5File::append_row(const std::string& name) {
  const Silence silence;
  const Dataset dataset(id_, path_, name);
  std::vector<hsize_t> extent = dataset.extent();
  ++extent.at(0);
  require(H5Dset_extent(dataset.id(), extent.data()) >= 0, path_, name + " cannot grow");
  check_written();
}

/// The entries of the row's first dimension that `values` numbers fill; throws if they do not fit.
static std::uint64_t entries_of_row(const std::string& name, const std::vector<hsize_t>& extent,
                                    std::size_t row, std::size_t first, std::size_t values) {
  const bool has_rows = extent.size() >= 2 && row < extent[0] && first <= extent[1];
  const std::uint64_t entry =
      has_rows ? product({extent.begin() + 2, extent.end()}) : std::uint64_t{0};
  if (entry == 0 || values % entry != 0 || values / entry > extent[1] - first)
    throw InvalidArgument(name + ": " + std::to_string(values) + " values do not fit into row " +
                          std::to_string(row) + " from " + std::to_string(first) + " on");
  return values / entry;
}

template <class T>
void Hdf5File::write_in_row(const std::string& name, std::size_t row, std::size_t first,
                            std::span<const T> values) {
  const Silence silence;
  if (values.empty()) return;
  const Dataset dataset(id_, path_, name);
  const std::uint64_t count = entries_of_row(name, dataset.extent(), row, first, values.size());
  require(H5Dwrite(dataset.id(), native_type<T>(), in_memory(values.size()),
                   select_in_row(dataset.extent(), row, first, count), H5P_DEFAULT,
                   values.data()) >= 0,
          path_, name + " cannot be written");
  check_written();
}

template <class T>
std::vector<T> Hdf5File::read_in_row(const std::string& name, std::size_t row, std::size_t first,
                                     std::size_t count) const {
  const Silence silence;
  const Dataset dataset(id_, path_, name);
  const std::vector<hsize_t>& extent = dataset.extent();
  if (extent.size() < 2 || row >= extent[0] || first > extent[1] || count > extent[1] - first)
    throw FileError(path_, name + " does not have these entries of row " + std::to_string(row));
  const std::uint64_t values = count * product({extent.begin() + 2, extent.end()});
  if (values == 0) return {};
  return dataset.read<T>(values, in_memory(values), select_in_row(extent, row, first, count));
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
template void Hdf5File::make<double>(Name, const Hdf5Shape&, int);
template void Hdf5File::write_rows(Name, Size, std::span<const double>);
template void Hdf5File::write_in_row(Name, Size, Size, std::span<const double>);
template std::vector<double> Hdf5File::read_in_row(Name, Size, Size, Size) const;
template void Hdf5File::make_unfilled<double>(Name, Size);
template void Hdf5File::make_table<double>(Name, const Hdf5Shape&, Size, int, Size);
template void Hdf5File::append(Name, std::span<const double>);
template std::vector<double> Hdf5File::read_rows(Name, Size, Size) const;

template std::vector<float> Hdf5File::read(Name) const;
template float Hdf5File::read_value(Name) const;
template void Hdf5File::write(Name, std::span<const float>, const Hdf5Shape&, int);
template void Hdf5File::make<float>(Name, const Hdf5Shape&, int);
template void Hdf5File::write_rows(Name, Size, std::span<const float>);
template void Hdf5File::write_in_row(Name, Size, Size, std::span<const float>);
template std::vector<float> Hdf5File::read_in_row(Name, Size, Size, Size) const;
template void Hdf5File::make_unfilled<float>(Name, Size);
template void Hdf5File::make_table<float>(Name, const Hdf5Shape&, Size, int, Size);
template void Hdf5File::append(Name, std::span<const float>);
template std::vector<float> Hdf5File::read_rows(Name, Size, Size) const;

template std::vector<std::int32_t> Hdf5File::read(Name) const;
template std::int32_t Hdf5File::read_value(Name) const;
template void Hdf5File::write(Name, std::span<const std::int32_t>, const Hdf5Shape&, int);
template void Hdf5File::make<std::int32_t>(Name, const Hdf5Shape&, int);
template void Hdf5File::write_rows(Name, Size, std::span<const std::int32_t>);
template void Hdf5File::write_in_row(Name, Size, Size, std::span<const std::int32_t>);
template std::vector<std::int32_t> Hdf5File::read_in_row(Name, Size, Size, Size) const;
template void Hdf5File::make_unfilled<std::int32_t>(Name, Size);
template void Hdf5File::make_table<std::int32_t>(Name, const Hdf5Shape&, Size, int, Size);
template void Hdf5File::append(Name, std::span<const std::int32_t>);
template std::vector<std::int32_t> Hdf5File::read_rows(Name, Size, Size) const;

template std::vector<std::int64_t> Hdf5File::read(Name) const;
template std::int64_t Hdf5File::read_value(Name) const;
template void Hdf5File::write(Name, std::span<const std::int64_t>, const Hdf5Shape&, int);
template void Hdf5File::make<std::int64_t>(Name, const Hdf5Shape&, int);
template void Hdf5File::write_rows(Name, Size, std::span<const std::int64_t>);
template void Hdf5File::write_in_row(Name, Size, Size, std::span<const std::int64_t>);
template std::vector<std::int64_t> Hdf5File::read_in_row(Name, Size, Size, Size) const;
template void Hdf5File::make_unfilled<std::int64_t>(Name, Size);
template void Hdf5File::make_table<std::int64_t>(Name, const Hdf5Shape&, Size, int, Size);
template void Hdf5File::append(Name, std::span<const std::int64_t>);
template std::vector<std::int64_t> Hdf5File::read_rows(Name, Size, Size) const;

template std::vector<std::uint8_t> Hdf5File::read(Name) const;
template std::uint8_t Hdf5File::read_value(Name) const;
template void Hdf5File::write(Name, std::span<const std::uint8_t>, const Hdf5Shape&, int);
template void Hdf5File::make<std::uint8_t>(Name, const Hdf5Shape&, int);
template void Hdf5File::write_rows(Name, Size, std::span<const std::uint8_t>);
template void Hdf5File::write_in_row(Name, Size, Size, std::span<const std::uint8_t>);
template std::vector<std::uint8_t> Hdf5File::read_in_row(Name, Size, Size, Size) const;
template void Hdf5File::make_unfilled<std::uint8_t>(Name, Size);
template void Hdf5File::make_table<std::uint8_t>(Name, const Hdf5Shape&, Size, int, Size);
template void Hdf5File::append(Name, std::span<const std::uint8_t>);
template std::vector<std::uint8_t> Hdf5File::read_rows(Name, Size, Size) const;

} // namespace talus
