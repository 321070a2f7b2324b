// States, problems and reports as bytes and back, for pickles and copies (talus/_copying.py). The
// bytes are those of memory: for the same build of Talus on the same kind of machine.

#include "bindings.h"
#include "casters.h"
#include "contacts.h"
#include "talus/problem/contact_problem.h"
#include "talus/step/simulation_state.h"
#include "talus/step/step_report.h"

#include <cstring>

namespace talus::python {
namespace {

class Writer {
public:
  template <class Value>
  void operator()(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class Item>
  void operator()(const std::vector<Item>& items) {
    static_assert(std::is_trivially_copyable_v<Item>);
    (*this)(items.size());
    bytes.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(Item));
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes += text;
  }

  std::string bytes;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class Value>
  void operator()(Value& value) {
    std::memcpy(static_cast<void*>(&value), take(1, sizeof value), sizeof value);
  }
  template <class Item>
  void operator()(std::vector<Item>& items) {
    std::size_t count = 0;
    (*this)(count);
    const char* from = take(count, sizeof(Item));
    items.resize(count);
    if (count > 0) std::memcpy(static_cast<void*>(items.data()), from, count * sizeof(Item));
  }
  void operator()(std::string& text) {
    std::size_t count = 0;
    (*this)(count);
    text.assign(take(count, 1), count);
  }
  void require_end() const {
    if (!bytes_.empty()) fail();
  }

private:
  [[noreturn]] static void fail() {
    throw InvalidArgument("these bytes were not written by this version of talus");
  }
  const char* take(std::size_t count, std::size_t size) {
    if (count > bytes_.size() / size) fail();
    const char* from = bytes_.data();
    bytes_.remove_prefix(count * size);
    return from;
  }

  std::string_view bytes_;
};

template <class Archive, class... Values>
void each(Archive& archive, Values&... values) {
  (archive(values), ...);
}

template <class Archive, class Matrix>
void visit_matrix(Archive& archive, Matrix& m) {
  each(archive, m.rows, m.columns, m.row_start, m.column, m.value);
}

template <class Archive, class State>
void visit_state(Archive& archive, State& s) {
  auto& w = s.warm_start;
  each(archive, s.time, s.steps, s.bodies, s.joint_coordinates, s.removed, s.bonds);
  each(archive, w.step, w.contacts, w.rows, w.normals, w.moments, w.shear);
}

template <class Archive, class Report>
void visit_report(Archive& archive, Report& r) {
  each(archive, r.step, r.time, r.contacts, r.joint_rows, r.envelope, r.max_penetration,
       r.max_joint_error, r.outran_envelope, r.status, r.message, r.iterations, r.tolerance, r.work,
       r.error, r.violation, r.restitution_scale, r.kinetic_energy, r.potential_energy,
       r.elastic_energy, r.momentum, r.angular_momentum);
  each(archive, r.seconds_collide, r.seconds_build, r.seconds_solve, r.seconds_advance);
}

template <class Archive, class All>
void visit_contacts(Archive& archive, All& c) {
  each(archive, c.points, c.impulses, c.step);
}

template <class Archive, class Problem>
void visit_problem(Archive& archive, Problem& p) {
  each(archive, p.dimension, p.mu, p.rolling, p.spinning, p.friction, p.law, p.normal_estimate);
  each(archive, p.row_lower, p.row_upper, p.compliance, p.title, p.description, p.math_info);
  if (auto* local = std::get_if<LocalModel>(&p.model)) {
    for (auto* m : {&local->W, &local->V, &local->R, &local->U}) visit_matrix(archive, *m);
    each(archive, local->q, local->s);
  } else if (auto* global = std::get_if<GlobalModel>(&p.model)) {
    for (auto* m : {&global->M, &global->H, &global->G}) visit_matrix(archive, *m);
    each(archive, global->f, global->w, global->b);
  } else if (auto* rigid = std::get_if<RigidModel>(&p.model)) {
    each(archive, rigid->inverse_mass, rigid->free_velocity, rigid->contact_bodies, rigid->contacts,
         rigid->w, rigid->row_bodies, rigid->rows, rigid->b);
  }
}

/// "_dump" and "_load_NAME" of a class whose members `visit` shows to an archive.
template <class Value, class Visit>
void bind_archive(py::module_& m, const char* name, Visit visit) {
  m.def(
      "_dump",
      [visit](const Value& value) {
        Writer writer;
        visit(writer, value);
        return py::bytes(writer.bytes);
      },
      py::arg("value"), "The bytes of an object.");
  m.def((std::string("_load_") + name).c_str(), [visit](const py::bytes& bytes) {
    auto value = std::make_shared<Value>();
    Reader reader{std::string_view(bytes)};
    visit(reader, *value);
    reader.require_end();
    return py::cast(*value);
  });
}

void bind_problem_archive(py::module_& m) {
  m.def("_dump", [](const ContactProblem& problem) {
    Writer writer;
    writer(problem.model.index());
    visit_problem(writer, problem);
    return py::bytes(writer.bytes);
  });
  m.def("_load_ContactProblem", [](const py::bytes& bytes) {
    auto problem = std::make_shared<ContactProblem>();
    Reader reader{std::string_view(bytes)};
    std::size_t model = 0;
    reader(model);
    if (model == 0) problem->model = LocalModel{};
    if (model == 1) problem->model = GlobalModel{};
    if (model == 2) problem->model = RigidModel{};
    visit_problem(reader, *problem);
    reader.require_end();
    validate(*problem);
    return problem;
  });
}

} // namespace

void bind_archives(py::module_& m) {
  bind_archive<SimulationState>(m, "SimulationState",
                                [](auto& archive, auto& s) { visit_state(archive, s); });
  bind_archive<StepReport>(m, "StepReport",
                           [](auto& archive, auto& r) { visit_report(archive, r); });
  bind_archive<Contacts>(m, "Contacts", [](auto& archive, auto& c) { visit_contacts(archive, c); });
  bind_problem_archive(m);
}

} // namespace talus::python
