#pragma once
// Errors of PETSc and MPI as exceptions.

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <petscsys.h>

namespace talus::mpi {

void check(PetscErrorCode code);
void check_mpi(int code);

} // namespace talus::mpi
