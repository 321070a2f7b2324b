#include "petsc_system.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <petscksp.h>

namespace talus::mpi {
namespace {

constexpr const char* prefix = "talus_";
constexpr PetscInt most_iterations = 2000, restart = 100;
/// More room than MUMPS asks for, in percent: its guess is short where pivots wait.
constexpr PetscInt more_room = 60;
/// Relative residual beyond which rounding ends Krylov's method anyway.
constexpr PetscReal least_residual = 1e-14;
/// For systems in space: couplings weaker than this share of the strongest are left out.
constexpr const char* strong_coupling = "0.5";

/// A PETSc object that is destroyed with its owner.
template <class Object, PetscErrorCode (*destroy)(Object*)>
class Owned {
public:
  Owned() = default;
  ~Owned() { destroy(&object_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Object* out() { return &object_; }
  operator Object() const { return object_; }

private:
  Object object_ = nullptr;
};

class PetscSystem : public BlockSystem {
public:
  PetscSystem(const BlockSystemPlan& plan, MPI_Comm communicator)
      : communicator_(communicator), width_(plan.bodies.width) {
    number_bodies(plan.bodies);
    make_matrix(plan);
    make_vectors();
    if (!plan.slow_modes.empty()) set_slow_modes(plan);
    make_solver(plan);
  }

  bool factorise(ConstSpan blocks) override {
    check(MatSetValuesCOO(matrix_, blocks.data(), INSERT_VALUES));
    check(KSPSetOperators(solver_, matrix_, matrix_));
    check(VecSet(answer_, 0));
    check(KSPSetUp(solver_));
    PC preconditioner = nullptr;
    check(KSPGetPC(solver_, &preconditioner));
    PCFailedReason reason = PC_NOERROR;
    check(PCGetFailedReason(preconditioner, &reason));
    const bool good = all_agree(reason == PC_NOERROR);
    if (!good && !iterates_) forget_factor(preconditioner);
    return good;
  }

  bool solve(ConstSpan b, double tolerance, Span x) override {
    to_part(b);
    check(VecSet(right_, 0));
    check(VecScatterBegin(copy_, part_, right_, ADD_VALUES, SCATTER_REVERSE));
    check(VecScatterEnd(copy_, part_, right_, ADD_VALUES, SCATTER_REVERSE));
    if (iterates_)
      check(KSPSetTolerances(solver_, least_residual, std::max(tolerance, 1e-300), PETSC_DEFAULT,
                             most_iterations));
    check(KSPSolve(solver_, right_, answer_));
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    PetscInt iterations = 0;
    PetscReal size = 0;
    check(KSPGetConvergedReason(solver_, &reason));
    check(KSPGetIterationNumber(solver_, &iterations));
    check(VecNorm(answer_, NORM_2, &size));
    if (iterates_) iterations_ += iterations;
    if (!all_agree(std::isfinite(size))) return false;
    check(VecScatterBegin(copy_, answer_, part_, INSERT_VALUES, SCATTER_FORWARD));
    check(VecScatterEnd(copy_, answer_, part_, INSERT_VALUES, SCATTER_FORWARD));
    from_part(x);
    return all_agree(reason > 0);
  }

  long iterations() const override { return iterations_; }

private:
  void number_bodies(const BodyNumbers& bodies) {
    std::int64_t own = bodies.own, all = 0;
    check_mpi(MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_SUM, communicator_));
    if (all > PETSC_MAX_INT / width_)
      throw InvalidProblem(fmt::format("{} bodies; linear systems over ranks have at most {}", all,
                                       PETSC_MAX_INT / width_));
    own_ = static_cast<PetscInt>(own);
    for (std::size_t body = 0; body < bodies.number.size(); ++body) {
      numbers_.push_back(static_cast<PetscInt>(bodies.number[body]));
      if (bodies.number[body] >= 0) here_.push_back(body);
    }
  }

  /// A matrix of rows of bodies, each block entry by entry: the form that all engines read.
  void make_matrix(const BlockSystemPlan& plan) {
    std::vector<PetscInt> rows, columns;
    rows.reserve(plan.pattern.size() * width_ * width_);
    columns.reserve(rows.capacity());
    for (const auto& [row, column] : plan.pattern)
      for (PetscInt i = 0; i < width_; ++i)
        for (PetscInt j = 0; j < width_; ++j) {
          rows.push_back(width_ * numbers_[row] + i);
          columns.push_back(width_ * numbers_[column] + j);
        }
    check(MatCreate(communicator_, matrix_.out()));
    check(MatSetSizes(matrix_, width_ * own_, width_ * own_, PETSC_DETERMINE, PETSC_DETERMINE));
    check(MatSetBlockSize(matrix_, width_));
    check(MatSetType(matrix_, MATAIJ));
    check(MatSetPreallocationCOO(matrix_, static_cast<PetscCount>(rows.size()), rows.data(),
                                 columns.data()));
    if (plan.symmetric) {
      check(MatSetOption(matrix_, MAT_SYMMETRIC, PETSC_TRUE));
      check(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE));
      check(MatSetOption(matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
      check(MatSetOption(matrix_, MAT_SPD_ETERNAL, PETSC_TRUE));
    }
  }

  void make_vectors() {
    check(MatCreateVecs(matrix_, answer_.out(), right_.out()));
    std::vector<PetscInt> blocks;
    for (const std::size_t body : here_) blocks.push_back(numbers_[body]);
    const auto count = static_cast<PetscInt>(blocks.size());
    check(VecCreateSeq(PETSC_COMM_SELF, width_ * count, part_.out()));
    Owned<IS, ISDestroy> from;
    check(ISCreateBlock(PETSC_COMM_SELF, width_, count, blocks.data(), PETSC_COPY_VALUES,
                        from.out()));
    check(VecScatterCreate(answer_, from, part_, nullptr, copy_.out()));
  }

  void set_slow_modes(const BlockSystemPlan& plan) {
    std::vector<Vec> modes(plan.slow_modes.size(), nullptr);
    for (std::size_t k = 0; k < modes.size(); ++k) {
      check(VecDuplicate(answer_, &modes[k]));
      double* values = nullptr;
      check(VecGetArray(modes[k], &values));
      PetscInt first = 0;
      check(VecGetOwnershipRange(modes[k], &first, nullptr));
      for (const std::size_t body : here_)
        if (plan.bodies.is_own[body])
          std::copy_n(&plan.slow_modes[k][width_ * body], width_,
                      &values[width_ * numbers_[body] - first]);
      check(VecRestoreArray(modes[k], &values));
    }
    orthonormalise(modes);
    Owned<MatNullSpace, MatNullSpaceDestroy> space;
    check(MatNullSpaceCreate(communicator_, PETSC_FALSE, static_cast<PetscInt>(modes.size()),
                             modes.data(), space.out()));
    check(MatSetNearNullSpace(matrix_, space));
    for (Vec& mode : modes) check(VecDestroy(&mode));
  }

  /// Modes of no length, and those that follow from others, are left out.
  static void orthonormalise(std::vector<Vec>& modes) {
    constexpr PetscReal negligible = 1e-8;
    std::vector<Vec> kept;
    for (Vec mode : modes) {
      PetscReal before = 0, after = 0;
      check(VecNorm(mode, NORM_2, &before));
      for (int pass = 0; pass < 2; ++pass)
        for (Vec other : kept) {
          PetscScalar part = 0;
          check(VecDot(mode, other, &part));
          check(VecAXPY(mode, -part, other));
        }
      check(VecNorm(mode, NORM_2, &after));
      if (after > negligible * before) {
        check(VecScale(mode, 1 / after));
        kept.push_back(mode);
      } else {
        check(VecDestroy(&mode));
      }
    }
    modes = std::move(kept);
  }

  void make_solver(const BlockSystemPlan& plan) {
    check(KSPCreate(communicator_, solver_.out()));
    check(KSPSetOptionsPrefix(solver_, prefix));
    check(KSPSetOperators(solver_, matrix_, matrix_));
    check(KSPSetErrorIfNotConverged(solver_, PETSC_FALSE));
    PC preconditioner = nullptr;
    check(KSPGetPC(solver_, &preconditioner));
    iterates_ = plan.engine != LinearEngine::mumps;
    if (iterates_)
      set_krylov(plan, preconditioner);
    else
      set_factorisation(plan, preconditioner);
    check(KSPSetFromOptions(solver_));
  }

  void set_factorisation(const BlockSystemPlan& plan, PC preconditioner) {
    check(KSPSetType(solver_, KSPPREONLY));
    check(PCSetType(preconditioner, plan.symmetric ? PCCHOLESKY : PCLU));
    check(PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS));
    prepare_factor(preconditioner);
  }

  static void prepare_factor(PC preconditioner) {
    check(PCFactorSetUpMatSolverType(preconditioner));
    Mat factor = nullptr;
    check(PCFactorGetMatrix(preconditioner, &factor));
    constexpr PetscInt room_option = 14;
    check(MatMumpsSetIcntl(factor, room_option, more_room));
  }

  /// MUMPS does not factorise again with what a failed factorisation left.
  void forget_factor(PC preconditioner) {
    check(KSPReset(solver_));
    check(KSPSetOperators(solver_, matrix_, matrix_));
    prepare_factor(preconditioner);
  }

  void set_krylov(const BlockSystemPlan& plan, PC preconditioner) {
    // On several ranks BoomerAMG is not definite enough for conjugate gradients.
    const bool by_cg = plan.symmetric && plan.engine == LinearEngine::gamg;
    check(KSPSetType(solver_, by_cg ? KSPCG : KSPGMRES));
    if (!by_cg) {
      check(KSPGMRESSetRestart(solver_, restart));
      check(KSPSetPCSide(solver_, PC_RIGHT));
    }
    check(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED));
    check(KSPSetInitialGuessNonzero(solver_, PETSC_TRUE));
    if (plan.engine == LinearEngine::gamg) {
      check(PCSetType(preconditioner, PCGAMG));
      return;
    }
    check(PCSetType(preconditioner, PCHYPRE));
    check(PCHYPRESetType(preconditioner, "boomeramg"));
    set_default("-talus_pc_hypre_boomeramg_strong_threshold", strong_coupling);
    set_default("-talus_pc_hypre_boomeramg_nodal_coarsen", "1");
  }

