#pragma once
// HDF5 files: named datasets of numbers and strings, groups, attributes. A small door to the HDF5
// library that keeps its types and its error printing out of the rest of Talus.
//
// A name is a path inside the file, "/fclib_local/vectors/q". Writing creates the groups on the
// way. Element types are double, float, std::int32_t, std::int64_t and std::uint8_t; files may
// store integers or floating-point numbers of any size and byte order, but an integer dataset is
// not read as floating point or the other way round, and an integer that does not fit is an error.
//
// Every failure is a FileError with the file's name and the dataset's. What a file claims is
// checked against its size before memory is taken, so a damaged file cannot ask for terabytes.
// The same calls write the same bytes (no time stamps).
//
// An Hdf5File is used by one thread at a time.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace talus {

class AtomicFile;
namespace hdf5 {
struct WriteFailure;
}

/// Extent of a dataset, slowest dimension first; empty for a scalar.
using Hdf5Shape = std::vector<std::size_t>;

class Hdf5File {
public:
  /// For reading. Throws FileError that tells a missing file, a directory, an empty file, something
  /// else than HDF5 and a truncated HDF5 file apart. A streamed file can be read while it is being
  /// written, and after its writer died.
  static Hdf5File open(const std::string& path);
  /// An existing file, for reading and adding.
  static Hdf5File open_to_append(const std::string& path);
  /// A new file; an existing one is replaced at once.
  static Hdf5File create(const std::string& path);
  /// A new file that appears under its name at target.commit(); close() it first.
  static Hdf5File create(const AtomicFile& target);
  /// A new file for a long run (HDF5's "single writer, multiple readers"): make all datasets and
  /// attributes, then call begin_stream(). What was flushed stays readable if the process dies.
  static Hdf5File create_stream(const AtomicFile& target);

  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File& operator=(Hdf5File&& other) noexcept;
  /// Closes; a failure to write the last bytes is lost here, so call close() after writing.
  ~Hdf5File();

  const std::string& path() const { return path_; }
  /// Hands everything written so far to the operating system.
  void flush();
  void close();
  /// From here on only flush() and what appends or writes in rows are allowed, and others may read.
  /// For files of create_stream() only.
  void begin_stream();

  /// True when there is a dataset or group of this name.
  bool has(const std::string& name) const;
  bool is_group(const std::string& name) const;
  /// Names of what a group holds, sorted.
  std::vector<std::string> members(const std::string& group) const;
  void make_group(const std::string& name);

  Hdf5Shape shape(const std::string& name) const;
  /// False for a dataset that was created but never filled; reading that is an error.
  bool is_written(const std::string& name) const;
  /// All entries, row-major.
  template <class T>
  std::vector<T> read(const std::string& name) const;
  /// The entry of a dataset that has exactly one.
  template <class T>
  T read_value(const std::string& name) const;
  std::string read_string(const std::string& name) const;

  /// A new dataset; without a shape it is a vector. compression 1 to 9 stores it deflated.
  template <class T>
  void write(const std::string& name, std::span<const T> values, const Hdf5Shape& shape = {},
             int compression = 0);
  /// A new dataset that write_rows() fills, as write() would store it.
  template <class T>
  void make(const std::string& name, const Hdf5Shape& shape, int compression = 0);
  /// Rows from `first` on of the first dimension, as many as there are values for.
  template <class T>
  void write_rows(const std::string& name, std::size_t first, std::span<const T> values);
  /// A vector of one entry.
  template <class T>
  void write_value(const std::string& name, T value) {
    write<T>(name, std::span<const T>(&value, 1));
  }
  /// A new vector of `entries` entries that is_written() denies and other programs read as zeros.
  template <class T>
  void make_unfilled(const std::string& name, std::size_t entries);
  /// A scalar string of fixed length, terminated by NUL; ASCII or UTF-8. Ends at the first NUL.
  void write_string(const std::string& name, const std::string& text);

  /// A dataset that grows: rows of the given shape, `rows_per_chunk` of them stored together, but
  /// of rows with more than `most_in_chunk` entries along their first dimension so many at a time.
  template <class T>
  void make_table(const std::string& name, const Hdf5Shape& row_shape, std::size_t rows_per_chunk,
                  int compression = 0, std::size_t most_in_chunk = ~std::size_t{0});
  /// Appends a whole number of rows to a table.
  template <class T>
  void append(const std::string& name, std::span<const T> rows);
  /// Appends a row that write_in_row() fills.
  void append_row(const std::string& name);
  /// In one row: entries from `first` on of the row's first dimension, as many as there are values
  /// for.
  template <class T>
  void write_in_row(const std::string& name, std::size_t row, std::size_t first,
                    std::span<const T> values);
  template <class T>
  std::vector<T> read_in_row(const std::string& name, std::size_t row, std::size_t first,
                             std::size_t count) const;
  /// Rows [first, first + count) of a dataset of any kind, row-major.
  template <class T>
  std::vector<T> read_rows(const std::string& name, std::size_t first, std::size_t count) const;

  /// Attributes of a group or dataset. Writing replaces.
  bool has_attribute(const std::string& object, const std::string& name) const;
  template <class T>
  T read_attribute(const std::string& object, const std::string& name) const;
  std::string read_string_attribute(const std::string& object, const std::string& name) const;
  template <class T>
  void write_attribute(const std::string& object, const std::string& name, T value);
  void write_string_attribute(const std::string& object, const std::string& name,
                              const std::string& text);

private:
  using Failure = std::unique_ptr<hdf5::WriteFailure>;
  Hdf5File(std::string path, std::int64_t id, Failure failure);
  static Hdf5File create(const std::string& path, const std::string& name_in_errors, bool streamed);
  void check_written() const;

  std::string path_;
  std::int64_t id_ = -1; ///< HDF5's identifier; -1 when closed.
  Failure failure_;      ///< What went wrong on the disk; null for files opened for reading.
};

/// True when the file starts like an HDF5 file (a user block before it may be skipped); false for
/// anything else, missing files included.
bool is_hdf5(const std::string& path);

/// Makes a streamed file whose writer died an ordinary one, which any program can open: the file
/// says that it is being written until its writer closes it. Does nothing to other files and where
/// there is none. The caller makes sure that nobody is writing. Throws FileError for damaged files.
void end_stream_of_killed_writer(const std::string& path);

} // namespace talus
