#pragma once
// Whether a processor has the instructions that a program was compiled for. The code runs on every
// x86-64, so it calls nothing that the linker could take from code compiled for newer ones.

#include <cstddef>

namespace talus::cli {

/// What a processor offers of the extensions that the levels x86-64-v2 and x86-64-v3 demand. Those
/// not listed came with one of these.
struct Processor {
  bool ssse3 = false, sse4_2 = false, popcnt = false;        ///< x86-64-v2
  bool avx2 = false, fma = false, bmi = false, bmi2 = false; ///< x86-64-v3
};

/// That of this machine.
Processor this_processor();

/// Writes the names of what `-march=architecture` demands and the processor has not, e.g.
/// "AVX2, FMA". Empty where nothing is missing and for architectures that are no such level.
void name_missing_instructions(const char* architecture, const Processor& processor, char* names,
                               std::size_t size);

} // namespace talus::cli
