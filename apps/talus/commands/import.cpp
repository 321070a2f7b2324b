// talus import: a URDF or MJCF model as a scene file.

#include "talus/io/import.h"

#include "commands.h"
#include "report/model_warnings.h"
#include "report/output.h"
#include "talus/core/error.h"
#include "talus/io/export.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace talus::cli {
namespace {

struct ImportArguments {
  std::string model, out, base = "auto";
  ImportOptions options;
};

int run_import(ImportArguments arguments) {
  arguments.options.base = arguments.base == "fixed"  ? BaseKind::fixed
                           : arguments.base == "free" ? BaseKind::free
                                                      : BaseKind::automatic;
  if (!is_model_file(arguments.model))
    throw InvalidArgument(fmt::format("{} is no model; the name must end with .urdf, .xml or .mjcf",
                                      arguments.model));
  require_writable(arguments.out);
  const ImportedModel model = import_model(arguments.model, arguments.options);
  print_model_warnings(model.warnings);
  build_world(model.description); // what cannot be built is not written
  write_file(arguments.out, scene_text(model.description));
  fmt::print("{}: {} bodies, {} joints, {} warnings\n", arguments.out,
             model.description.bodies.size(), model.description.joints.size(),
             model.warnings.size());
  return success;
}

} // namespace

void register_import(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<ImportArguments>();
  ImportArguments* a = arguments.get();
  CLI::App* command = app.add_subcommand("import", "Write a URDF or MJCF model as a scene file");
  command->add_option("MODEL", a->model, "URDF (.urdf) or MJCF (.xml, .mjcf) file")
      ->required()
      ->type_name("");
  command->add_option("--out", a->out, "Scene file to write (YAML)")->required()->type_name("FILE");
  command->add_option("--base", a->base, "Base of the model: auto, fixed or free")
      ->check(CLI::IsMember({"auto", "fixed", "free"}))
      ->type_name("KIND");
  command->add_flag("--merge-fixed", a->options.merge_fixed,
                    "Links that are welded together become one body");
  command->add_option("--prefix", a->options.prefix, "Before the names of bodies and joints")
      ->type_name("TEXT");
  command->add_option("--keyframe", a->options.keyframe, "Keyframe of an MJCF file to start from")
      ->type_name("NAME");
  command->footer("Everything that is not read is named on standard error, with file and line.\n"
                  "Exit code: 0 written, 1 file trouble, 2 wrong arguments.");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_import(*arguments); }; });
}

} // namespace talus::cli
