// The command line inside of the package: `python -m talus`, and the command `talus` of a wheel.

#include "program.h"

#include "bindings.h"
#include "support/shell_words.h"

#include <string>
#include <vector>

namespace talus::python {
namespace {

/// Those of the program but `reproduce`, which needs a program of its own.
constexpr cli::RegisterCommand commands[] = {
    cli::register_solve,  cli::register_compare, cli::register_solvers, cli::register_info,
    cli::register_run,    cli::register_scenes,  cli::register_sweep,   cli::register_keys,
    cli::register_import, cli::register_export,  cli::register_hash,    cli::register_view,
    cli::register_render, cli::register_play};

int run_program(std::vector<std::string> arguments, std::vector<std::string> own_command) {
  cli::set_own_command(std::move(own_command));
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return cli::run_program(static_cast<int>(arguments.size()), pointers.data(), commands);
}

} // namespace

void bind_program(py::module_& m) {
  m.def("_run_program", &run_program, py::arg("arguments"), py::arg("own_command"),
        py::call_guard<py::gil_scoped_release>(),
        "Runs a command of the program and returns its exit code. own_command starts the program "
        "anew, for `run --live`.");
}

} // namespace talus::python