  /// Unless the user has said something else.
  static void set_default(const char* option, const char* value) {
    PetscBool is_set = PETSC_FALSE;
    check(PetscOptionsHasName(nullptr, nullptr, option, &is_set));
    if (!is_set) check(PetscOptionsSetValue(nullptr, option, value));
  }

  bool all_agree(bool good) const {
    int all = good;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, communicator_));
    return all != 0;
  }

  void to_part(ConstSpan b) {
    double* values = nullptr;
    check(VecGetArray(part_, &values));
    for (std::size_t k = 0; k < here_.size(); ++k)
      std::copy_n(&b[width_ * here_[k]], width_, &values[width_ * k]);
    check(VecRestoreArray(part_, &values));
  }

  void from_part(Span x) const {
    const double* values = nullptr;
    std::ranges::fill(x, 0.0);
    check(VecGetArrayRead(part_, &values));
    for (std::size_t k = 0; k < here_.size(); ++k)
      std::copy_n(&values[width_ * k], width_, &x[width_ * here_[k]]);
    check(VecRestoreArrayRead(part_, &values));
  }

  MPI_Comm communicator_;
  PetscInt width_, own_ = 0;
  std::vector<PetscInt> numbers_; ///< Of each body here.
  std::vector<std::size_t> here_; ///< Bodies that have one.
  Owned<Mat, MatDestroy> matrix_;
  Owned<Vec, VecDestroy> answer_, right_, part_; ///< The last over the bodies here.
  Owned<VecScatter, VecScatterDestroy> copy_;
  Owned<KSP, KSPDestroy> solver_;
  bool iterates_ = false;
  long iterations_ = 0;
};

} // namespace

std::unique_ptr<BlockSystem> make_petsc_system(const BlockSystemPlan& plan, MPI_Comm communicator) {
  return std::make_unique<PetscSystem>(plan, communicator);
}

} // namespace talus::mpi
