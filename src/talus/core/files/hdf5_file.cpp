// Files, groups and attributes; datasets are in hdf5_dataset.cpp.

#include "talus/core/files/hdf5_file.h"

#include "talus/core/files/atomic_file.h"
#include "talus/core/files/hdf5_driver.h"
#include "talus/core/files/hdf5_handle.h"
#include "talus/core/files/path.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace talus {

using namespace hdf5;

namespace {

namespace fs = std::filesystem;

/// A reader of a file that grows tries again when a checksum is wrong, and waits twice as long each
/// time, from a nanosecond on: a quarter of a second in all. The library's own 100 attempts would
/// never end on a damaged file.
constexpr unsigned read_attempts = 28;

/// Closing a file closes whatever is still open in it. File locks are taken where the file system
/// has them.
Handle file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_file_locking(access, true, true);
  H5Pset_metadata_read_attempts(access, read_attempts);
  return access;
}

hid_t open_existing(const std::string& path, unsigned mode, hid_t access) {
  require_path(path, "a file name");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw FileError(path, "there is no such file");
  if (fs::is_directory(status)) throw FileError(path, "is a directory, not an HDF5 file");
  if (fs::is_regular_file(status) && fs::file_size(path, error) == 0)
    throw FileError(path, "is empty");
  const Silence silence;
  const htri_t recognised = H5Fis_hdf5(path.c_str());
  if (recognised < 0) fail(path, "cannot be opened");
  if (recognised == 0) throw FileError(path, "is not an HDF5 file");
  hid_t id = H5Fopen(path.c_str(), mode, access);
  // A streamed file that is being written, or whose writer died, opens in this mode only.
  if (id < 0 && mode == H5F_ACC_RDONLY)
    id = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  if (id < 0) fail(path, "cannot be opened: it is truncated, damaged or in use");
  return id;
}

/// Every link on the way must exist and lead somewhere; the library asks for it step by step.
bool exists(hid_t file, const std::string& name) {
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string prefix = name.substr(0, end);
    if (prefix != "/" && (H5Lexists(file, prefix.c_str(), H5P_DEFAULT) <= 0 ||
                          H5Oexists_by_name(file, prefix.c_str(), H5P_DEFAULT) <= 0))
      return false;
    if (end == std::string::npos) return true;
  }
}

Handle open_attribute(hid_t file, const std::string& path, const std::string& object,
                      const std::string& name) {
  Handle attribute(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose);
  require(attribute.valid(), path, "attribute " + name + " of " + object + " is missing");
  return attribute;
}

void replace_attribute(hid_t file, const std::string& path, const std::string& object,
                       const std::string& name, hid_t type, hid_t space, const void* value) {
  const std::string what = "attribute " + name + " of " + object + " cannot be written";
  if (H5Aexists_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT) > 0)
    require(H5Adelete_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT) >= 0, path, what);
  const Handle attribute(H5Acreate_by_name(file, object.c_str(), name.c_str(), type, space,
                                           H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  require(attribute.valid() && H5Awrite(attribute, type, value) >= 0, path, what);
}

} // namespace

Hdf5File::Hdf5File(std::string path, std::int64_t id, Failure failure)
    : path_(std::move(path)), id_(id), failure_(std::move(failure)) {}

Hdf5File Hdf5File::open(const std::string& path) {
  return {path, open_existing(path, H5F_ACC_RDONLY, file_access()), nullptr};
}

Hdf5File Hdf5File::open_to_append(const std::string& path) {
  auto failure = std::make_unique<WriteFailure>();
  const Handle access = file_access();
  use_safe_driver(access, *failure);
  const hid_t id = open_existing(path, H5F_ACC_RDWR, access);
  return {path, id, std::move(failure)};
}

Hdf5File Hdf5File::create(const std::string& path, const std::string& name_in_errors,
                          bool streamed) {
  const Silence silence;
  auto failure = std::make_unique<WriteFailure>();
  const Handle access = file_access();
  use_safe_driver(access, *failure);
  if (streamed) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (id < 0) fail(name_in_errors, "cannot be created");
  return {name_in_errors, id, std::move(failure)};
}

Hdf5File Hdf5File::create(const std::string& path) {
  return create(path, path, false);
}

Hdf5File Hdf5File::create(const AtomicFile& target) {
  return create(target.temporary_path(), target.path(), false);
}

Hdf5File Hdf5File::create_stream(const AtomicFile& target) {
  return create(target.temporary_path(), target.path(), true);
}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : path_(std::move(other.path_)), id_(std::exchange(other.id_, -1)),
      failure_(std::move(other.failure_)) {}

Hdf5File& Hdf5File::operator=(Hdf5File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(id_, other.id_);
  std::swap(failure_, other.failure_);
  return *this;
}

Hdf5File::~Hdf5File() {
  const Silence silence;
  if (id_ >= 0) H5Fclose(id_);
}

void Hdf5File::check_written() const {
  if (failure_ && failure_->error != 0)
    throw FileError(path_, std::string("cannot be written: ") + std::strerror(failure_->error));
}

