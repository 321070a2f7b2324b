// ContactProblem: from arrays, from files, to files.

#include "arrays.h"
#include "bindings.h"
#include "problem_casters.h"
#include "sparse.h"
#include "talus/problem/contact_problem.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/problem/files/problem_file.h"
#include "talus/problem/scaled/quality.h"
#include "talus/solve/normal_estimate.h"
#include "talus/solve/solver.h"

#include <limits>

namespace talus::python {
namespace {

using ProblemHolder = std::shared_ptr<ContactProblem>;

/// What every constructor takes besides the model.
struct Common {
  Array mu;
  int dimension;
  Law law;
  FrictionSet friction;
  std::optional<Array> compliance, row_lower, row_upper, normal_estimate;
  std::string title;
  std::optional<Array> rolling = {}, spinning = {};
};

ProblemHolder finished(Common common, std::variant<LocalModel, GlobalModel, RigidModel> model) {
  auto problem = std::make_shared<ContactProblem>();
  problem->dimension = common.dimension;
  problem->mu = vector_from(common.mu);
  problem->law = common.law;
  const bool moments = common.dimension >= 5 || (common.dimension == 3 && common.rolling);
  problem->friction = common.dimension == 1 ? FrictionSet{FrictionKind::none}
                      : moments             ? FrictionSet{FrictionKind::rolling}
                                            : common.friction;
  problem->rolling = vector_from(common.rolling);
  problem->spinning = vector_from(common.spinning);
  problem->compliance = vector_from(common.compliance);
  problem->row_lower = vector_from(common.row_lower);
  problem->row_upper = vector_from(common.row_upper);
  problem->normal_estimate = vector_from(common.normal_estimate);
  problem->title = std::move(common.title);
  problem->model = std::move(model);
  const py::gil_scoped_release no_gil;
  if (has_fixed_bound(problem->friction.kind) && problem->normal_estimate.empty())
    problem->normal_estimate = estimate_normal_impulses(*problem);
  validate(*problem);
  return problem;
}

RigidModel rigid_model(const Array& inverse_mass, const Array& free_velocity,
                       const IndexArray& bodies, const Array& normals, const Array& tangents,
                       const Array& arms_a, const Array& arms_b, const Array& w) {
  RigidModel model;
  require_columns(inverse_mass, 7, "inverse_mass");
  require_columns(bodies, 2, "bodies");
  for (py::ssize_t i = 0; i < inverse_mass.shape(0); ++i) {
    const double* row = inverse_mass.data() + 7 * i;
    RigidInverseMass each{row[0], {}};
    std::copy_n(row + 1, 6, each.inertia);
    model.inverse_mass.push_back(each);
  }
  const auto n = vectors_from(normals, "normals"), t = vectors_from(tangents, "tangents");
  const auto a = vectors_from(arms_a, "arms_a"), b = vectors_from(arms_b, "arms_b");
  if (t.size() != n.size() || a.size() != n.size() || b.size() != n.size() ||
      static_cast<std::size_t>(bodies.shape(0)) != n.size())
    throw InvalidArgument("bodies, normals, tangents, arms_a and arms_b need a row per contact");
  for (std::size_t c = 0; c < n.size(); ++c) {
    model.contacts.push_back({n[c], t[c], a[c], b[c]});
    model.contact_bodies.push_back({bodies.data()[2 * c], bodies.data()[2 * c + 1]});
  }
  model.free_velocity = vector_from(free_velocity);
  model.w = vector_from(w);
  return model;
}

ProblemHolder load(const PathText& path, std::optional<Law> law,
                   std::optional<FrictionSet> friction, std::optional<double> mu) {
  const py::gil_scoped_release no_gil;
  auto problem = std::make_shared<ContactProblem>(read_problem(path));
  if (law) problem->law = *law;
  if (friction && problem->dimension > 1) problem->friction = *friction;
  if (mu) std::fill(problem->mu.begin(), problem->mu.end(), *mu);
  if (has_fixed_bound(problem->friction.kind))
    problem->normal_estimate = estimate_normal_impulses(*problem);
  validate(*problem);
  return problem;
}

void save(const ContactProblem& problem, const PathText& path, const SolveResult* solution) {
  const py::gil_scoped_release no_gil;
  FclibFile file;
  file.problem = problem;
  if (solution != nullptr) {
    if (static_cast<Index>(solution->x.size()) != problem.size())
      throw InvalidArgument("the solution is of another problem");
    const auto impulses = problem.impulses();
    file.solution.v = solution->v;
    file.solution.u.assign(solution->u.begin(), solution->u.begin() + impulses);
    file.solution.r.assign(solution->x.begin(), solution->x.begin() + impulses);
    file.solution.l.assign(solution->x.begin() + impulses, solution->x.end());
  }
  write_fclib(path, file);
}

/// Puts `value` in place of a vector and takes it back if the problem is then not valid.
void replace(ContactProblem& problem, Vector ContactProblem::*member, Vector value) {
  ContactProblem changed = problem;
  changed.*member = std::move(value);
  validate(changed);
  problem = std::move(changed);
}

/// Replaces one side of the rows' bounds; the other becomes infinite where there was none, and none
/// where this one is taken away.
void replace_bounds(ContactProblem& problem, Vector ContactProblem::*side,
                    Vector ContactProblem::*other, double without_bound, Vector value) {
  ContactProblem changed = problem;
  if (value.empty() || (changed.*other).empty())
    (changed.*other).assign(value.size(), without_bound);
  changed.*side = std::move(value);
  validate(changed);
  problem = std::move(changed);
}

std::string model_name(const ContactProblem& problem) {
  constexpr const char* names[] = {"local", "global", "rigid"};
  return names[problem.model.index()];
}

using ProblemClass = py::class_<ContactProblem, ProblemHolder>;

void bind_constructors(ProblemClass& problem) {
  using py::arg;
  const auto none = py::none();
  problem.def_static(
      "from_local",
      [](const py::object& W, const Array& q, const Array& mu, int dimension, const py::object& V,
         const py::object& R, std::optional<Array> s, const py::object& U, Law law,
         FrictionSet friction, std::optional<Array> compliance, std::optional<Array> row_lower,
         std::optional<Array> row_upper, std::optional<Array> normal_estimate, std::string title,
         std::optional<Array> rolling, std::optional<Array> spinning) {
        LocalModel model{from_scipy(W, "W"), vector_from(q), from_scipy(V, "V"),
                         from_scipy(R, "R"), vector_from(s), from_scipy(U, "U")};
        return finished({mu, dimension, law, friction, compliance, row_lower, row_upper,
                         normal_estimate, std::move(title), rolling, spinning},
                        std::move(model));
      },
      arg("W"), arg("q"), arg("mu"), arg("dimension") = 3, py::kw_only(), arg("V") = none,
      arg("R") = none, arg("s") = none, arg("U") = none, arg("law") = "coulomb",
      arg("friction") = "cone", arg("compliance") = none, arg("row_lower") = none,
      arg("row_upper") = none, arg("normal_estimate") = none, arg("title") = "",
      arg("rolling") = none, arg("spinning") = none,
      "u = W r + V l + q, 0 = Vᵀ r + R l + s. Matrices are dense or sparse; impulses come contact "
      "by contact, normal first. dimension 1 is a linear complementarity problem; dimension 5 or 6 "
      "has rolling and spinning moments, whose lengths are given in rolling and spinning; "
      "dimension 3 with rolling is the plane with a rolling moment.");
  problem.def_static(
      "from_global",
      [](const py::object& M, const py::object& H, const Array& f, const Array& w, const Array& mu,
         int dimension, const py::object& G, std::optional<Array> b, Law law, FrictionSet friction,
         std::optional<Array> compliance, std::optional<Array> row_lower,
         std::optional<Array> row_upper, std::optional<Array> normal_estimate, std::string title,
         std::optional<Array> rolling, std::optional<Array> spinning) {
        GlobalModel model{from_scipy(M, "M"), from_scipy(H, "H"), vector_from(f),
                          vector_from(w),     from_scipy(G, "G"), vector_from(b)};
        return finished({mu, dimension, law, friction, compliance, row_lower, row_upper,
                         normal_estimate, std::move(title), rolling, spinning},
                        std::move(model));
      },
      arg("M"), arg("H"), arg("f"), arg("w"), arg("mu"), arg("dimension") = 3, py::kw_only(),
      arg("G") = none, arg("b") = none, arg("law") = "coulomb", arg("friction") = "cone",
      arg("compliance") = none, arg("row_lower") = none, arg("row_upper") = none,
      arg("normal_estimate") = none, arg("title") = "", arg("rolling") = none,
      arg("spinning") = none, "M v = H r + G l + f, u = Hᵀ v + w, 0 = Gᵀ v + b.");
  problem.def_static(
      "from_rigid",
      [](const Array& inverse_mass, const Array& free_velocity, const IndexArray& bodies,
         const Array& normals, const Array& tangents, const Array& arms_a, const Array& arms_b,
         const Array& w, const Array& mu, Law law, FrictionSet friction, std::string title,
         std::optional<Array> rolling, std::optional<Array> spinning) {
        const int dimension = rolling || spinning ? 6 : 3;
        return finished(
            {mu, dimension, law, friction, {}, {}, {}, {}, std::move(title), rolling, spinning},
            rigid_model(inverse_mass, free_velocity, bodies, normals, tangents, arms_a, arms_b, w));
      },
      arg("inverse_mass"), arg("free_velocity"), arg("bodies"), arg("normals"), arg("tangents"),
      arg("arms_a"), arg("arms_b"), arg("w"), arg("mu"), py::kw_only(), arg("law") = "coulomb",
      arg("friction") = "cone", arg("title") = "", arg("rolling") = none, arg("spinning") = none,
      "Rigid bodies: a row (1/mass, inverse inertia xx, xy, xz, yy, yz, zz) and six velocities per "
      "body; two bodies (-1: the world), frame, arms and free velocity w per contact. With the "
      "lengths of rolling "
      "and spinning friction, w has six entries per contact.");
  problem.def_static("load", &load, arg("path"), arg("law") = none, arg("friction") = none,
                     arg("mu") = none,
                     "Reads an FCLIB file (HDF5) or a Siconos LCP, MLCP or rolling text file; law, "
                     "friction and mu replace what it says.");
  problem.def("save", &save, arg("path"), arg("solution") = none,
              "Writes an FCLIB file, with the answer of a solve if given.");
}

template <auto member>
void bind_vector(ProblemClass& problem, const char* name, const char* doc) {
  problem.def_property(
      name, [](const ContactProblem& p) { return frozen_copy(p.*member); },
      [](ContactProblem& p, const Array& value) { replace(p, member, vector_from(value)); }, doc);
}

void bind_bounds(ProblemClass& problem) {
  constexpr double unbounded = std::numeric_limits<double>::infinity();
  problem.def_property(
      "row_lower", [](const ContactProblem& p) { return frozen_copy(p.row_lower); },
      [](ContactProblem& p, const Array& value) {
        replace_bounds(p, &ContactProblem::row_lower, &ContactProblem::row_upper, unbounded,
                       vector_from(value));
      },
      "Lower bounds of the multipliers, or empty; setting them alone leaves no upper bounds.");
  problem.def_property(
      "row_upper", [](const ContactProblem& p) { return frozen_copy(p.row_upper); },
      [](ContactProblem& p, const Array& value) {
        replace_bounds(p, &ContactProblem::row_upper, &ContactProblem::row_lower, -unbounded,
                       vector_from(value));
      },
      "Upper bounds of the multipliers, or empty; setting them alone leaves no lower bounds.");
}

void bind_content(ProblemClass& problem) {
  bind_vector<&ContactProblem::mu>(problem, "mu", "Friction coefficient of each contact.");
  bind_vector<&ContactProblem::rolling>(problem, "rolling",
                                        "Length of rolling friction of each contact, or empty.");
  bind_vector<&ContactProblem::spinning>(problem, "spinning",
                                         "Length of spinning friction of each contact, or empty.");
  bind_vector<&ContactProblem::compliance>(problem, "compliance",
                                           "Diagonal compliance E, or empty.");
  bind_vector<&ContactProblem::normal_estimate>(
      problem, "normal_estimate", "Normal impulses that bound friction in fixed-bound sets.");
  bind_bounds(problem);
  problem.def_readwrite("law", &ContactProblem::law, "\"coulomb\" or \"associated\".");
  problem.def_property(
      "friction", [](const ContactProblem& p) { return p.friction; },
      [](ContactProblem& p, FrictionSet set) {
        ContactProblem changed = p;
        changed.friction = set;
        changed.normal_estimate =
            has_fixed_bound(set.kind) ? estimate_normal_impulses(p) : Vector{};
        validate(changed);
        p = std::move(changed);
      },
      "\"none\", \"box\", \"pyramid\", \"prism:m\", \"polyhedron:m\", \"cylinder\" or \"cone\"; "
      "\"rolling\" with moments.");
  problem.def_readwrite("title", &ContactProblem::title, "For people.");
  problem.def_readwrite("description", &ContactProblem::description, "For people.");
  problem.def_readonly("dimension", &ContactProblem::dimension,
                       "3, 2, or 1 for an LCP; with moments 5 or 6, or 3 in the plane.");
  problem.def_property_readonly("contacts", &ContactProblem::contacts, "Number of contacts.");
  problem.def_property_readonly("equalities", &ContactProblem::equalities,
                                "Number of equality rows.");
  problem.def_property_readonly("size", &ContactProblem::size, "Length of x = (r, l).");
  problem.def_property_readonly("dofs", &ContactProblem::dofs, "Length of v; 0 for a local model.");
  problem.def_property_readonly("model", &model_name, "\"local\", \"global\" or \"rigid\".");
}

/// The arrays of a model by the names of the constructors.
py::dict arrays_of(const ContactProblem& problem) {
  py::dict result;
  if (const auto* local = std::get_if<LocalModel>(&problem.model)) {
    result["W"] = to_scipy(local->W);
    result["q"] = frozen_copy(local->q);
    if (problem.equalities() == 0) return result;
    result["V"] = to_scipy(local->V);
    result["R"] = to_scipy(local->R);
    result["s"] = frozen_copy(local->s);
    return result;
  }
  const GlobalModel model = to_global(problem);
  result["M"] = to_scipy(model.M);
  result["H"] = to_scipy(model.H);
  result["f"] = frozen_copy(model.f);
  result["w"] = frozen_copy(model.w);
  if (problem.equalities() == 0) return result;
  result["G"] = to_scipy(model.G);
  result["b"] = frozen_copy(model.b);
  return result;
}

void bind_algebra(ProblemClass& problem) {
  problem.def("arrays", &arrays_of,
              "The model's matrices (SciPy) and vectors by name: W, q, V, R, s of a local problem; "
              "M, H, f, w, G, b of the others.");
  problem.def(
      "delassus", [](const ContactProblem& p) { return to_scipy(make_operator(p)->matrix()); },
      "N as a sparse matrix. It fills up where many contacts share a body.");
  problem.def(
      "free_velocity",
      [](const ContactProblem& p) { return frozen_copy(make_operator(p)->free_velocity()); },
      "q̄, the velocity at zero impulses.");
  problem.def(
      "judge",
      [](const ContactProblem& p, const Array& x) {
        return judge(p, *make_operator(p), span_of(x, p.size(), "x"));
      },
      py::arg("x"), "The quality of impulses and multipliers x = (r, l).");
  problem.def("__repr__", [](const ContactProblem& p) {
    return fmt::format(
        "<talus.ContactProblem {}: {} contacts in {}D, {} equality rows, {} law, {}>",
        model_name(p), p.contacts(), p.dimension, p.equalities(), to_string(p.law),
        to_string(p.friction));
  });
}

} // namespace

void bind_problem(py::module_& m) {
  ProblemClass problem(m, "ContactProblem",
                       "K ∋ r ⊥ û ∈ K*: what a file holds, what a time step builds, what every "
                       "solver solves. Make one with from_local, from_global, from_rigid or load.");
  bind_constructors(problem);
  bind_content(problem);
  bind_algebra(problem);
}

} // namespace talus::python
