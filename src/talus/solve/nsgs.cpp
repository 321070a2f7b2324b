// Nonsmooth Gauss-Seidel: contact by contact, each one-contact problem solved exactly (NSCD:
// Moreau, Jean 1999; the splitting family of preclik2009 sec. 3.1 with the whole contact as block).
//
// Both laws directly, every friction set. Converges linearly on well-posed problems, quickly at
// first and slower the longer the force chains. Coulomb's law can trap it in a cycle, which a lower
// relaxation breaks. Use it for small and middling problems, rough accuracy, and as the start of
// faster finishers.
// Cost: a sweep reads N once, about one product.

#include "talus/solve/local_contact.h"
#include "talus/solve/sweep.h"

#include <limits>

namespace talus {
namespace {

class Nsgs : public Solver {
public:
  Nsgs() {
    info_.name = "nsgs";
    info_.summary = "Gauss-Seidel over contacts with exact local solves";
    info_.paper = "preclik2009 sec. 3.1 (NSCD: Moreau 1988, Jean 1999)";
    info_.laws = {Law::associated, Law::coulomb};
    info_.friction = info_.friction_plane = {FrictionKind::none,       FrictionKind::box,
                                             FrictionKind::pyramid,    FrictionKind::prism,
                                             FrictionKind::polyhedron, FrictionKind::cylinder,
                                             FrictionKind::cone};
    info_.coulomb = "direct";
    info_.products_per_iteration = "1";
  }
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("sweep", order_, {"forward", "backward", "symmetric"}, "order of the contacts");
    visitor.visit("omega", omega_, "relaxation of each contact's update, in (0, 1]");
    visitor.visit("adapt", adapt_, "lower omega when the error stops falling");
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    const int d = problem.dimension();
    const DelassusOperator& n = problem.delassus();
    std::vector<LocalContact> contacts(problem.contacts());
    for (Index c = 0; c < problem.contacts(); ++c) {
      double scaled[9];
      for (int i = 0; i < d * d; ++i) scaled[i] = n.rho()[c] * n.diagonal()[d * d * c + i];
      contacts[c] = prepare_local_contact(scaled, d);
    }
    SweepRows rows = n.rows();
    Relaxation relaxation{omega_};
    std::visit(
        [&](auto& concrete) {
          run_sweeps(
              concrete, problem, z, monitor, static_cast<SweepOrder>(order_),
              [&](auto& r, Span x, bool backward) {
                sweep(r, problem, contacts, x, backward, relaxation.omega);
              },
              [&](double error) {
                if (adapt_ && relaxation.lower_after(error)) monitor.note("relaxation lowered");
              });
        },
        rows);
  }

private:
  /// Coulomb's law can trap undamped sweeps in a cycle; a smaller ω breaks it.
  struct Relaxation {
    double omega;
    double best = std::numeric_limits<double>::infinity();
    int idle = 0;

    bool lower_after(double error) {
      if (error < 0.95 * best) {
        best = error;
        idle = 0;
        return false;
      }
      if (++idle < 4 || omega <= 0.5) return false;
      omega *= 0.9;
      idle = 0;
      return true;
    }
  };

  template <class Rows>
  void sweep(Rows& rows, const ScaledProblem& problem, const std::vector<LocalContact>& contacts,
             Span x, bool backward, double omega) const {
    constexpr int d = Rows::dimension;
    const Law law = problem.problem().law;
    for_each_block(
        problem, backward,
        [&](Index c) {
          const double s = problem.scale()[c];
          const double* A = contacts[c].A;
          double b[d], old[d], z[d], dx[d];
          rows.velocity(c, b);
          for (int i = 0; i < d; ++i) z[i] = old[i] = x[d * c + i] / s;
          for (int i = 0; i < d; ++i) {
            b[i] *= s;
            for (int j = 0; j < d; ++j) b[i] -= A[d * i + j] * old[j];
          }
          solve_local_contact(contacts[c], problem.contact_set(c), law, b, z);
          bool moved = false;
          for (int i = 0; i < d; ++i) {
            dx[i] = omega * s * (z[i] - old[i]);
            moved |= dx[i] != 0;
          }
          if (!moved) return;
          rows.add(c, dx);
          for (int i = 0; i < d; ++i) x[d * c + i] += dx[i];
        },
        [&](Index j) { relax_row(rows, problem, x, j, omega); });
  }

  SolverInfo info_;
  int order_ = 0;
  double omega_ = 1.0;
  bool adapt_ = true;
};

} // namespace

std::unique_ptr<Solver> make_nsgs() {
  return std::make_unique<Nsgs>();
}

} // namespace talus
