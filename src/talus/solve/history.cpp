#include "talus/solve/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace talus {

std::string to_csv(const History& history) {
  std::string csv = "iteration,outer_iteration,products,seconds,error,objective,separated,boundary,"
                    "interior,active_set_changes,velocity_error,feasibility_mean,"
                    "feasibility_deviation,feasibility_largest,note\n";
  for (const IterationRecord& r : history.records) {
    std::string note = r.note;
    std::replace(note.begin(), note.end(), '"', '\'');
    fmt::format_to(std::back_inserter(csv),
                   "{},{},{},{:.9g},{:.17g},{:.17g},{},{},{},{},{},{:.9g},{:.9g},{:.9g},\"{}\"\n",
                   r.iteration, r.outer_iteration, r.products, r.seconds, r.error, r.objective,
                   r.separated, r.boundary, r.interior, r.active_set_changes,
                   r.velocity_error < 0 ? std::string() : fmt::format("{:.17g}", r.velocity_error),
                   r.feasibility.mean, r.feasibility.deviation, r.feasibility.largest, note);
  }
  return csv;
}

} // namespace talus
