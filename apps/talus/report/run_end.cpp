#include "run_end.h"

#include "commands.h"
#include "output.h"
#include "plots.h"
#include "report.h"
#include "table.h"
#include "talus/core/files/atomic_file.h"

#include <fmt/format.h>

#include <filesystem>

namespace talus::cli {
namespace {

constexpr const char *summary_name = "summary.json", *plot_name = "plot.svg";

} // namespace

bool RunOutcome::misses_tolerance(const StepReport& report) {
  if (report.converged()) return false;
  unconverged =
      fmt::format("step {} did not converge: error {:.3g} ({}{}{})", report.step, report.error,
                  words(report.status), report.message.empty() ? "" : ", ", report.message);
  return true;
}

int RunOutcome::exit_code() const {
  if (!unconverged.empty()) return not_converged;
  return signal != 0 ? 128 + signal : success;
}

nlohmann::ordered_json summary_json(const RunFacts& facts, const RunOutcome& outcome) {
  const StepOptions& options = facts.options;
  const RunSummary& summary = outcome.summary;
  return {{"scene", facts.scene.source.path},
          {"bodies", facts.bodies},
          {"steps", summary.steps},
          {"time", facts.time},
          {"formulation", options.formulation},
          {"law", to_string(options.law)},
          {"friction", to_string(options.friction)},
          {"solver", options.solver},
          {"contacts_mean", summary.contacts_mean},
          {"contacts_max", summary.contacts_max},
          {"error_max", summary.error_max},
          {"unconverged_steps", summary.unconverged_steps},
          {"penetration_max", summary.penetration_max},
          {"kinetic_energy", facts.kinetic_energy},
          {"potential_energy", facts.potential_energy},
          {"elastic_energy", facts.elastic_energy},
          {"seconds", outcome.seconds},
          {"seconds_collide", summary.seconds_collide},
          {"seconds_solve", summary.seconds_solve},
          {"scaled_restitution_steps", summary.scaled_restitution_steps},
          {"initial_overlaps", overlaps_json(outcome.overlaps)},
          {"infeasible_steps", summary.infeasible_steps},
          {"first_contradiction", summary.first_contradiction},
          {"limited_steps", summary.limited_steps},
          {"work", summary.work},
          {"work_max", summary.work_max},
          {"tolerance", summary.tolerance_max},
          {"fast_bodies", summary.outran_envelope},
          {"seconds_build", summary.seconds_build},
          {"seconds_advance", summary.seconds_advance},
          {"seconds_files", outcome.seconds_files},
          {"seconds_step_median", outcome.times.median()},
          {"seconds_step_max", outcome.times.longest()},
          {"slowest_step", outcome.times.slowest_step()}};
}

std::string time_text(const RunOutcome& outcome, double seconds_plot) {
  const RunSummary& s = outcome.summary;
  return shares_of_time(outcome.seconds + seconds_plot, {{s.seconds_collide, "collide"},
                                                         {s.seconds_build, "build"},
                                                         {s.seconds_solve, "solve"},
                                                         {s.seconds_advance, "advance"},
                                                         {outcome.seconds_files, "files"},
                                                         {seconds_plot, "plot"}});
}

void print_row(const char* name, const std::string& value) {
  fmt::print("  {:<14} {}\n", name, value);
}

void print_summary_rows(const RunFacts& facts, const RunOutcome& outcome,
                        const std::string& ranks) {
  const RunSummary& s = outcome.summary;
  const StepOptions& options = facts.options;
  fmt::print("{}: {} bodies{}, {} steps, t = {:.6g} s\n", facts.scene.title, facts.bodies, ranks,
             s.steps, facts.time);
  print_row("contacts",
            fmt::format("{:.1f} on average, {} at most", s.contacts_mean, s.contacts_max));
  if (!options.formulation.empty())
    print_row("formulation", fmt::format("{} (law {}, friction {})", options.formulation,
                                         to_string(options.law), to_string(options.friction)));
  print_row("solver", fmt::format("{}, error {} at worst (tolerance {})", options.solver,
                                  short_number(s.error_max), short_number(s.tolerance_max)));
  const bool contacts_yield = facts.materials.has_yielding_contacts(options.relative_compliance);
  if (s.unconverged_steps > 0)
    print_row("not converged",
              fmt::format(
                  "{} of {} steps{}", s.unconverged_steps, s.steps,
                  contacts_yield || s.contacts_max == 0 || s.infeasible_steps == s.unconverged_steps
                      ? ""
                      : "; contacts that yield (`contact: auto`, or a `stiffness` of materials) "
                        "make piles easier to solve"));
  if (s.limited_steps > 0)
    print_row("limited", fmt::format("{} of them used up {} products (`solver.max_products`)",
                                     s.limited_steps, options.max_products));
  if (s.infeasible_steps > 0)
    print_row("infeasible",
              fmt::format("{} of them; {}", s.infeasible_steps, s.first_contradiction));
  print_row("penetration", fmt::format("{} m at most", short_number(s.penetration_max)));
  if (s.scaled_restitution_steps > 0)
    print_row("restitution",
              fmt::format("scaled down in {} steps, where friction would have made the "
                          "rebound gain energy",
                          s.scaled_restitution_steps));
  if (s.outran_envelope > 0)
    print_row(
        "fast bodies",
        fmt::format("{} times in reach of missing a collision; raise `envelope` or lower `step`",
                    s.outran_envelope));
  if (facts.has_joints)
    print_row("joint error", fmt::format("{} at most", short_number(s.joint_error_max)));
  const double elastic = facts.elastic_energy;
  print_row(
      "energy",
      fmt::format("{} J kinetic, {} J potential{}", short_number(facts.kinetic_energy),
                  short_number(facts.potential_energy),
                  elastic > 0 ? fmt::format(", {} J in contacts", short_number(elastic)) : ""));
}

void remove_results_of_earlier_run(const std::string& folder) {
  for (const char* name : {summary_name, plot_name}) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    remove_stale_temporaries(path.string());
  }
}

void write_results(const std::string& folder, const Scene& scene,
                   const nlohmann::ordered_json& summary, const std::string& program) {
  write_file(folder + "/" + summary_name, indented(summary) + "\n");
  if (!scene.output.writes(OutputFormat::plot)) return;
  const Plots plots = make_plots("run_plots.py", {folder + "/steps.csv"});
  if (!plots.missing.empty())
    fmt::print(stderr, "{}: no plot: {}\n", program, plots.missing);
  else
    write_file(folder + "/" + plot_name, plots.figures.front().svg);
}

} // namespace talus::cli
