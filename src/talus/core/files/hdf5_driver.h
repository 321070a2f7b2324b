#pragma once
// How HDF5 reaches the disk when Talus writes. If a write fails (a full disk), the library ends up
// in a state in which closing the file fails too and leaving the program crashes. This driver sits
// between the library and its usual one: it takes note of the first failure, keeps the library's
// metadata in memory from then on and reports success, so that the file can be closed in peace. The
// owner of the note must look at it after every call that may write.

#include <hdf5.h>

namespace talus::hdf5 {

/// errno of the first write, flush or truncation that failed, or 0.
struct WriteFailure {
  int error = 0;
};

/// Makes files opened with `access` use the driver. `failure` must outlive the file.
void use_safe_driver(hid_t access, WriteFailure& failure);

} // namespace talus::hdf5
