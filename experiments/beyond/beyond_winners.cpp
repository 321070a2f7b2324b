// Which solver wins at 1e-3, 1e-6 and 1e-8 as piles grow from a hundred to a hundred thousand
// contacts: processor time of one thread, from zero impulses.

#include "beyond.h"
#include "experiments/frame/fingerprint.h"
#include "experiments/frame/power_law.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace talus::experiments::beyond_winners {
namespace {

constexpr double friction = 0.5;
constexpr double step = 2e-3; ///< s.
constexpr std::array tolerances = {1e-3, 1e-6, 1e-8};
/// A solver is not tried where its growth so far promises more than this many times the limit:
/// factorisations cannot be interrupted.
constexpr double hopeless = 2;
/// Contacts from which on only the contenders are tried, so many of the quickest to each tolerance
/// on the pile before, with five times as long.
constexpr double huge = 5e4;
constexpr std::size_t contenders_each = 4;

/// How long the spheres have had since their release: still settling, their loads few and short, or
/// at rest, with chains of loads through the whole pile.
struct State {
  std::string name;
  double seconds;
};

/// A law, a state and who is tried on it.
struct Field {
  std::string law_name;
  Law law;
  State state;
  std::vector<Index> spheres;
  std::vector<std::string> solvers;
  std::string name() const { return law_name + ", " + state.name; }
};

std::vector<Field> fields(bool quick) {
  const State settling{"settling", 0.25}, at_rest{"at rest", 1};
  const std::vector<std::string> coulomb = {
      "auto", "nsgs",        "nncg",          "apgd",      "coulomb-apgd", "spg",
      "admm", "prox-newton", "hybrid-newton", "ip-newton", "coulomb-ip"};
  const std::vector<std::string> associated = {"auto", "nsgs",        "nncg",      "apgd",    "spg",
                                               "admm", "prox-newton", "ip-newton", "conic-ip"};
  const std::vector<Index> few = {40, 110, 320}, most = {40, 110, 320, 950, 2800, 8500, 29500},
                           harder = {40, 110, 320, 950, 2800, 29500};
  return {{"Coulomb", Law::coulomb, settling, quick ? few : most, coulomb},
          {"associated", Law::associated, settling, quick ? few : most, associated},
          {"Coulomb", Law::coulomb, at_rest, quick ? few : harder, coulomb},
          {"associated", Law::associated, at_rest, quick ? few : harder, associated}};
}

/// Seconds of processor time that a solve is given.
double limit_of(const Context& context, double contacts = 0) {
  return context.sized(0.2, 4.0) * (contacts < huge ? 1 : 5);
}

/// The next step of a pile, in the form a simulation has it. The same problem is kept as a file.
ContactProblem pile_problem(const Context& context, Index spheres, const State& state) {
  SpherePile pile = shaped_pile(spheres, friction);
  pile.step = step;
  pile.seconds = state.seconds;
  pile.iterations = 50;
  std::string name = fmt::format("{}-{}", spheres, state.name);
  std::replace(name.begin(), name.end(), ' ', '-');
  const ContactProblem problem = next_step(settled_world(pile, context, name), step);
  context.problem("beyond-winners-" + name, fingerprint(problem), [&] { return problem; });
  return problem;
}

SolveOptions within(double tolerance, double seconds) {
  SolveOptions options = to_error(tolerance, 10000000);
  options.time_limit = seconds;
  return options;
}

/// The least processor time of up to three runs; long ones are not repeated.
Json measured(const ContactProblem& problem, const std::string& solver,
              const SolveOptions& options) {
  constexpr double worth_repeating = 0.1; // s
  TimedSolve best = solve_within(problem, {solver}, options);
  for (int i = 0; i < 2 && best.processor < worth_repeating; ++i)
    best.processor = std::min(best.processor, solve_within(problem, {solver}, options).processor);
  return {{"status", to_string(best.result.status)},
          {"processor", best.processor},
          {"iterations", best.result.iterations},
          {"products", best.result.products},
          {"error", best.result.quality.error}};
}

struct Entry {
  std::string solver;
  double contacts = 0, processor = 0;
  long iterations = 0, products = 0;
  double error = 0;
};

/// All solves of one field to one tolerance.
struct Race {
  std::string field;
  std::vector<std::string> solvers;
  double tolerance = 0;
  std::vector<double> sizes;                   ///< Contacts, growing.
  std::vector<Entry> entries;                  ///< Of solves that got there.
  std::vector<Entry> misses;                   ///< Of those that did not.
  std::map<std::string, std::string> fate;     ///< Of solvers that dropped out: where and why.
  std::map<std::string, std::string> stumbles; ///< Of those that failed once and went on.
  std::map<std::string, int> failures;         ///< In a row, by solver.

