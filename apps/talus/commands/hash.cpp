// talus hash: the bits of simulations and solves in a few lines, to compare machines and numbers of
// threads.

#include "arguments.h"
#include "commands.h"
#include "report/table.h"
#include "support/loaded_problem.h"
#include "support/loaded_scene.h"
#include "talus/core/bit_hash.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/solve/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;

struct HashArguments {
  std::vector<std::string> files;
  long steps = 200;
  std::string solver; ///< Of problems; scenes have their own.
  int threads = 0;
};

/// All states of all bodies after each step.
std::uint64_t hash_of_steps(const std::string& path, const HashArguments& arguments) {
  SceneArguments scene;
  scene.scene = path;
  scene.threads = arguments.threads;
  LoadedScene loaded = open_scene(scene);
  BitHash hash;
  for (long step = 0; step < arguments.steps; ++step) {
    loaded.simulation.step();
    for (const BodyState& state : loaded.simulation.world().states()) {
      const Quaternion& q = state.pose.rotation;
      hash.add(state.pose.position);
      for (const double x : {q.w, q.x, q.y, q.z}) hash.add(x);
      hash.add(state.velocity);
      hash.add(state.angular_velocity);
    }
  }
  return hash.value();
}

/// Impulses, and the velocities that they give.
std::uint64_t hash_of_solve(const std::string& path, const HashArguments& arguments) {
  return with_threads(arguments.threads, [&] {
    const LoadedProblem problem(path, ProblemArguments{});
    const auto solver = make_solver(arguments.solver);
    const SolveResult result = problem.solve_with(*solver, {});
    BitHash hash;
    hash.add(result.x);
    hash.add(result.u);
    return hash.value();
  });
}

bool is_scene(const std::string& path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

/// Six scenes and the problems of tests/data, from the checkout that this program was built in.
std::vector<std::string> own_files() {
  const fs::path source = TALUS_SOURCE_DIR;
  std::vector<std::string> files;
  for (const char* scene :
       {"box_stack_40", "brazil_nut", "cam_follower", "card_house", "chain", "yielding_balls"})
    files.push_back((source / "scenes" / fmt::format("{}.yaml", scene)).string());
  if (!fs::exists(files.front()) || !fs::exists(source / "tests/data"))
    throw InvalidArgument(fmt::format(
        "the checkout {} is gone; name scenes and problems: talus hash FILE...", TALUS_SOURCE_DIR));
  const std::size_t scenes = files.size();
  for (const auto& entry : fs::directory_iterator(source / "tests/data"))
    if (entry.path().extension() == ".hdf5" || entry.path().extension() == ".dat")
      files.push_back(entry.path().string());
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(scenes), files.end());
  return files;
}

int run_hash(const HashArguments& arguments) {
  const std::vector<std::string> files = arguments.files.empty() ? own_files() : arguments.files;
  BitHash total;
  for (const std::string& path : files) {
    const bool scene = is_scene(path);
    const std::uint64_t hash =
        scene ? hash_of_steps(path, arguments) : hash_of_solve(path, arguments);
    total.add(hash);
    fmt::print("{:016x}  {:<24} {}\n", hash, fs::path(path).stem().string(),
               scene ? fmt::format("{} steps", arguments.steps) : arguments.solver);
    std::fflush(stdout);
  }
  fmt::print("{:016x}  total\n", total.value());
  return success;
}

} // namespace

void register_hash(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<HashArguments>();
  arguments->solver = default_solver;
  CLI::App* command =
      app.add_subcommand("hash", "Print the bits of simulations and solves as hashes");
  command
      ->add_option("FILE", arguments->files,
                   "Scenes (.yaml) and problems; in a checkout by default six scenes and the "
                   "problems of tests/data")
      ->type_name("");
  add_count(*command, "--steps", arguments->steps, "Steps of each scene, 200 by default");
  command
      ->add_option_function<std::string>(
          "--solver",
          [a = arguments.get()](const std::string& text) {
            make_solver(text);
            a->solver = text;
          },
          "Solver of the problems; `talus solvers` lists them")
      ->type_name("NAME");
  add_threads(*command, arguments->threads);
  command->footer(
      "Equal hashes mean equal results, to the last bit: compare machines and numbers of "
      "threads\n(docs/theory/same_bits.md).\nExit code: 0 printed, 1 a file could not be "
      "read, 2 wrong arguments.");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_hash(*arguments); }; });
}

} // namespace talus::cli
