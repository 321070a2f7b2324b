#include "talus/core/files/hdf5_driver.h"

#include "talus/core/files/hdf5_handle.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <sys/types.h>
#include <vector>

namespace talus::hdf5 {

namespace {

/// What the library copies from the access properties to the file.
struct Settings {
  WriteFailure* failure;
};

struct Piece {
  haddr_t address;
  std::vector<unsigned char> bytes;
};

/// An open file; the library looks at `base` only, the rest is ours.
struct SafeFile {
  H5FD_t base{};
  H5FD_t* disk = nullptr;
  WriteFailure* failure = nullptr;
  std::vector<Piece> unwritten; ///< Metadata written after the failure, oldest first.

  /// Notes the failure of a call, if it is the first. Always success for the library.
  herr_t take(herr_t result) {
    if (result < 0 && failure->error == 0) failure->error = errno != 0 ? errno : EIO;
    return 0;
  }
};

SafeFile& self(H5FD_t* file) {
  return *reinterpret_cast<SafeFile*>(file);
}
const SafeFile& self(const H5FD_t* file) {
  return *reinterpret_cast<const SafeFile*>(file);
}

Handle disk_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_sec2(access);
  H5Pset_file_locking(access, true, true);
  return access;
}

H5FD_t* open(const char* name, unsigned flags, hid_t access, haddr_t largest) {
  const auto* settings = static_cast<const Settings*>(H5Pget_driver_info(access));
  std::unique_ptr<SafeFile> file(new (std::nothrow) SafeFile);
  if (file == nullptr || settings == nullptr) return nullptr;
  file->failure = settings->failure;
  file->disk = H5FDopen(name, flags, disk_access(), largest);
  return file->disk == nullptr ? nullptr : &file.release()->base;
}

herr_t close(H5FD_t* file) {
  const std::unique_ptr<SafeFile> closing(&self(file));
  errno = 0;
  return closing->take(H5FDclose(closing->disk));
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  return H5FDcmp(self(a).disk, self(b).disk);
}

/// Also called without a file, to learn what the driver can do.
herr_t query(const H5FD_t* file, unsigned long* flags) {
  if (file != nullptr) return H5FDquery(self(file).disk, flags);
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t end_of_allocation(const H5FD_t* file, H5FD_mem_t type) {
  return H5FDget_eoa(self(file).disk, type);
}

herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t type, haddr_t address) {
  return H5FDset_eoa(self(file).disk, type, address);
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t type) {
  return H5FDget_eof(self(file).disk, type);
}

herr_t handle(H5FD_t* file, hid_t access, void** out) {
  return H5FDget_vfd_handle(self(file).disk, access, out);
}

/// Copies the part of the piece that lies in [address, address + size).
void overlay(const Piece& piece, haddr_t address, std::size_t size, unsigned char* buffer) {
  const haddr_t first = std::max(piece.address, address);
  const haddr_t last = std::min(piece.address + piece.bytes.size(), address + size);
  if (first < last)
    std::memcpy(buffer + (first - address), piece.bytes.data() + (first - piece.address),
                last - first);
}

herr_t read(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t address, std::size_t size,
            void* buffer) {
  const SafeFile& safe = self(file);
  if (H5FDread(safe.disk, type, transfer, address, size, buffer) < 0) return -1;
  for (const Piece& piece : safe.unwritten)
    overlay(piece, address, size, static_cast<unsigned char*>(buffer));
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t address, std::size_t size,
             const void* buffer) {
  SafeFile& safe = self(file);
  if (safe.failure->error == 0) {
    errno = 0;
    safe.take(H5FDwrite(safe.disk, type, transfer, address, size, buffer));
  }
  // Data is lost anyway; only metadata is read again before the file is closed.
  if (safe.failure->error == 0 || type == H5FD_MEM_DRAW) return 0;
  try {
    const auto* bytes = static_cast<const unsigned char*>(buffer);
    safe.unwritten.push_back({address, {bytes, bytes + size}});
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

herr_t flush(H5FD_t* file, hid_t transfer, hbool_t closing) {
  SafeFile& safe = self(file);
  if (safe.failure->error != 0) return 0;
  errno = 0;
  return safe.take(H5FDflush(safe.disk, transfer, closing));
}

herr_t truncate(H5FD_t* file, hid_t transfer, hbool_t closing) {
  SafeFile& safe = self(file);
  if (safe.failure->error != 0) return 0;
  errno = 0;
  return safe.take(H5FDtruncate(safe.disk, transfer, closing));
}

herr_t lock(H5FD_t* file, hbool_t exclusive) {
  return H5FDlock(self(file).disk, exclusive);
}

herr_t unlock(H5FD_t* file) {
  return H5FDunlock(self(file).disk);
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
  driver.name = "talus_safe";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Settings);
  driver.open = open;
  driver.close = close;
  driver.cmp = compare;
  driver.query = query;
  driver.get_eoa = end_of_allocation;
  driver.set_eoa = set_end_of_allocation;
  driver.get_eof = end_of_file;
  driver.get_handle = handle;
  driver.read = read;
  driver.write = write;
  driver.flush = flush;
  driver.truncate = truncate;
  driver.lock = lock;
  driver.unlock = unlock;
  constexpr H5FD_mem_t free_lists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(free_lists), std::end(free_lists), driver.fl_map);
  return driver;
}

} // namespace

void use_safe_driver(hid_t access, WriteFailure& failure) {
  // Registered once; the library keeps its own copy of the class and of the settings.
  static const hid_t driver = [] {
    const H5FD_class_t safe = driver_class();
    return H5FDregister(&safe);
  }();
  const Settings settings{&failure};
  H5Pset_driver(access, driver, &settings);
}

} // namespace talus::hdf5