  std::vector<Entry> ranked(double contacts) const {
    std::vector<Entry> there;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(there),
                 [&](const Entry& entry) { return entry.contacts == contacts; });
    std::sort(there.begin(), there.end(),
              [](const Entry& a, const Entry& b) { return a.processor < b.processor; });
    return there;
  }
  std::vector<std::pair<double, double>> times(const std::string& solver) const {
    std::vector<std::pair<double, double>> points;
    for (const Entry& entry : entries)
      if (entry.solver == solver) points.emplace_back(entry.contacts, entry.processor);
    return points;
  }
};

std::string panel_of(const Race& race) {
  return fmt::format("{}, {:.0e}", race.field, race.tolerance);
}

/// Time that the last two sizes promise for the next; 0 where they say nothing.
double promised_time(const Race& race, const std::string& solver, double contacts) {
  const auto points = race.times(solver);
  if (points.size() < 2) return 0;
  const auto& [x, y] = points.back();
  const double power = fitted_power({points.end() - 2, points.end()});
  return y * std::pow(contacts / x, std::max(1.0, power));
}

/// Why a solve that did not get there ended.
std::string failure_of(const Json& run) {
  const std::string status = run["status"];
  return fmt::format("{} (error {:.0e})", status == "time_limit" ? "out of time" : status,
                     run["error"].get<double>());
}

/// One solver on one pile, to finer and finer tolerances, as far as it gets. Out of time, it will
/// not be asked for larger piles; stalled, only if that happens twice in a row.
void run_solver_on(const Context& context, const ContactProblem& problem, const std::string& solver,
                   std::span<Race> races) {
  const double contacts = static_cast<double>(problem.contacts()),
               limit = limit_of(context, contacts);
  for (std::size_t i = 0; i < races.size(); ++i) {
    Race& race = races[i];
    const auto fail = [&](const std::string& why, bool final) {
      for (Race& finer : races.subspan(i)) {
        const bool again = ++finer.failures[solver] > 1;
        const std::string fate = fmt::format("{} at {:.0f} contacts", why, contacts);
        if (!finer.fate.contains(solver))
          (final || again ? finer.fate : finer.stumbles)[solver] = fate;
      }
    };
    if (race.fate.contains(solver)) return;
    if (promised_time(race, solver, contacts) > hopeless * limit)
      return fail("not tried for its growth", true);
    const SolveOptions options = within(race.tolerance, limit);
    const Json run = context.once(
        fmt::format("{:.0f}-{}-{}-{:.0e}", contacts, race.field, solver, race.tolerance),
        inputs_of(problem, {solver}, options), [&] { return measured(problem, solver, options); });
    const Entry entry{solver,          contacts,    run["processor"], run["iterations"],
                      run["products"], run["error"]};
    if (run["status"] != "converged") {
      race.misses.push_back(entry);
      return fail(failure_of(run), run["status"] == "time_limit");
    }
    race.failures[solver] = 0;
    race.entries.push_back(entry);
  }
}

/// Who is worth trying on a huge pile: the quickest to each tolerance on the pile before; where
/// fewer got there, those that came closest; and auto.
std::set<std::string> contenders(const std::vector<Race>& races, double contacts_before) {
  std::set<std::string> chosen = {"auto"};
  for (const Race& race : races) {
    std::vector<Entry> order = race.ranked(contacts_before), missed;
    std::copy_if(race.misses.begin(), race.misses.end(), std::back_inserter(missed),
                 [&](const Entry& entry) { return entry.contacts == contacts_before; });
    std::sort(missed.begin(), missed.end(),
              [](const Entry& a, const Entry& b) { return a.error < b.error; });
    order.insert(order.end(), missed.begin(), missed.end());
    for (std::size_t i = 0; i < std::min(contenders_each, order.size()); ++i)
      chosen.insert(order[i].solver);
  }
  return chosen;
}

