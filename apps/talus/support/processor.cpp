#include "support/processor.h"

#include <cstring>

namespace talus::cli {
namespace {

struct Extension {
  bool is_there;
  const char* name;
};

void append(char* text, std::size_t size, const char* more) {
  std::strncat(text, more, size - std::strlen(text) - 1);
}

} // namespace

Processor this_processor() {
  Processor processor;
#ifdef __x86_64__
  __builtin_cpu_init();
  processor.ssse3 = __builtin_cpu_supports("ssse3") != 0;
  processor.sse4_2 = __builtin_cpu_supports("sse4.2") != 0;
  processor.popcnt = __builtin_cpu_supports("popcnt") != 0;
  processor.avx2 = __builtin_cpu_supports("avx2") != 0;
  processor.fma = __builtin_cpu_supports("fma") != 0;
  processor.bmi = __builtin_cpu_supports("bmi") != 0;
  processor.bmi2 = __builtin_cpu_supports("bmi2") != 0;
#endif
  return processor;
}

void name_missing_instructions(const char* architecture, const Processor& processor, char* names,
                               std::size_t size) {
  const Extension extensions[] = {{processor.ssse3, "SSSE3"},   {processor.sse4_2, "SSE4.2"},
                                  {processor.popcnt, "POPCNT"}, {processor.avx2, "AVX2"},
                                  {processor.fma, "FMA"},       {processor.bmi, "BMI1"},
                                  {processor.bmi2, "BMI2"}};
  const int demanded = std::strcmp(architecture, "x86-64-v3") == 0   ? 7
                       : std::strcmp(architecture, "x86-64-v2") == 0 ? 3
                                                                     : 0;
  names[0] = '\0';
  for (int i = 0; i < demanded; ++i) {
    if (extensions[i].is_there) continue;
    if (names[0] != '\0') append(names, size, ", ");
    append(names, size, extensions[i].name);
  }
}

} // namespace talus::cli
