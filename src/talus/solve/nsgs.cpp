// Nonsmooth Gauss-Seidel: contact by contact, each one-contact problem solved exactly (NSCD:
// Moreau, Jean 1999; the splitting family of preclik2009 sec. 3.1 with the whole contact as block).
//
// Both laws directly, every friction set. Converges linearly on well-posed problems, quickly at
// first and slower the longer the force chains. Coulomb's law can trap it in a cycle, which a lower
// relaxation breaks. Use it for small and middling problems, rough accuracy, and as the start of
// faster finishers.
// Cost: a sweep reads N once, about one product; with Anderson acceleration two.

#include "talus/solve/accelerated_sweep.h"
#include "talus/solve/contact_sweep.h"

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
    visitor.visit("anderson_memory", anderson_memory_,
                  "iterations that Anderson acceleration looks back on; 0: none");
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    const auto order = static_cast<SweepOrder>(order_);
    ContactSweep sweep(problem, omega_);
    Relaxation relaxation{omega_};
    const auto adapt = [&](double error) {
      if (!adapt_ || !relaxation.lower_after(error)) return;
      sweep.relax(relaxation.omega);
      monitor.note("relaxation lowered");
    };
    SweepRows rows = problem.delassus().rows();
    std::visit(
        [&](auto& concrete) {
          if (anderson_memory_ <= 0)
            return run_sweeps(concrete, problem, z, monitor, order, sweep, adapt);
          AndersonSweep accelerated(problem, order, anderson_memory_, sweep);
          run_sweeps(concrete, problem, z, monitor, order, accelerated, adapt);
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

  SolverInfo info_;
  int order_ = 0, anderson_memory_ = 0;
  double omega_ = 1.0;
  bool adapt_ = true;
};

} // namespace

std::unique_ptr<Solver> make_nsgs() {
  return std::make_unique<Nsgs>();
}

} // namespace talus