/// Leaves the contenders in the races, also those that were out of the shorter time given before.
void narrow(std::vector<Race>& races) {
  const double before = races.front().sizes.back();
  const std::set<std::string> chosen = contenders(races, before);
  for (Race& race : races)
    for (const std::string& solver : race.solvers) {
      const auto fate = race.fate.find(solver);
      if (!chosen.contains(solver) && fate == race.fate.end()) {
        race.fate[solver] = fmt::format("not tried beyond {:.0f} contacts: not among the {} best",
                                        before, contenders_each);
      } else if (chosen.contains(solver) && fate != race.fate.end()) {
        race.stumbles[solver] = fate->second;
        race.fate.erase(fate);
      }
    }
}

/// Races of a field, by tolerance.
std::vector<Race> empty_races(const Field& field) {
  std::vector<Race> races;
  for (const double tolerance : tolerances) {
    Race race;
    race.field = field.name();
    race.solvers = field.solvers;
    race.tolerance = tolerance;
    races.push_back(std::move(race));
  }
  return races;
}

std::vector<Race> run_races(const Context& context) {
  std::vector<Race> races;
  for (const Field& field : fields(context.quick())) {
    std::vector<Race> of_field = empty_races(field);
    for (const Index spheres : field.spheres) {
      ContactProblem problem = pile_problem(context, spheres, field.state);
      problem.law = field.law;
      const double contacts = static_cast<double>(problem.contacts());
      if (contacts >= huge) narrow(of_field);
      for (Race& race : of_field) race.sizes.push_back(contacts);
      for (const std::string& solver : field.solvers)
        run_solver_on(context, problem, solver, of_field);
    }
    for (Race& race : of_field) races.push_back(std::move(race));
  }
  return races;
}

std::optional<double> time_of(const std::vector<Entry>& ranked, const std::string& solver) {
  for (const Entry& entry : ranked)
    if (entry.solver == solver) return entry.processor;
  return std::nullopt;
}

DataTable winners_table(const std::vector<Race>& races) {
  DataTable table{"winners",
                  "The quickest solver of each size and tolerance, the runner-up, and auto. Times "
                  "are processor seconds; empty: nobody got there.",
                  {"law and state", "tolerance", "contacts", "winner", "time [s]", "iterations",
                   "products", "runner-up", "its time over the winner's",
                   "auto's time over the winner's", "solvers that got there"},
                  {}};
  for (const Race& race : races)
    for (const double contacts : race.sizes) {
      const std::vector<Entry> ranked = race.ranked(contacts);
      std::vector<Json> row = {race.field, fmt::format("{:.0e}", race.tolerance),
                               std::lround(contacts)};
      if (ranked.empty()) {
        row.insert(row.end(), 7, Json());
      } else {
        const Entry& first = ranked.front();
        row.insert(row.end(), {first.solver, first.processor, first.iterations, first.products});
        if (ranked.size() > 1)
          row.insert(row.end(), {ranked[1].solver, ranked[1].processor / first.processor});
        else
          row.insert(row.end(), 2, Json());
        const auto own = time_of(ranked, "auto");
        row.push_back(own ? Json(*own / first.processor) : Json());
      }
      row.push_back(ranked.size());
      table.rows.push_back(std::move(row));
    }
  return table;
}

DataTable times_table(const std::vector<Race>& races) {
  DataTable table{"times",
                  "Every solve that got there.",
                  {"panel", "curve", "contacts", "seconds", "iterations", "products"},
                  {},
                  false};
  for (const Race& race : races)
    for (const Entry& entry : race.entries)
      table.rows.push_back({panel_of(race), entry.solver, entry.contacts, entry.processor,
                            entry.iterations, entry.products});
  return table;
}

DataTable fates_table(const std::vector<Race>& races) {
  DataTable table{"dropped",
                  "Solvers that failed: where, and with which error; the power of their growth "
                  "with the number of contacts before that, from 300 contacts on.",
                  {"law and state", "tolerance", "solver", "time grows with the power", "failed",
                   "dropped out"},
                  {}};
  const auto growth = [](const Race& race, const std::string& solver) {
    auto points = race.times(solver);
    std::erase_if(points, [](const auto& point) { return point.first < 300; });
    return fitted_power(points);
  };
  for (const Race& race : races)
    for (const std::string& solver : race.solvers) {
      const auto fate = race.fate.find(solver), stumble = race.stumbles.find(solver);
      if (fate == race.fate.end() && stumble == race.stumbles.end()) continue;
      table.rows.push_back({race.field, fmt::format("{:.0e}", race.tolerance), solver,
                            cell(growth(race, solver)),
                            stumble == race.stumbles.end() ? "" : stumble->second,
                            fate == race.fate.end() ? "" : fate->second});
    }
  return table;
}

