#pragma once
// All experiments, paper by paper.

#include "experiment.h"

#include <span>

namespace talus::experiments {

/// In the order of the page: the papers' own, then the open questions.
std::span<const Experiment> catalogue();

/// The experiments that a list of names means: a whole name, or a paper ("heyn2013") for all of
/// its experiments. No names: all. In catalogue order. Throws InvalidArgument that lists the known
/// ones.
std::vector<Experiment> chosen(const std::vector<std::string>& names);

struct Paper {
  std::string_view key, title;
};
/// What experiments belong to: the papers in the order of the page, and "beyond" at the end.
std::span<const Paper> papers();

/// The part of a name before the first '-': its paper, or "beyond".
std::string paper_of(const std::string& name);

} // namespace talus::experiments
