// Nonsmooth Gauss-Seidel: contact by contact, each one-contact problem solved exactly (NSCD:
// Moreau, Jean 1999; the splitting family of preclik2009 sec. 3.1 with the whole contact as block).
//
// Both laws directly, every friction set. Converges linearly on well-posed problems, quickly at
// first and slower the longer the force chains. Coulomb's law can trap it in a cycle, which a lower
// relaxation breaks. Use it for small and middling problems, rough accuracy, and as the start of
// faster finishers.
// Cost: a sweep reads N once, about one product; with Anderson acceleration two. In a large problem
// of bodies all threads work, and the answer is the same for every number of them
// (sweep_partition.h). Over ranks contacts are visited by coloured cells (cell_sweeps.h).

#include "talus/solve/sweeps/contact_sweep.h"
#include "talus/solve/sweeps/sweep_solver.h"

#include <limits>

namespace talus {
namespace {

class Nsgs : public Solver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    options_.visit(visitor, "relaxation of each contact's update; above 1 it may not converge");
    visitor.visit("adapt", adapt_, "lower omega when the error stops falling");
  }

  std::string refuses(const ScaledProblem& problem) const override {
    return problem.division() && options_.anderson_memory > 0
               ? "problems divided over ranks with Anderson acceleration"
               : "";
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    sweep_.prepare(problem, options_.omega);
    Relaxation relaxation{options_.omega};
    options_.run(sweep_, problem, z, monitor, [&](double error) {
      if (!adapt_ || !relaxation.lower_after(error)) return;
      sweep_.relax(relaxation.omega);
      monitor.note("relaxation lowered");
    });
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

  SolverInfo info_ = {.name = "nsgs",
                      .summary = "Gauss-Seidel over contacts with exact local solves",
                      .paper = "preclik2009 sec. 3.1 (NSCD: Moreau 1988, Jean 1999)",
                      .friction = AdmittedSets::every(),
                      .coulomb = "direct",
                      .products_per_iteration = "1",
                      .over_ranks = true};
  SweepOptions options_;
  ContactSweep sweep_;
  bool adapt_ = true;
};

} // namespace

std::unique_ptr<Solver> make_nsgs() {
  return std::make_unique<Nsgs>();
}

} // namespace talus
