#pragma once
// Keeps libraries under a factorisation to one thread while an object of this class lives.
//
// CHOLMOD calls a BLAS and OpenMP, which may start a thread per core for blocks of a few dozen
// rows: most of the processor time then goes into threads that wait for each other, and OpenBLAS
// rounds differently for every number of them. Talus' own threads (parallel.h) are the ones that
// count. OpenMP is limited in the calling thread only; OpenBLAS knows one number for the whole
// process, which comes back when the last object is gone. Where neither library is loaded, nothing
// happens.

namespace talus {

class SerialBlas {
public:
  SerialBlas();
  ~SerialBlas();
  SerialBlas(const SerialBlas&) = delete;
  SerialBlas& operator=(const SerialBlas&) = delete;

private:
  int openmp_levels_ = 0;
};

} // namespace talus
