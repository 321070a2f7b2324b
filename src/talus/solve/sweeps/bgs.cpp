// Block Gauss-Seidel with total enumeration (preclik2009 sec. 3.1): contact by contact, the
// one-contact problem with bounds is solved exactly by trying the combinations of bound states.
//
// The splitting is that of nsgs, the local solver the paper's: box (18 combinations in space,
// unique answer) and pyramid with bounds that follow the normal impulse (10 combinations), which is
// Coulomb's law on the pyramid. The last answer's states are tried first, so a settled sweep solves
// one linear system per contact. Linear convergence for symmetric positive definite N on none and
// box (block coordinate descent of a convex problem); no theory for the pyramid, robust in
// practice. Use it where the componentwise pgs suffers from the coupling within contacts: bodies
// that are not spheres. Cost: a sweep reads N once, about one product.

#include "talus/contact/bounded_lcp.h"
#include "talus/solve/sweeps/contact_sweep.h"
#include "talus/solve/sweeps/sweep_solver.h"

#include <tbb/enumerable_thread_specific.h>

namespace talus {
namespace {

class EnumerationSweep {
public:
  EnumerationSweep(const ScaledProblem& problem, double omega)
      : problem_(problem), omega_(omega), states_(problem.size(), BoundState::at_lower) {
    blocks_.prepare(problem);
  }

  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) {
    constexpr std::size_t d = Rows::dimension;
    sweep_contacts(rows, problem_, blocks_, omega_, x, backward,
                   [&](Index c, const LocalContact& contact, const double* b, double* z) {
                     auto& [components, enumeration] = scratch_.local();
                     components.clear();
                     append_components(problem_.contact_set(c), 0, components);
                     enumeration.solve(contact.A, b, components, {&states_[d * c], d}, z);
                   });
  }

private:
  struct Scratch {
    std::vector<BoundedComponent> components;
    BoundEnumeration enumeration{3};
  };

  const ScaledProblem& problem_;
  double omega_;
  LocalBlocks blocks_;
  std::vector<BoundState> states_;
  tbb::enumerable_thread_specific<Scratch> scratch_;
};

} // namespace

std::unique_ptr<Solver> make_bgs() {
  return std::make_unique<SweepSolver<EnumerationSweep>>(
      SolverInfo{.name = "bgs",
                 .summary = "block Gauss-Seidel, contacts solved by total enumeration",
                 .paper = "preclik2009 sec. 3.1",
                 .laws = {Law::coulomb},
                 .friction = {Section::interval, Section::square},
                 .coulomb = "direct",
                 .products_per_iteration = "1"},
      "relaxation of each contact's update");
}

} // namespace talus
