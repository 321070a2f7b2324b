#include "talus/solve/auto/facts.h"

#include "talus/problem/scaled/contact_sum.h"
#include "talus/solve/central_path/central_path_newton.h"
#include "talus/solve/newton/newton_system.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus {
namespace {

constexpr Index tiny_contacts = 8;
constexpr Index conjugate_contacts = 300;
constexpr Index small_blocks = 2000;
/// A step along the path through its folds takes three factorisations.
constexpr Index foldable_blocks = 5000;
/// Up to here Newton's method is tried before operator splitting, which takes two or three
/// factorisations and some sixty iterations.
constexpr long cheap_factorisation = 13;
constexpr double rough_tolerance = 1e-4;
/// Where contacts yield Newton's matrix is regular, and a few wrong states are put right.
constexpr double near_error = 2e-3;

constexpr FactName names[] = {
    {Fact::warm, "warm"},
    {Fact::tiny, "tiny"},
    {Fact::small, "small"},
    {Fact::dense, "dense"},
    {Fact::factorisable, "factorisable"},
    {Fact::cheap, "cheap"},
    {Fact::pile, "pile"},
    {Fact::foldable, "foldable"},
    {Fact::rough, "rough"},
    {Fact::stack, "stack"},
    {Fact::close, "close"},
    {Fact::tilted, "tilted"},
    {Fact::yielding, "yielding"},
    {Fact::near, "near"},
    {Fact::few, "few"},
    {Fact::moments, "moments"},
    {Fact::divided, "divided"},
};

/// Two or more contacts, on average, between bodies that touch. Sweeps go through them in some
/// order and leave a tower that should stand with an error that sets it rocking.
bool is_stack(const ScaledProblem& problem) {
  const auto* rigid = std::get_if<RigidModel>(&problem.problem().model);
  if (!rigid) return false;
  const std::vector<BodyPair>& pairs = rigid->contact_bodies;
  std::int64_t first_of_pair = 0;
  for (std::size_t c = 0; c < pairs.size(); ++c)
    first_of_pair += c == 0 || pairs[c].a != pairs[c - 1].a || pairs[c].b != pairs[c - 1].b;
  // The contacts of two bodies are on one rank.
  if (const Division* division = problem.division())
    first_of_pair = division->ranks->sum(first_of_pair);
  return all_contacts(problem) >= 2 * first_of_pair;
}

/// A rank without contacts has no compliance either.
bool is_yielding(const ScaledProblem& problem) {
  const bool here = !problem.problem().compliance.empty();
  return problem.division() ? problem.division()->ranks->any(here) : here;
}

double close_error() {
  return NewtonFinish().error;
}

} // namespace

unsigned facts_of(const ScaledProblem& problem, double tolerance, bool warm,
                  const SizeLimits& limits) {
  const CostModel cost(problem);
  const bool rough = tolerance >= rough_tolerance;
  // A path takes as many factorisations for rough answers as for exact ones.
  const Index most = rough ? std::min(limits.pile, limits.factorisation) : limits.factorisation;
  // Over ranks nobody has the whole matrix.
  const bool factorisable = !problem.division() && cost.blocks() <= most;
  unsigned facts = 0;
  const auto set = [&facts](Fact fact, bool holds) {
    if (holds) facts |= static_cast<unsigned>(fact);
  };
  set(Fact::warm, warm);
  set(Fact::tiny, all_contacts(problem) <= tiny_contacts);
  set(Fact::few, all_contacts(problem) <= conjugate_contacts);
  set(Fact::small, factorisable && cost.blocks() <= small_blocks);
  set(Fact::dense, all_entries(problem) <= NewtonSystem::default_dense_limit);
  set(Fact::factorisable, factorisable);
  set(Fact::cheap, cost.factorisation() <= cheap_factorisation);
  set(Fact::pile, all_contacts(problem) > limits.pile || !factorisable);
  set(Fact::foldable, factorisable && cost.blocks() <= foldable_blocks);
  set(Fact::rough, rough);
  set(Fact::stack, is_stack(problem));
  set(Fact::tilted, problem.is_tilted());
  set(Fact::yielding, is_yielding(problem));
  set(Fact::divided, problem.division() != nullptr);
  set(Fact::moments, problem.problem().friction.kind == FrictionKind::rolling);
  return facts;
}

unsigned closeness(const Monitor& monitor) {
  unsigned facts = 0;
  if (monitor.best_error() <= close_error()) facts |= static_cast<unsigned>(Fact::close);
  if (monitor.best_error() <= near_error) facts |= static_cast<unsigned>(Fact::near);
  return facts;
}

std::span<const FactName> fact_names() {
  return names;
}

std::string meaning_of(Fact fact, const SizeLimits& limits) {
  switch (fact) {
  case Fact::warm:
    return "the start is not zero";
  case Fact::tiny:
    return fmt::format("at most {} contacts", tiny_contacts);
  case Fact::small:
    return fmt::format("factorisable, and at most {} contacts and rows", small_blocks);
  case Fact::dense:
    return fmt::format("at most {} unknowns", NewtonSystem::default_dense_limit);
  case Fact::factorisable:
    return fmt::format(
        "at most {} contacts and rows, {} where the answer is rough; never over ranks",
        limits.factorisation, std::min(limits.pile, limits.factorisation));
  case Fact::cheap:
    return fmt::format("F is at most {}", cheap_factorisation);
  case Fact::pile:
    return fmt::format("more than {} contacts, or not factorisable", limits.pile);
  case Fact::foldable:
    return fmt::format("factorisable, and at most {} contacts and rows", foldable_blocks);
  case Fact::rough:
    return fmt::format("the tolerance is at least {:g}", rough_tolerance);
  case Fact::stack:
    return "on average two or more contacts between bodies that touch";
  case Fact::close:
    return fmt::format("the error is at most {:g}", close_error());
  case Fact::near:
    return fmt::format("the error is at most {:g}", near_error);
  case Fact::few:
    return fmt::format("at most {} contacts", conjugate_contacts);
  case Fact::moments:
    return "contacts have rolling friction";
  case Fact::divided:
    return "over ranks";
  case Fact::tilted:
    return "Coulomb's law on a cone-shaped set";
  case Fact::yielding:
    return "contacts have a stiffness";
  }
  return "";
}

SweepKind sweeps_for(unsigned facts) {
  if (When(Fact::tiny).holds(facts)) return SweepKind::plain;
  return (Fact::few + !Fact::yielding).holds(facts) ? SweepKind::conjugate
                                                    : SweepKind::extrapolated;
}

std::string describe_sweeps() {
  return fmt::format("nsgs up to {} contacts, nncg up to {} that are rigid, ansgs beyond",
                     tiny_contacts, conjugate_contacts);
}

} // namespace talus