/// "nsgs to 325, apgd to 9731": winners by size, runs of the same one together.
std::string reign(const Race& race) {
  std::vector<std::pair<std::string, double>> runs;
  for (const double contacts : race.sizes) {
    const std::vector<Entry> ranked = race.ranked(contacts);
    const std::string winner = ranked.empty() ? "nobody" : ranked.front().solver;
    if (runs.empty() || runs.back().first != winner) runs.emplace_back(winner, contacts);
    runs.back().second = contacts;
  }
  std::vector<std::string> words;
  for (const auto& [winner, contacts] : runs)
    words.push_back(fmt::format("{} to {:.0f}", winner, contacts));
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The power of the contacts, from 300 on, that the winner's time grows with; NaN where fewer than
/// four sizes would decide it.
double best_growth(const Race& race) {
  std::vector<std::pair<double, double>> points;
  for (const double contacts : race.sizes)
    if (const auto ranked = race.ranked(contacts); !ranked.empty() && contacts >= 300)
      points.emplace_back(contacts, ranked.front().processor);
  if (points.size() < 4) return std::nan("");
  return fitted_power(points);
}

void judge_auto(Report& report, const std::vector<Race>& races) {
  double logs = 0, worst = 0;
  int count = 0, missed = 0;
  for (const Race& race : races)
    for (const double contacts : race.sizes) {
      const std::vector<Entry> ranked = race.ranked(contacts);
      if (ranked.empty()) continue;
      const auto own = time_of(ranked, "auto");
      if (!own) {
        ++missed;
        continue;
      }
      const double ratio = *own / ranked.front().processor;
      logs += std::log(ratio);
      worst = std::max(worst, ratio);
      ++count;
    }
  report.findings.push_back(
      answer("what does leaving the choice to auto cost?",
             fmt::format("{:.2f} times the winner's time in geometric mean of {} cases, at most "
                         "{:.1f}; not there in {} cases in which another solver was",
                         std::exp(logs / std::max(1, count)), count, worst, missed)));
}

} // namespace

Report run(Context& context) {
  const std::vector<Race> races = run_races(context);
  Report report;
  for (const Race& race : races) {
    const double growth = best_growth(race);
    report.findings.push_back(answer(
        fmt::format("{}: who wins to {:.0e} (contacts)", race.field, race.tolerance), reign(race),
        std::isnan(growth)
            ? ""
            : fmt::format("the winner's time grows with the power {:.2f} of the contacts",
                          growth)));
  }
  judge_auto(report, races);
  report.summary = fmt::format(
      "One step of 2 ms of piles of spheres (μ = {:g}) in a cylinder, 0.25 s (settling) and 1 s "
      "(at rest) after their release, from zero impulses, on one thread. Winners by processor "
      "time, {:g} s of it per solve. A solver that was out of time, or stalled twice in a row, is "
      "not asked for larger piles nor for finer tolerances. Times of less than 0.1 s are the least "
      "of three.",
      friction, limit_of(context));
  if (!context.quick())
    report.summary += fmt::format(
        " From {:g} contacts on only the {} solvers that were quickest to a tolerance on the pile "
        "before (or came closest to it) and auto are tried, with {:g} s each.",
        huge, contenders_each, limit_of(context, huge));
  report.tables.push_back(winners_table(races));
  report.tables.push_back(fates_table(races));
  report.tables.push_back(times_table(races));
  report.plots.push_back(log_plot(
      "times", "Processor time to an error, as piles grow",
      "The lowest curve wins. A curve ends where its solver dropped out: out of time, stalled, or "
      "not among the best of the pile before, to whom the largest is left.",
      "times", "contacts", "seconds", "contacts", "processor time [s]"));
  return report;
}

} // namespace talus::experiments::beyond_winners
