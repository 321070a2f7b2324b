#pragma once
// Linear systems over ranks by PETSc's KSP: a factorisation by MUMPS, or a Krylov method: conjugate
// gradients preconditioned by GAMG (GMRES where the matrix is not symmetric), or GMRES
// preconditioned by hypre's BoomerAMG. Options of PETSc with the prefix talus_ in the variable
// PETSC_OPTIONS have the last word, for instance PETSC_OPTIONS="-talus_ksp_monitor".

#include "petsc_check.h"
#include "talus/core/block_system.h"

#include <memory>

namespace talus::mpi {

std::unique_ptr<BlockSystem> make_petsc_system(const BlockSystemPlan& plan, MPI_Comm communicator);

} // namespace talus::mpi
