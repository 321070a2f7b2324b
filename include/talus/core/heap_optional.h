#pragma once
// A value that is seldom anything but its default: a pointer where it is not, and nothing else.

#include <memory>

namespace talus {

template <class T>
class HeapOptional {
public:
  HeapOptional() = default;
  ~HeapOptional() = default;
  HeapOptional(const HeapOptional& other)
      : own_(other.own_ ? std::make_unique<T>(*other.own_) : nullptr) {}
  HeapOptional(HeapOptional&&) noexcept = default;
  HeapOptional& operator=(const HeapOptional& other) { return *this = HeapOptional(other); }
  HeapOptional& operator=(HeapOptional&&) noexcept = default;

  const T& get() const {
    static const T usual{};
    return own_ ? *own_ : usual;
  }
  /// To be changed; from now on it has its own memory.
  T& own() {
    if (!own_) own_ = std::make_unique<T>();
    return *own_;
  }

private:
  std::unique_ptr<T> own_;
};

} // namespace talus
