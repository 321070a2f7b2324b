#include "loaded_scene.h"

#include "arguments.h"
#include "talus/core/error.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/io/checkpoint.h"
#include "talus/io/checkpoint_blocks.h"
#include "talus/solve/registry.h"
#include "talus/step/formulation.h"
#include "talus/step/measures.h"

#include <fmt/format.h>

namespace talus::cli {
namespace {

/// The options that change the scene, as overrides: so a checkpoint remembers them too.
std::vector<std::string> overrides_of(const SceneArguments& arguments) {
  std::vector<std::string> overrides = arguments.overrides;
  if (!arguments.formulation.empty()) {
    // A formulation brings its law and solver, whatever the scene's own are.
    const Formulation& formulation = find_formulation(arguments.formulation);
    overrides.push_back("formulation=" + arguments.formulation);
    overrides.push_back(fmt::format("law={}", to_string(formulation.law)));
    if (arguments.solver.empty())
      overrides.push_back(fmt::format("solver.name={}", formulation.solver));
  }
  if (!arguments.solver.empty()) overrides.push_back("solver.name=" + arguments.solver);
  if (!arguments.law.empty()) overrides.push_back("law=" + arguments.law);
  if (!arguments.tolerance.empty()) overrides.push_back("solver.tolerance=" + arguments.tolerance);
  if (!arguments.max_products.empty())
    overrides.push_back("solver.max_products=" + arguments.max_products);
  return overrides;
}

Checkpoint checkpoint_of(const SceneArguments& arguments) {
  Checkpoint checkpoint = read_checkpoint(arguments.restart);
  if (!arguments.scene.empty() && read_scene_source(arguments.scene).text != checkpoint.source.text)
    throw InvalidArgument(fmt::format(
        "{} is not the scene of the checkpoint {}: leave the scene out to go on with the "
        "checkpoint's own, and change values with --set",
        arguments.scene, arguments.restart));
  return checkpoint;
}

/// Throws FileError if the checkpoint by itself has no scene or a state that does not fit it.
void require_whole(const Checkpoint& checkpoint, const std::string& path) {
  try {
    require_fitting(checkpoint.state, scene_of(checkpoint).world);
  } catch (const Error& error) {
    throw FileError(path, fmt::format("is not a whole checkpoint: {}", error.what()));
  }
}

SceneSource with_more(SceneSource source, const std::vector<std::string>& overrides) {
  source.overrides.insert(source.overrides.end(), overrides.begin(), overrides.end());
  return source;
}

Scene with_overrides(SceneSource source, const std::vector<std::string>& overrides) {
  return build_scene(with_more(std::move(source), overrides));
}

/// Arguments change the scene file of the checkpoint; without any, its description is all there is
/// to it.
Scene continued(const Checkpoint& checkpoint, const SceneArguments& arguments) {
  const auto overrides = overrides_of(arguments);
  if (overrides.empty()) return scene_of(checkpoint);
  if (checkpoint.source.text.empty())
    throw InvalidArgument(
        fmt::format("{} has no scene file whose values could be changed; leave '{}' out",
                    checkpoint.path, overrides.front()));
  return with_overrides(checkpoint.source, overrides);
}

LoadedScene ready(Scene scene, const SceneArguments& arguments, const SimulationState* state) {
  scene.options.threads = arguments.threads;
  Simulation simulation(std::move(scene.world), scene.options);
  if (state != nullptr) simulation.restore(*state);
  require_finite_measures(simulation.world());
  return {std::move(scene), std::move(simulation)};
}

} // namespace

void add_scene_options(CLI::App& command, SceneArguments& arguments) {
  SceneArguments* a = &arguments;
  command
      .add_option_function<std::string>(
          "--formulation",
          [a](const std::string& text) {
            find_formulation(text);
            a->formulation = text;
          },
          "Formulation of the step: primal, dual or eom, each also with -relaxed")
      ->type_name("NAME");
  command
      .add_option_function<std::string>(
          "--solver",
          [a](const std::string& text) {
            make_solver(text);
            a->solver = text;
          },
          "Solver; `talus solvers` lists them")
      ->type_name("NAME");
  command
      .add_option_function<std::string>(
          "--law",
          [a](const std::string& text) {
            parse_law(text);
            a->law = text;
          },
          "Friction law: coulomb or associated (convex)")
      ->type_name("NAME");
  command
      .add_option_function<std::string>(
          "--tol",
          [a](const std::string& text) {
            parse_positive(text, "--tol");
            a->tolerance = text;
          },
          "Largest error of each step's solve")
      ->type_name("X");
  command
      .add_option_function<std::string>(
          "--max-products",
          [a](const std::string& text) {
            parse_count(text, "--max-products");
            a->max_products = text;
          },
          "Limit of each step's solve, in products with N; 0 for none")
      ->type_name("N");
  add_threads(command, a->threads);
  command
      .add_option("--set", a->overrides,
                  "Change a value of the scene, repeatable: --set bodies.ball.mass=2")
      ->type_name("KEY.PATH=VALUE")
      ->allow_extra_args(false);
}

PartOfScene open_scene_part(const SceneArguments& arguments, int rank, int ranks, ScenePart part) {
  SceneArguments chosen = arguments;
  if (chosen.restart.empty() && is_hdf5(chosen.scene)) std::swap(chosen.restart, chosen.scene);
  PartOfScene result;
  SceneSource source;
  if (chosen.restart.empty()) {
    if (chosen.scene.empty()) throw InvalidArgument("a scene file is needed");
    source = read_scene_source(chosen.scene);
  } else {
    Checkpoint checkpoint = read_checkpoint_block(chosen.restart, rank, ranks);
    if (!checkpoint.built_from_scene)
      throw InvalidArgument(fmt::format("{} describes the whole world: go on from it without "
                                        "--divided",
                                        chosen.restart));
    source = std::move(checkpoint.source);
    result.state = std::move(checkpoint.state);
  }
  result.scene = build_scene_part(with_more(std::move(source), overrides_of(chosen)), part);
  result.scene.options.threads = chosen.threads;
  require_finite_measures(result.scene.world);
  result.part = std::move(part);
  return result;
}

LoadedScene open_scene(const SceneArguments& arguments) {
  SceneArguments chosen = arguments;
  if (chosen.restart.empty() && is_hdf5(chosen.scene)) std::swap(chosen.restart, chosen.scene);
  if (chosen.restart.empty() && chosen.scene.empty())
    throw InvalidArgument("a scene file (or --restart with a checkpoint) is needed");

  if (chosen.restart.empty())
    return ready(with_overrides(read_scene_source(chosen.scene), overrides_of(chosen)), chosen,
                 nullptr);
  const Checkpoint checkpoint = checkpoint_of(chosen);
  try {
    return ready(continued(checkpoint, chosen), chosen, &checkpoint.state);
  } catch (const Error&) {
    require_whole(checkpoint, chosen.restart); // else the arguments are to blame
    throw;
  }
}

} // namespace talus::cli
