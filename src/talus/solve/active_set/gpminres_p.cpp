// GPMINRES-P: GPMINRES whose MINRES subproblem is preconditioned (heyn2013 sec. 4). `full` is the
// paper's perturbed factorisation of the free block; `blocks` and `incomplete` cost less.
//
// Fewer MINRES steps per free set, each dearer, and a factorisation per change of the free set:
// what is gained depends on how often the set changes. Class and convergence are those of gpminres
// (gpminres.h). Use it for small problems with unequal masses. Cost: as gpminres, and a solve with
// the factors per MINRES step.

#include "talus/solve/active_set/free_preconditioner.h"
#include "talus/solve/active_set/gpminres.h"

namespace talus {
namespace {

class GpMinresP : public GpMinres {
public:
  GpMinresP() : GpMinres("gpminres-p", "GPMINRES with a preconditioned subproblem") {
    krylov_steps_ = 5;
  }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("preconditioner", kind_, {"blocks", "incomplete", "full"},
                  "of the free block: its diagonal blocks, incomplete Cholesky, or LDLᵀ");
    visitor.visit(
        "perturbation", perturbation_, Range::at_least(0),
        "raises the diagonal of the free block, whose mean is 1, before it is factorised");
    GpMinres::visit_options(visitor);
  }

protected:
  void prepare(const ScaledProblem& problem) override {
    preconditioner_ = std::make_unique<FreePreconditioner>(
        problem, static_cast<FreePreconditioner::Kind>(kind_), perturbation_);
  }
  void prepare_preconditioner(const FreeSet& free) override { preconditioner_->prepare(free); }
  void precondition(ConstSpan x, Span y) const override { preconditioner_->apply(x, y); }

private:
  int kind_ = 2;
  double perturbation_ = 1e-2;
  std::unique_ptr<FreePreconditioner> preconditioner_;
};

} // namespace

std::unique_ptr<Solver> make_gpminres_p() {
  return std::make_unique<GpMinresP>();
}

} // namespace talus
