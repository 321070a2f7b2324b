// talus-reproduce: the experiments of the papers, a program of their own so that nobody who only
// simulates has to compile them. `talus reproduce` calls it.

#include "program.h"

int main(int argc, char** argv) {
  using namespace talus::cli;
  constexpr RegisterCommand commands[] = {register_reproduce};
  return run_program(argc, argv, commands);
}
