#pragma once
// Python functions that C++ may call, copy and destroy on any thread, with or without the GIL.

#include <memory>
#include <pybind11/pybind11.h>

namespace talus::python {

namespace py = pybind11;

/// Copies share one reference; the last one takes the GIL to drop it.
class SharedFunction {
public:
  explicit SharedFunction(py::function function)
      : function_(new py::function(std::move(function)), [](py::function* last) {
          const py::gil_scoped_acquire gil;
          delete last;
        }) {}

  /// To be called with the GIL held.
  const py::function& get() const { return *function_; }

private:
  std::shared_ptr<py::function> function_;
};

/// A callback that takes the time and returns a `Value`.
template <class Value>
auto function_of_time(py::function function) {
  return [shared = SharedFunction(std::move(function))](double time) {
    const py::gil_scoped_acquire gil;
    return shared.get()(time).template cast<Value>();
  };
}

} // namespace talus::python
