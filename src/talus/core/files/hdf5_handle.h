#pragma once
// Internals shared by the sources of Hdf5File: identifiers that close themselves, silence, and the
// reason the HDF5 library gives for a failure. Of all headers, only this one and hdf5_driver.h
// include <hdf5.h>.

#include "talus/core/error.h"

#include <hdf5.h>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace talus::hdf5 {

/// Owns an HDF5 identifier; negative when the call that made it failed.
class Handle {
public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Keeps the library from printing its error stack while it lives; what was set before comes back.
class Silence {
public:
  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// The innermost message of the last failed call in parentheses, or nothing.
inline std::string reason() {
  std::string text;
  const auto take_first = [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
    auto& out = *static_cast<std::string*>(data);
    if (out.empty() && error->desc != nullptr) out = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &text);
  return text.empty() ? text : " (" + text + ")";
}

/// Throws with the library's reason; call it right after the failed call.
[[noreturn]] inline void fail(const std::string& path, const std::string& what) {
  throw FileError(path, what + reason());
}

inline void require(bool good, const std::string& path, const std::string& what) {
  if (!good) fail(path, what);
}

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, double>)
    return H5T_NATIVE_DOUBLE;
  else if constexpr (std::is_same_v<T, float>)
    return H5T_NATIVE_FLOAT;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return H5T_NATIVE_INT32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return H5T_NATIVE_INT64;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return H5T_NATIVE_UINT64;
  else {
    static_assert(std::is_same_v<T, std::uint8_t>);
    return H5T_NATIVE_UINT8;
  }
}

inline bool holds_unsigned(hid_t type) {
  return H5Tget_sign(type) == H5T_SGN_NONE;
}

/// Whether an integer of this type in a file may not fit into a T: the library would clip it
/// without a word.
template <class T>
bool may_clip(hid_t type) {
  return H5Tget_size(type) > sizeof(T) || holds_unsigned(type) != std::is_unsigned_v<T>;
}

/// `value` as a T, if it fits.
template <class T, class Wide>
T fitting(Wide value, const std::string& path, const std::string& name) {
  if (!std::in_range<T>(value))
    throw FileError(path, name + " holds " + std::to_string(value) + ", which is not between " +
                              std::to_string(std::numeric_limits<T>::min()) + " and " +
                              std::to_string(std::numeric_limits<T>::max()));
  return static_cast<T>(value);
}

template <class T>
constexpr H5T_class_t type_class = std::is_integral_v<T> ? H5T_INTEGER : H5T_FLOAT;

/// A string type that holds `text` and its terminating NUL. Files count the bytes of a type in 32
/// bits.
inline Handle string_type(const std::string& text, const std::string& path,
                          const std::string& name) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max())
    throw FileError(path, name + " is a text of more than 4 GB, which no HDF5 string holds");
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, text.size() + 1);
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

inline Handle scalar_space() {
  return Handle(H5Screate(H5S_SCALAR), H5Sclose);
}

/// A string of fixed or variable length through `read(memory_type, buffer)`, which wraps H5Dread or
/// H5Aread. A string longer than its file is not believed.
template <class Read>
std::string read_text(hid_t file, hid_t type, hid_t space, const std::string& path,
                      const std::string& name, Read&& read) {
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
    throw FileError(path, name + " is not one string");
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    require(read(type, &text) >= 0, path, name + " cannot be read");
    std::string result = text == nullptr ? "" : text;
    H5free_memory(text);
    return result;
  }
  const std::size_t size = H5Tget_size(type);
  hsize_t file_size = 0;
  require(H5Fget_filesize(file, &file_size) >= 0, path, name + " cannot be read");
  if (size == 0 || size > file_size) throw FileError(path, name + " has an impossible length");
  std::string result(size, '\0');
  require(read(type, result.data()) >= 0, path, name + " cannot be read");
  if (const auto end = result.find('\0'); end != std::string::npos) result.resize(end);
  if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) {
    const auto last = result.find_last_not_of(' ');
    result.resize(last == std::string::npos ? 0 : last + 1);
  }
  return result;
}

} // namespace talus::hdf5
