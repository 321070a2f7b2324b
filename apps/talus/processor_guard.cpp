// Programs that link this file end with a sentence on processors that they were not compiled for,
// in place of "illegal instruction". Like support/processor.cpp it is compiled for every x86-64,
// and runs before all else: constructors of static objects may use new instructions, too.

#include "support/processor.h"

#include <cstring>
#include <unistd.h>

namespace talus::cli {
namespace {

void print_error(const char* text) {
  (void)!write(STDERR_FILENO, text, std::strlen(text));
}

[[gnu::constructor(101)]] void check_processor() {
  char missing[100];
  name_missing_instructions(TALUS_ARCH, this_processor(), missing, sizeof missing);
  if (missing[0] == '\0') return;
  print_error("talus: this processor lacks ");
  print_error(missing);
  print_error(", which this program was compiled for (" TALUS_ARCH
              "); the Debian packages of `./talus deb` and builds with -DTALUS_ARCH=x86-64 run on "
              "any x86-64\n");
  _exit(1);
}

} // namespace
} // namespace talus::cli
