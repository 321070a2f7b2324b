// Parts of talus/runs.py: the reports of a run as columns, the viewer page with a run inside, and a
// server that shows a run while it grows.

#include "arrays.h"
#include "bindings.h"
#include "simulation_ref.h"
#include "view/view_page.h"
#include "view/view_server.h"

#include <array>
#include <thread>

namespace talus::python {
namespace {

struct ReportColumn {
  const char* name;
  double (*value)(const StepReport&);
};

/// Named as in steps.csv.
constexpr std::array report_columns = {
    ReportColumn{"step", [](const StepReport& r) { return static_cast<double>(r.step); }},
    ReportColumn{"time", [](const StepReport& r) { return r.time; }},
    ReportColumn{"contacts", [](const StepReport& r) { return static_cast<double>(r.contacts); }},
    ReportColumn{"joint_rows",
                 [](const StepReport& r) { return static_cast<double>(r.joint_rows); }},
    ReportColumn{"max_penetration", [](const StepReport& r) { return r.max_penetration; }},
    ReportColumn{"max_joint_error", [](const StepReport& r) { return r.max_joint_error; }},
    ReportColumn{"outran_envelope",
                 [](const StepReport& r) { return static_cast<double>(r.outran_envelope); }},
    ReportColumn{"converged", [](const StepReport& r) { return r.converged() ? 1.0 : 0.0; }},
    ReportColumn{"iterations",
                 [](const StepReport& r) { return static_cast<double>(r.iterations); }},
    ReportColumn{"work", [](const StepReport& r) { return static_cast<double>(r.work); }},
    ReportColumn{"error", [](const StepReport& r) { return r.error; }},
    ReportColumn{"tolerance", [](const StepReport& r) { return r.tolerance; }},
    ReportColumn{"violation", [](const StepReport& r) { return r.violation; }},
    ReportColumn{"kinetic_energy", [](const StepReport& r) { return r.kinetic_energy; }},
    ReportColumn{"potential_energy", [](const StepReport& r) { return r.potential_energy; }},
    ReportColumn{"elastic_energy", [](const StepReport& r) { return r.elastic_energy; }},
    ReportColumn{"momentum_x", [](const StepReport& r) { return r.momentum.x; }},
    ReportColumn{"momentum_y", [](const StepReport& r) { return r.momentum.y; }},
    ReportColumn{"momentum_z", [](const StepReport& r) { return r.momentum.z; }},
    ReportColumn{"seconds", [](const StepReport& r) { return r.seconds(); }},
};

/// The reports of all steps since it was made, column by column.
class RunLog : public StepFollower {
public:
  void after_step(const Simulation& simulation) override {
    for (std::size_t i = 0; i < report_columns.size(); ++i)
      values_[i].push_back(report_columns[i].value(simulation.report()));
  }
  py::dict taken() const {
    py::dict result;
    for (std::size_t i = 0; i < report_columns.size(); ++i)
      result[report_columns[i].name] = frozen_copy(values_[i]);
    return result;
  }
  std::size_t size() const { return values_.front().size(); }

private:
  std::array<Vector, report_columns.size()> values_;
};

/// Shows a run to the page of the viewer until it is destroyed.
class RunServer {
public:
  RunServer(const PathText& folder, std::string page, bool growing)
      : run_(folder.text, growing), server_(run_, std::move(page)) {
    address_ = server_.bind("127.0.0.1", 0);
    thread_ = std::thread([this] { server_.serve(); });
  }
  ~RunServer() { close(); }
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;

  const std::string& address() const { return address_; }
  void stop_growing() { run_.stop_growing(); }
  void close() {
    if (!thread_.joinable()) return;
    const py::gil_scoped_release no_gil;
    server_.stop();
    thread_.join();
  }

private:
  cli::ViewedRun run_;
  cli::ViewServer server_;
  std::string address_;
  std::thread thread_;
};

std::string page_of_run(const std::string& page, const PathText& folder, std::int64_t every,
                        bool contacts) {
  const py::gil_scoped_release no_gil;
  cli::ViewedRun run(folder.text, false);
  if (run.extent().frames == 0) throw FileError(folder.text, "has no complete frame yet");
  return cli::page_with_run(page, run, {static_cast<Index>(every), contacts});
}

/// (frames, bodies, contacts of all frames together): what decides the size of a page.
std::tuple<Index, Index, std::size_t> extent_of_run(const PathText& folder) {
  const py::gil_scoped_release no_gil;
  cli::ViewedRun run(folder.text, false);
  return {run.extent().frames, run.bodies(), run.contacts()};
}

} // namespace

void bind_runs(py::module_& m) {
  using py::arg;
  py::class_<RunLog, std::shared_ptr<RunLog>>(m, "_RunLog", "Reports of a run as columns.")
      .def(py::init([](const SimulationRef& simulation) {
             auto log = std::make_shared<RunLog>();
             simulation.add_follower(log);
             return log;
           }),
           arg("simulation"), "Follows the simulation from now on.")
      .def("columns", &RunLog::taken, "By the names of steps.csv.")
      .def("__len__", &RunLog::size);
  py::class_<RunServer>(m, "_RunServer", "Serves a run to the page of the viewer.")
      .def(py::init<const PathText&, std::string, bool>(), arg("folder"), arg("page"),
           arg("growing"), "On a free port of this machine.")
      .def_property_readonly("address", &RunServer::address, "To be opened in a browser.")
      .def("stop_growing", &RunServer::stop_growing, "Tells the page that no more is to come.")
      .def("close", &RunServer::close, "Ends it.");
  m.def("_page_of_run", &page_of_run, arg("page"), arg("folder"), arg("every"), arg("contacts"),
        "The page of the viewer with a run inside.");
  m.def("_extent_of_run", &extent_of_run, arg("folder"), "(frames, bodies, contacts).");
}

} // namespace talus::python