void Hdf5File::flush() {
  const Silence silence;
  require(H5Fflush(id_, H5F_SCOPE_GLOBAL) >= 0, path_, "cannot be written");
  check_written();
}

void Hdf5File::close() {
  if (id_ < 0) return;
  const Silence silence;
  const herr_t closed = H5Fclose(std::exchange(id_, -1));
  check_written();
  require(closed >= 0, path_, "cannot be closed");
}

void Hdf5File::begin_stream() {
  const Silence silence;
  require(H5Fstart_swmr_write(id_) >= 0, path_, "cannot be streamed");
  check_written();
}

bool Hdf5File::has(const std::string& name) const {
  const Silence silence;
  return exists(id_, name);
}

bool Hdf5File::is_group(const std::string& name) const {
  const Silence silence;
  if (!exists(id_, name)) return false;
  const Handle object(H5Oopen(id_, name.c_str(), H5P_DEFAULT), H5Oclose);
  return object.valid() && H5Iget_type(object) == H5I_GROUP;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  const Silence silence;
  const Handle handle(H5Gopen2(id_, group.c_str(), H5P_DEFAULT), H5Gclose);
  require(handle.valid(), path_, group + " is missing or not a group");
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->push_back(name);
    return 0;
  };
  require(H5Literate(handle, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names) >= 0, path_,
          group + " cannot be listed");
  std::sort(names.begin(), names.end());
  return names;
}

void Hdf5File::make_group(const std::string& name) {
  const Silence silence;
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Handle group(H5Gcreate2(id_, name.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  check_written();
  require(group.valid(), path_, "group " + name + " cannot be created");
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  const Silence silence;
  return exists(id_, object) &&
         H5Aexists_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

template <class T>
T Hdf5File::read_attribute(const std::string& object, const std::string& name) const {
  const Silence silence;
  const Handle attribute = open_attribute(id_, path_, object, name);
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(type) != type_class<T> || H5Sget_simple_extent_npoints(space) != 1)
    throw FileError(path_, "attribute " + name + " of " + object + " is not one " +
                               (std::is_integral_v<T> ? "integer" : "floating-point number"));
  const std::string what = "attribute " + name + " of " + object;
  const auto read_as = [&](auto value) {
    require(H5Aread(attribute, native_type<decltype(value)>(), &value) >= 0, path_,
            what + " cannot be read");
    return value;
  };
  if constexpr (std::is_integral_v<T>)
    if (may_clip<T>(type))
      return holds_unsigned(type) ? fitting<T>(read_as(std::uint64_t{}), path_, what)
                                  : fitting<T>(read_as(std::int64_t{}), path_, what);
  return read_as(T{});
}

std::string Hdf5File::read_string_attribute(const std::string& object,
                                            const std::string& name) const {
  const Silence silence;
  const Handle attribute = open_attribute(id_, path_, object, name);
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  return read_text(id_, type, space, path_, "attribute " + name + " of " + object,
                   [&](hid_t memory, void* out) { return H5Aread(attribute, memory, out); });
}

template <class T>
void Hdf5File::write_attribute(const std::string& object, const std::string& name, T value) {
  const Silence silence;
  const hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose);
  replace_attribute(id_, path_, object, name, native_type<T>(), space, &value);
  check_written();
}

void Hdf5File::write_string_attribute(const std::string& object, const std::string& name,
                                      const std::string& text) {
  const Silence silence;
  replace_attribute(id_, path_, object, name, string_type(text, path_, name), scalar_space(),
                    text.c_str());
  check_written();
}

bool is_hdf5(const std::string& path) {
  const Silence silence;
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && H5Fis_hdf5(path.c_str()) > 0;
}

void end_stream_of_killed_writer(const std::string& path) {
  if (!is_hdf5(path)) return;
  const Silence silence;
  const auto opens = [&](unsigned mode, hid_t access) {
    return Handle(H5Fopen(path.c_str(), mode, access), H5Fclose).valid();
  };
  if (opens(H5F_ACC_RDONLY, file_access())) return;
  // Clears the marks as the library's tool h5clear does, which has no other way either.
  const Handle access = file_access();
  const hbool_t clear = true;
  require(H5Pset(access, "clear_status_flags", &clear) >= 0 && opens(H5F_ACC_RDWR, access), path,
          "cannot be opened: it is truncated, damaged or in use");
}

template double Hdf5File::read_attribute(const std::string&, const std::string&) const;
template float Hdf5File::read_attribute(const std::string&, const std::string&) const;
template std::int32_t Hdf5File::read_attribute(const std::string&, const std::string&) const;
template std::int64_t Hdf5File::read_attribute(const std::string&, const std::string&) const;
template std::uint8_t Hdf5File::read_attribute(const std::string&, const std::string&) const;
template void Hdf5File::write_attribute(const std::string&, const std::string&, double);
template void Hdf5File::write_attribute(const std::string&, const std::string&, float);
template void Hdf5File::write_attribute(const std::string&, const std::string&, std::int32_t);
template void Hdf5File::write_attribute(const std::string&, const std::string&, std::int64_t);
template void Hdf5File::write_attribute(const std::string&, const std::string&, std::uint8_t);

} // namespace talus
