#pragma once
// The findings of reproduced experiments as Markdown tables, paper by paper: what
// docs/reproduction.md is made of.

#include "reproduction.h"

namespace talus::cli {

/// One section per paper with the columns experiment, finding, published, measured, verdict and
/// note. Experiments without a report are left out.
std::string reproduction_summary(bool quick, const std::vector<Reproduced>& all);

} // namespace talus::cli
