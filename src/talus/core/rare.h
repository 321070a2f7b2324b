#pragma once
// A value that is seldom anything but its default: a pointer where it is not, and nothing else.

#include <memory>

namespace talus {

template <class T>
class Rare {
public:
  Rare() = default;
  ~Rare() = default;
  Rare(const Rare& other) : own_(other.own_ ? std::make_unique<T>(*other.own_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) { return *this = Rare(other); }
  Rare& operator=(Rare&&) noexcept = default;

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
