#pragma once
// What happened in each iteration, when the caller asks for it.

#include "talus/problem/scaled/complementarity.h"

#include <string>
#include <vector>

namespace talus {

struct IterationRecord {
  long iteration = 0;
  long outer_iteration = 0; ///< Of the Coulomb fixed point; 0 outside it.
  long products = 0;        ///< Products with N so far.
  double seconds = 0;       ///< Since the start, time spent on recording excluded.
  double error = 0;         ///< The measure that is being driven to the tolerance.
  double objective = 0;
  Index separated = 0;                   ///< Contacts with zero impulse.
  Index boundary = 0;                    ///< Contacts on the boundary of K (sliding).
  Index interior = 0;                    ///< Contacts strictly inside K (sticking).
  Index active_set_changes = 0;          ///< Contacts whose state changed since the last record.
  double velocity_error = -1;            ///< Against the reference velocity; -1 without one.
  ComplementarityStatistics feasibility; ///< Of impulse times velocity (heyn2013 fig. 9).
  std::string note;                      ///< Why a method switched or restarted.
};

struct History {
  std::vector<IterationRecord> records;
};

/// CSV with a header line, one record per line.
std::string to_csv(const History& history);

} // namespace talus
