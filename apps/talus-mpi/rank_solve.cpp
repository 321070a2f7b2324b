// talus-mpi solve: contact problems from files, divided over ranks.

#include "arguments.h"
#include "commands.h"
#include "rank_commands.h"
#include "report/report.h"
#include "report/table.h"
#include "support/loaded_problem.h"
#include "talus/cluster/divide_problem.h"
#include "talus/core/bit_hash.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/solve/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <optional>

namespace talus::mpi {
namespace {

using namespace talus::cli;

struct Arguments {
  ProblemArguments problems;
  std::string solver = "auto";
  std::vector<std::string> solver_options;
  SolveOptions options;
  long bodies_per_cell = DivideOptions().bodies_per_cell;
  bool json = false;
};

std::unique_ptr<Solver> configured_solver(const Arguments& arguments) {
  auto solver = make_solver(arguments.solver);
  for (const std::string& assignment : arguments.solver_options) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos)
      throw InvalidArgument(fmt::format("--option takes name=value, not '{}'", assignment));
    set_option(*solver, assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  if (!solver->info().over_ranks)
    throw InvalidArgument(fmt::format("solver {} does not run over ranks; those that do: {}",
                                      arguments.solver, solvers_over_ranks()));
  if (const std::string why = solver->refuses_ranks(); !why.empty())
    throw InvalidArgument(
        fmt::format("solver {} does not run over ranks {}", arguments.solver, why));
  return solver;
}

/// As `talus hash` has it.
std::uint64_t hash_of(const SolveResult& result) {
  BitHash hash;
  hash.add(result.x);
  hash.add(result.u);
  return hash.value();
}

void print(const Arguments& arguments, const LoadedProblem& loaded, const Solver& solver,
           const SolveResult& result, const Traffic& traffic, Ranks& ranks) {
  const double products = static_cast<double>(std::max(1L, result.products));
  if (arguments.json) {
    auto json = to_json(loaded, arguments.solver, result, thread_count());
    json["ranks"] = ranks.count();
    json["same_bits_for_all_ranks"] = solver.has_same_bits_over_ranks();
    json["hash"] = fmt::format("{:016x}", hash_of(result));
    json["messages"] = traffic.messages;
    json["bytes"] = traffic.bytes;
    json["reductions"] = traffic.reductions;
    fmt::print("{}\n", one_line(json));
    return;
  }
  fmt::print("{}: {} contacts, {} ranks, {}: {}, {} iterations, {} products, error {}, {}\n",
             label_of(loaded.path()), loaded.problem().contacts(), ranks.count(), arguments.solver,
             words(result.status), result.iterations, result.products,
             short_number(result.quality.error), short_seconds(result.seconds));
  if (!result.message.empty()) fmt::print("  {}\n", result.message);
  fmt::print(
      "  hash {:016x}; per product {:.1f} messages and {:.0f} bytes, {:.1f} sums over ranks\n",
      hash_of(result), static_cast<double>(traffic.messages) / products,
      static_cast<double>(traffic.bytes) / products,
      static_cast<double>(traffic.reductions) / products);
  if (!solver.has_same_bits_over_ranks())
    fmt::print("  linear systems are rounded otherwise on other numbers of ranks\n");
}

int run_solve(const Arguments& arguments, Ranks& ranks) {
  std::unique_ptr<Solver> solver;
  ranks.together([&] { solver = configured_solver(arguments); });
  bool all_converged = true;
  for (const std::string& file : arguments.problems.files) {
    std::optional<LoadedProblem> loaded;
    ranks.together([&] {
      loaded.emplace(file, arguments.problems);
      if (!loaded->trouble().empty()) throw InvalidProblem(loaded->trouble());
    });
    const DivideOptions division{.bodies_per_cell = static_cast<Index>(arguments.bodies_per_cell)};
    const Traffic before = ranks.traffic();
    const SolveResult result =
        solve_over_ranks(*solver, loaded->problem(), arguments.options, ranks, division);
    const Traffic& now = ranks.traffic();
    std::int64_t sent[2] = {now.messages - before.messages, now.bytes - before.bytes};
    Traffic all;
    all.reductions = now.reductions - before.reductions;
    ranks.sum(std::span<std::int64_t>(sent));
    all.messages = sent[0];
    all.bytes = sent[1];
    all_converged = all_converged && result.status == Status::converged;
    if (ranks.rank() == 0) print(arguments, *loaded, *solver, result, all, ranks);
    std::fflush(stdout);
  }
  return all_converged ? success : not_converged;
}

} // namespace

void register_solve(CLI::App& app, RankCommand& chosen, int own_cores) {
  auto arguments = std::make_shared<Arguments>();
  Arguments* a = arguments.get();
  CLI::App* command =
      app.add_subcommand("solve", "Solve contact problems over ranks and judge the answers");
  command->add_option("--solver", a->solver, "Solver (default auto)")->type_name("NAME");
  command->add_option("--option", a->solver_options, "Option of the solver, name=value, repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option_function<std::string>(
          "--tol",
          [a](const std::string& text) { a->options.tolerance = parse_positive(text, "--tol"); },
          "Largest error of a solution (default 1e-8)")
      ->type_name("X");
  add_measure(*command, a->options.measure);
  add_count(*command, "--max-iterations", a->options.max_iterations,
            "Limit of iterations (default 1000000)");
  add_count(*command, "--max-products", a->options.max_products,
            "Limit in products with N; 0 (default) for none");
  add_count(*command, "--bodies-per-cell", a->bodies_per_cell,
            "Bodies of a cell, the unit of division (default 64); part of the result's bits");
  add_problem_arguments(*command, a->problems);
  command->add_flag("--json", a->json, "One JSON object per problem and line on standard output");
  command->get_option("--threads")->description(help_of_threads);
  command->callback([arguments, &chosen, own_cores] {
    if (arguments->problems.threads == 0) arguments->problems.threads = own_cores;
    chosen = [arguments](Ranks& ranks) {
      return with_threads(arguments->problems.threads,
                          [&] { return run_solve(*arguments, ranks); });
    };
  });
}

} // namespace talus::mpi
