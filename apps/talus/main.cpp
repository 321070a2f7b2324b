// talus: the command line.

#include "program.h"

int main(int argc, char** argv) {
  using namespace talus::cli;
  constexpr RegisterCommand commands[] = {
      register_solve,  register_compare, register_solvers,       register_info,
      register_run,    register_scenes,  register_sweep,         register_keys,
      register_import, register_export,  register_hash,          register_view,
      register_render, register_play,    register_reproduce_call};
  return run_program(argc, argv, commands);
}
