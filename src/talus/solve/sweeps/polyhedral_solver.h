#pragma once
// What the solvers of polyhedral friction have in common: both laws, directly; every set but the
// round ones, and those too in the plane; joints.

#include "talus/solve/solver.h"

namespace talus {

inline SolverInfo polyhedral_info(std::string name, std::string summary, std::string paper,
                                  std::string products) {
  SolverInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.paper = std::move(paper);
  info.laws = {Law::associated, Law::coulomb};
  info.friction = {Section::interval, Section::square, Section::polygon};
  info.coulomb = "direct";
  info.products_per_iteration = std::move(products);
  return info;
}

} // namespace talus
