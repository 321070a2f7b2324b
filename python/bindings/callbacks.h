#pragma once
// Python objects that C++ may keep, copy and destroy on any thread, with or without the GIL, and
// functions among them that it may call.

#include <memory>
#include <pybind11/pybind11.h>

namespace talus::python {

namespace py = pybind11;

/// Copies share one reference; the last one takes the GIL to drop it.
template <class Object>
class Shared {
public:
  explicit Shared(Object object)
      : object_(new Object(std::move(object)), [](Object* last) {
          const py::gil_scoped_acquire gil;
          delete last;
        }) {}

  /// To be called with the GIL held.
  const Object& get() const { return *object_; }

private:
  std::shared_ptr<Object> object_;
};
using SharedFunction = Shared<py::function>;
using SharedObject = Shared<py::object>;

/// A callback that takes the time and returns a `Value`.
template <class Value>
auto function_of_time(py::function function) {
  return [shared = SharedFunction(std::move(function))](double time) {
    const py::gil_scoped_acquire gil;
    return shared.get()(time).template cast<Value>();
  };
}

} // namespace talus::python
