#include "talus/solve/auto/stages.h"

#include "talus/solve/auto/methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace talus {
namespace {

using enum Fact;
using enum Part;
using enum Start;

constexpr Amount products(long count) {
  return {.plus = count};
}
/// So many times the price of a factorisation.
constexpr Amount prices(double count, long least = 0) {
  return {.prices = count, .least = least};
}
/// So many products, however slow.
constexpr StageLimits up_to(Amount most) {
  return {.products = most};
}
/// As long as the tolerance is in sight.
constexpr StageLimits trial(Amount after, Amount horizon) {
  return {.trial = after, .horizon = horizon};
}
constexpr StageLimits trial_up_to(Amount most, Amount after, Amount horizon) {
  return {.products = most, .trial = after, .horizon = horizon};
}

/// Of Newton's way from zero.
constexpr Amount newton_from_zero{.work = 300'000};
constexpr Amount of_a_round{.plus = 500, .prices = 8};
constexpr Amount of_a_convex_round{.plus = 4 * 500, .prices = 4 * 8};

constexpr Stage list[] = {
    // Rough answers to stacks, then warm starts.
    {quick, "apgd", "", rough + stack + !yielding + !tiny, best,
     trial(products(500), products(2000)),
     "gradients keep the symmetry of a stack, sweeps would set it rocking"},
    {quick, "apgd", "", rough + stack + yielding + few + !tiny, best,
     trial(products(500), products(2000)),
     "the same; heaps of boxes that yield are left to sweeps"},
    {quick, method::sweeps, "", warm + small + !yielding + !tiny, best,
     trial(products(24), prices(1, 24)), "a pile close to its answer takes a few sweeps"},
    {quick, method::sweeps, "", warm + small + yielding + stack + !tiny, best,
     trial(products(8), prices(0.5, 16)), "structures at rest take a few sweeps or Newton steps"},
    {quick, method::newton_steps, "", warm + small + yielding + stack + near + !tiny, best,
     up_to(prices(6)), "the states of their contacts are those of the last step"},
    {quick, method::sweeps, "", warm + small + yielding + stack + !tiny, best,
     trial(products(24), prices(4, 24)), "where contacts yield sweeps keep their rate"},
    {quick, method::sweeps, "", warm + factorisable + yielding + !stack + !tiny, best,
     trial(products(300), products(800)), "where contacts yield a plateau mostly ends"},
    {quick, method::sweeps, "", warm + !small + !yielding + !tiny, best,
     trial(products(60), products(400)), "factors of larger problems cost more"},
    {quick, method::sweeps, "", warm + !small + yielding + stack + !tiny, best,
     trial(products(300), products(2000)), "the same; gradients are slower"},
    {quick, method::sweeps, "", warm + !factorisable + yielding + !stack + !tiny, best,
     trial(products(300), products(2000)), "the same"},
    {quick, "newton", "", warm + small + yielding + stack + !tiny, given, up_to(products(110)),
     "on faces the states of many contacts change; sweeps would spoil what the last step knew"},
    {quick, "prox-newton", "shrink=0.7 grow=2", warm + small + yielding + stack + !tiny, best,
     up_to(products(120)), "shorter steps, where those are too long"},
    {quick, method::sweeps, "", warm + factorisable + yielding + !stack + !tiny, zero,
     trial_up_to(products(1500), products(300), products(800)),
     "from nothing they often find a way where the impulses of the last step mislead"},
    {quick, method::sweeps, "", warm + divided + yielding + !stack + !tiny, zero,
     trial_up_to(products(1500), products(300), products(800)), "the same"},
    {quick, method::regions, "", warm + factorisable + yielding + !stack + !tiny, best,
     up_to(products(1000)), "where sweeps go round in circles few contacts hold the residual"},
    {quick, method::newton_steps, "", small + yielding + near + !stack + !tiny, best,
     up_to(products(30)), "few states are left open"},
    {quick, method::newton_steps, "", factorisable + !small + yielding + near + !tiny, best,
     up_to(products(6)), "the same; factors of larger problems cost more"},
    {quick, "ansgs", "momentum=0.9", warm + factorisable + yielding + !moments + !tiny, zero,
     up_to(products(2500)), "errors rise and fall with more momentum, and in the end fall"},
    {quick, "ansgs", "momentum=0.9", warm + divided + yielding + !stack + !moments + !tiny, zero,
     up_to(products(2500)), "the same"},
    {quick, method::gradients, "", warm + small + close + !yielding + !tiny, best,
     trial(products(60), products(60)),
     "at rest the softest motions of a stack are left, for which Newton steps are better"},
    {quick, method::gradients, "", warm + small + !close + !yielding + !tiny, best,
     trial(prices(2, 100), prices(16)), "on a stack sweeps crawl, gradients take some dozen steps"},
    {quick, method::gradients, "", warm + !small + !yielding + !tiny, best,
     trial(prices(2, 100), prices(16)), "the same"},
    // Cold starts, and warm ones that are no trial.
    {quick, method::sweeps, "", pile, best, trial(products(200), products(800)),
     "in large piles sweeps are quicker at first, gradients get farther"},
    {quick, method::first_order, "", small + !warm + !tiny, best,
     trial_up_to(prices(20), prices(0.5, 8), prices(6, 40)),
     "the trials that follow take some six factorisations"},
    {quick, method::first_order, "", dense + tiny + !warm, best,
     trial_up_to(prices(12), prices(1), prices(4)), "a path takes fifteen or more factorisations"},
    {quick, method::first_order, "", dense + tiny + warm, best,
     trial_up_to(prices(48), prices(4), prices(16)),
     "four times as long: the central path forgets a warm start"},
    {quick, method::first_order, "", factorisable + !dense + tiny + !warm, best,
     trial_up_to(prices(20), prices(2), prices(8)), "few contacts on a mechanism of many joints"},
    {quick, method::first_order, "", factorisable + !dense + tiny + warm, best,
     trial_up_to(prices(80), prices(8), prices(32)), "the same, four times as long"},
    {quick, method::first_order, "", factorisable + !small + !warm, best,
     trial_up_to(prices(20), prices(2), prices(8)),
     "a path takes fifteen or more factorisations, and may be blocked"},
    {quick, method::first_order, "", factorisable + !small + warm + !yielding, best,
     trial_up_to(prices(80), prices(8), prices(32)),
     "four times as long: the central path forgets a warm start"},
    {quick, method::sweeps, "", factorisable + !small + warm + yielding, best,
     trial_up_to(prices(80), prices(8), prices(32)), "the same; gradients are slower"},
    {quick, method::first_order, "", !factorisable, best, {}, "nothing else is worth its price"},
    {quick, "newton", "largest_regularisation=0 minimum_step=0", cheap + small + !warm + !tiny,
     best, trial_up_to(products(10), products(3), products(60)),
     "where sweeps have found what sticks, slides and separates, a few steps end it"},
    {quick, "newton", "", cheap + small + !warm + !tiny, zero,
     trial_up_to(products(60), products(30), products(40)),
     "otherwise it seldom gets away from there, and often does from nothing"},
    {quick, "admm", "", small + !warm + !tiny, zero,
     trial_up_to(products(150), products(45), products(60)),
     "suits blocks on blocks, or not at all, which shows soon"},

    {finish,
     method::newton_steps,
     "",
     factorisable + dense,
     best,
     {},
     "a dense factorisation costs next to nothing"},
    {finish,
     method::newton_steps,
     "",
     factorisable + close + !dense,
     best,
     {},
     "the states of the contacts are probably known"},
    {finish, "prox-newton", "shrink=0.7 grow=2", small + yielding + !stack, best,
     up_to(products(100)),
     "compliance keeps its matrices regular, and only loaded contacts are in them"},
    {finish, "ip-newton", "", factorisable + yielding, best, up_to(products(50)),
     "some 15 to 40 factorisations, whatever the size; forgets the start"},
    {finish, "ip-newton", "", factorisable + !yielding, best, up_to(products(300)), "the same"},
    {finish, method::contradiction, "", !yielding, best, up_to(products(1500)),
     "problems without a solution are worth no further effort"},
    {finish, method::sweeps, "", small + !dense + !rough, best,
     trial_up_to(prices(10), prices(2.5), prices(10)),
     "where the path is blocked, quick methods get another chance"},
    {finish, "fold-ip", "", small + !rough, best, up_to(products(2500)),
     "hundreds of factorisations, but on small islands they arrive sooner than patience does"},
    {finish, method::sweeps, "", factorisable + !dense, best,
     trial_up_to(prices(40), prices(10), prices(40)), "patience"},
    {finish, "apgd", "", factorisable + !dense, best,
     trial_up_to(prices(40), prices(10), prices(40)), "patience, with frozen tilts"},
    {finish, "fold-ip", "", foldable + !small + !rough, best, up_to(products(600)),
     "larger islands: as far as a few folds"},
    {finish, method::contradiction, "", yielding, best, up_to(products(1500)),
     "contacts that yield seldom contradict each other: joints or rigid contacts among them"},
    {finish, "coulomb-ip", "", tilted + small + !rough, zero, up_to(products(1500)),
     "takes several times as long as ip-newton and is blocked less often"},
    {finish, "fold-ip", "", foldable + !rough, best, {}, "all folds, to the end"},
    {finish,
     "fold-ip",
     "smoothing=1",
     foldable + !rough,
     best,
     {},
     "where a path is lost, one with another smoothing folds elsewhere"},
    {finish, "fold-ip", "smoothing=0.01", foldable + !rough, best, {}, "the same"},
    {finish, "prox-newton", "function=alart_curnier shrink=0.7 grow=2", small, zero,
     up_to(newton_from_zero),
     "follows the flat valleys of |F| that normals leave which disagree by rounding"},
    {finish, "prox-newton", "", small, zero, up_to(newton_from_zero),
     "Newton's own way to the solution from nothing"},

    {Part::round, "apgd", "", tilted, zero, up_to(of_a_convex_round),
     "frozen tilts, from nothing: the way that is caught least"},
    {Part::round, "hybrid-newton", "", small, best, up_to(of_a_round), ""},
    {Part::round, "spg", "", {}, best, up_to(of_a_round), ""},
    {Part::round, "admm", "", small, best, up_to(of_a_round), ""},
    {Part::round, "apgd", "", {}, best, up_to(of_a_round), ""},
    {Part::round, "nlgs", "", {}, best, up_to(of_a_round), ""},
    {Part::round, "newton", "", small, best, up_to(of_a_round), ""},
    {Part::round, "kucera", "", {}, best, up_to(of_a_round), ""},
    {Part::round, "pgs", "", {}, best, up_to(of_a_round), ""},
    {Part::round, "enumeration", "", {}, best, up_to(of_a_round), ""},
    {Part::round, "lemke", "", {}, best, up_to(of_a_round), ""},

    {last, "fold-ip", "", foldable + rough, best, {}, "rough answers are worth folds only now"},
    {last,
     "fold-ip",
     "smoothing=1",
     foldable + rough,
     best,
     {},
     "the same, with another smoothing"},
    {last, "fold-ip", "smoothing=0.01", foldable + rough, best, {}, "the same"},
};

std::string_view title_of(Part part) {
  switch (part) {
  case quick:
    return "First: quick methods, on the whole problem and on each island";
  case finish:
    return "Then, on each island that is not solved:";
  case Part::round:
    return "Then the rest of the catalogue, in rounds:";
  case last:
    return "At last:";
  }
  return "";
}

std::string words_of(const Amount& amount) {
  if (amount.work > 0) return fmt::format("{}/F", amount.work);
  std::string sum;
  if (amount.plus > 0 || amount.prices == 0) sum = fmt::format("{}", amount.plus);
  if (amount.prices > 0) sum += fmt::format("{}{:g}F", sum.empty() ? "" : " + ", amount.prices);
  return amount.least > 0 ? fmt::format("max({}, {})", amount.least, sum) : sum;
}

std::string words_of(const StageLimits& limits) {
  std::vector<std::string> words;
  if (limits.products.plus < Amount::unlimited)
    words.push_back(fmt::format("at most {}", words_of(limits.products)));
  if (limits.trial.plus < Amount::unlimited)
    words.push_back(fmt::format("after {} while {} more suffice", words_of(limits.trial),
                                words_of(limits.horizon)));
  return words.empty() ? "no limit" : fmt::format("{}", fmt::join(words, "; "));
}

std::string_view words_of(Start start) {
  return start == zero ? ", from zero" : start == given ? ", from where the solve began" : "";
}

std::string words_of(const When& when) {
  std::vector<std::string> words;
  for (const FactName& fact : fact_names()) {
    if (when.all & static_cast<unsigned>(fact.fact)) words.emplace_back(fact.name);
    if (when.none & static_cast<unsigned>(fact.fact))
      words.push_back(fmt::format("not {}", fact.name));
  }
  return words.empty() ? "always" : fmt::format("{}", fmt::join(words, ", "));
}

} // namespace

long Amount::of(long price) const {
  if (work > 0) return work / price;
  return std::max(least, plus + static_cast<long>(prices * static_cast<double>(price)));
}

PhaseLimits StageLimits::of(long price) const {
  return {products.of(price), trial.of(price), horizon.of(price)};
}

std::span<const Stage> stages() {
  return list;
}

std::string describe_stages(const SizeLimits& limits) {
  std::string text = "Stages, in this order. Methods that do not admit the problem are left out. "
                     "Limits are in\nproducts with N; F is the price of a factorisation "
                     "(solve/cost_model.cpp).\n";
  int number = 0;
  for (const Stage& stage : list) {
    if (number == 0 || list[number - 1].part != stage.part)
      text += fmt::format("\n{}\n", title_of(stage.part));
    std::string method(stage.method);
    if (!stage.settings.empty()) method += fmt::format(" ({})", stage.settings);
    text += fmt::format("{:>3} {}{}\n      when: {}\n      limit: {}\n", ++number, method,
                        words_of(stage.start), words_of(stage.when), words_of(stage.limits));
    if (!stage.reason.empty()) text += fmt::format("      {}\n", stage.reason);
  }
  text += fmt::format("\nThere are {} rounds; their limits grow {}-fold each time.\n\nMethods\n",
                      rounds, growth_of_limits);
  for (const auto& [name, meaning] : describe_methods())
    text += fmt::format("  {:<14}{}\n", name, meaning);
  text += "\nConditions\n";
  for (const FactName& fact : fact_names())
    text += fmt::format("  {:<14}{}\n", fact.name, meaning_of(fact.fact, limits));
  return text;
}

} // namespace talus
