#include "talus/solve/registry.h"

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"

namespace talus {

using Factory = std::unique_ptr<Solver>();

// Defined in the solver's own file.
Factory make_jacobi, make_pgs, make_nsgs, make_apgd, make_pgd, make_spg;
Factory make_bgs, make_nlgs, make_cpg, make_enumeration, make_amg;
Factory make_gpminres, make_gpminres_p, make_kucera, make_bb, make_nncg, make_ansgs, make_admm;
Factory make_newton, make_prox_newton, make_hybrid_newton;
Factory make_lemke, make_keller, make_path, make_p1, make_p1_p2;
Factory make_conic_ip, make_pdip, make_coulomb_ip, make_coulomb_apgd;
Factory make_ip_newton, make_fold_ip, make_auto;

namespace {

struct Entry {
  std::string_view name;
  Factory* make;
};

constexpr Entry catalogue[] = {
    {"auto", make_auto},
    {"jacobi", make_jacobi},
    {"pgs", make_pgs},
    {"nsgs", make_nsgs},
    {"apgd", make_apgd},
    {"pgd", make_pgd},
    {"spg", make_spg},
    {"bgs", make_bgs},
    {"nlgs", make_nlgs},
    {"cpg", make_cpg},
    {"enumeration", make_enumeration},
    {"amg", make_amg},
    {"gpminres", make_gpminres},
    {"gpminres-p", make_gpminres_p},
    {"kucera", make_kucera},
    {"bb", make_bb},
    {"nncg", make_nncg},
    {"ansgs", make_ansgs},
    {"admm", make_admm},
    {"newton", make_newton},
    {"prox-newton", make_prox_newton},
    {"hybrid-newton", make_hybrid_newton},
    {"lemke", make_lemke},
    {"keller", make_keller},
    {"path", make_path},
    {"p1", make_p1},
    {"p1-p2", make_p1_p2},
    {"conic-ip", make_conic_ip},
    {"pdip", make_pdip},
    {"coulomb-ip", make_coulomb_ip},
    {"ip-newton", make_ip_newton},
    {"fold-ip", make_fold_ip},
    {"coulomb-apgd", make_coulomb_apgd},
};

} // namespace

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue) names.emplace_back(entry.name);
  return names;
}

std::string solvers_over_ranks() {
  std::string names;
  for (const Entry& entry : catalogue)
    if (entry.make()->info().over_ranks)
      names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

std::unique_ptr<Solver> make_solver(std::string_view name) {
  for (const Entry& entry : catalogue)
    if (entry.name == name) return entry.make();
  throw InvalidArgument("unknown solver " + unknown_name(name, solver_names()));
}

} // namespace talus
