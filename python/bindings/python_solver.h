#pragma once
// Solvers whose algorithm is written in Python.

#include "scaled_problem_ref.h"
#include "talus/solve/coulomb/convex_solver.h"

namespace talus::python {

/// Calls method(problem, z, monitor) of a Python object, with arrays that Python may keep; what z
/// holds afterwards is the answer. To be called with the GIL held.
void call_algorithm(const py::object& solver, const char* method, ScaledProblem& problem, Span z,
                    Monitor& monitor);

/// The `info` of a Python object, which its class must define. To be called with the GIL held.
SolverInfo info_of(const py::object& solver);

/// Base is Solver, with a Python method `run`, or ConvexSolver, with `minimise`.
template <class Base>
class PythonSolver : public Base {
public:
  const SolverInfo& info() const override {
    const py::gil_scoped_acquire gil;
    info_ = info_of(self());
    return info_;
  }

protected:
  void call(const char* method, ScaledProblem& problem, Span z, Monitor& monitor) {
    const py::gil_scoped_acquire gil;
    call_algorithm(self(), method, problem, z, monitor);
  }

private:
  /// The Python object that this is part of. pybind11 finds it by the class it was bound as.
  py::object self() const {
    const auto* bound = py::detail::get_type_info(typeid(Base));
    return py::reinterpret_borrow<py::object>(
        py::detail::get_object_handle(static_cast<const Base*>(this), bound));
  }

  mutable SolverInfo info_;
};

class PythonRunSolver : public PythonSolver<Solver> {
public:
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    call("run", problem, z, monitor);
  }
};

class PythonConvexSolver : public PythonSolver<ConvexSolver> {
public:
  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    call("minimise", problem, z, monitor);
  }
};

/// Lends a solver out where one is to be owned.
class LentSolver : public Solver {
public:
  explicit LentSolver(Solver& lender) : lender_(lender) {}
  const SolverInfo& info() const override { return lender_.info(); }
  void visit_options(OptionVisitor& visitor) override { lender_.visit_options(visitor); }
  std::string refuses(const ScaledProblem& problem) const override {
    return lender_.refuses(problem);
  }
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    lender_.run(problem, z, monitor);
  }

private:
  Solver& lender_;
};

} // namespace talus::python
