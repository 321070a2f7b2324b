#include "talus/io/scene.h"

#include "talus/core/error.h"
#include "talus/core/files/path.h"
#include "talus/io/description/world_builder.h"
#include "talus/io/generators/scene_generators.h"
#include "talus/io/import.h"
#include "talus/io/scene/scene_bodies.h"
#include "talus/io/scene/scene_includes.h"
#include "talus/solve/registry.h"
#include "talus/step/formulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace talus {

namespace {

const std::vector<std::string_view> scene_keys = {
    "title",          "gravity",     "planar",    "step",
    "duration",       "formulation", "law",       "friction",
    "solver",         "contact",     "envelope",  "allowed_penetration",
    "recovery_speed", "restitution", "materials", "material_pairs",
    "material_rules", "shapes",      "bodies",    "generators",
    "joints",         "sensors",     "finding",   "output",
    "wind",           "fluids",      "include",   "no_contacts"};

constexpr std::string_view format_names[output_formats] = {"trajectory", "csv", "paraview", "plot"};

/// A number, or the word `auto` for -1.
double read_automatic(const SceneFields& fields, std::string_view key) {
  const SceneValue* value = fields.find(key);
  if (!value || value->text == "auto") return -1;
  return fields.number(key, not_negative);
}

void read_solver_options(const SceneValue& value, StepOptions& options) {
  if (value.kind != SceneValue::Kind::mapping)
    fail_at(value.place, "solver: options must be a mapping from names to values");
  const auto solver = make_solver(options.solver);
  for (const auto& [name, option] : value.members) {
    const std::string& text = to_text(option, "solver: options: " + name);
    if (!options.formulation.empty() && name == "model")
      fail_at(option.place, fmt::format("solver: options: the formulation {} chooses the model",
                                        options.formulation));
    with_location(option.place, "solver: options", [&] { set_option(*solver, name, text); });
    options.solver_options.emplace_back(name, text);
  }
}

void read_solver(const SceneValue& value, StepOptions& options) {
  const SceneFields f(value, "solver",
                      {"name", "tolerance", "max_iterations", "max_products", "time_limit",
                       "warm_start", "eliminate_joints", "options"});
  if (f.find("name")) {
    options.solver = f.text("name");
    with_location(f.need("name").place, f.what(), [&] { return make_solver(options.solver); });
  }
  if (const SceneValue* tolerance = f.find("tolerance"); tolerance && tolerance->text != "auto")
    options.tolerance = f.number("tolerance", positive);
  options.max_iterations = f.count("max_iterations", options.max_iterations, 1, 1'000'000'000);
  options.max_products = f.count("max_products", options.max_products, 0, 1'000'000'000);
  options.time_limit = f.number("time_limit", options.time_limit, not_negative);
  options.warm_start = f.flag("warm_start", options.warm_start);
  options.eliminate_joints = f.flag("eliminate_joints", options.eliminate_joints);
  if (const SceneValue* given = f.find("options")) read_solver_options(*given, options);
}

/// Law and solver may be given beside a formulation where they agree with it.
void read_formulation(const SceneValue& value, const SceneFields& f, StepOptions& options) {
  const std::string& name = to_text(value, "formulation");
  const SceneValue* solver = f.find("solver");
  const SceneValue* solver_name =
      solver && solver->kind == SceneValue::Kind::mapping ? solver->find("name") : nullptr;
  const Law law = options.law;
  with_location(value.place, "formulation", [&] {
    choose_formulation(options, name, solver_name ? to_text(*solver_name, "solver: name") : "");
  });
  if (f.find("law") && law != options.law)
    fail_at(value.place, fmt::format("formulation: {} has the law {}, but the scene's is {}", name,
                                     to_string(options.law), to_string(law)));
}

void read_restitution(const SceneValue& value, StepOptions& options) {
  const SceneFields f(value, "restitution", {"enabled", "threshold", "law"});
  options.restitution = f.flag("enabled", options.restitution);
  options.restitution_threshold = read_automatic(f, "threshold");
  if (const SceneValue* law = f.find("law"))
    options.impact_law = with_location(law->place, "restitution: law", [&] {
      return impact_law_from(to_text(*law, "restitution: law"));
    });
}

/// `rigid`, `auto`, or {relative_compliance: ε}; older scenes say `compliance`.
void read_contact(const SceneValue& value, StepOptions& options) {
  if (value.text == "auto") return;
  if (value.text == "rigid") {
    options.relative_compliance = 0;
    return;
  }
  if (value.kind != SceneValue::Kind::mapping)
    fail_at(value.place,
            "contact must be auto, rigid, or a mapping such as {relative_compliance: 0.01}");
  const SceneFields f(value, "contact", {"relative_compliance", "compliance"});
  f.exclusive({"relative_compliance", "compliance"});
  for (const char* key : {"relative_compliance", "compliance"})
    options.relative_compliance = f.number(key, options.relative_compliance, not_negative);
}

StepOptions read_step_options(const SceneFields& f) {
  StepOptions options;
  options.step = f.number("step", options.step, positive);
  if (const SceneValue* law = f.find("law"))
    options.law = with_location(law->place, "law", [&] { return parse_law(to_text(*law, "law")); });
  if (const SceneValue* set = f.find("friction"))
    options.friction = with_location(set->place, "friction",
                                     [&] { return parse_friction_set(to_text(*set, "friction")); });
  if (const SceneValue* formulation = f.find("formulation"))
    read_formulation(*formulation, f, options);
  if (const SceneValue* solver = f.find("solver")) read_solver(*solver, options);
  if (const SceneValue* contact = f.find("contact")) read_contact(*contact, options);
  options.envelope = read_automatic(f, "envelope");
  options.allowed_penetration = read_automatic(f, "allowed_penetration");
  const SceneValue* recovery = f.find("recovery_speed");
  options.max_recovery_speed = recovery && recovery->text == "unlimited"
                                   ? std::numeric_limits<double>::infinity()
                                   : read_automatic(f, "recovery_speed");
  if (const SceneValue* value = f.find("restitution")) read_restitution(*value, options);
  with_location(f.place(), f.what(), [&] { validate(options); });
  return options;
}

void read_formats(const SceneValue& value, OutputOptions& output) {
  output.formats.fill(false);
  for (const SceneValue& item : to_list(value, "output: formats")) {
    const std::string& name = to_text(item, "output: formats");
    const auto found = std::find(std::begin(format_names), std::end(format_names), name);
    if (found == std::end(format_names))
      fail_at(item.place, fmt::format("output: unknown format '{}'; allowed: {}", name,
                                      fmt::join(format_names, ", ")));
    output.formats[static_cast<std::size_t>(found - std::begin(format_names))] = true;
  }
}

OutputOptions read_output(const SceneValue* value, double step) {
  constexpr double frames_per_second = 50;
  constexpr long most = 1'000'000'000;
  OutputOptions output;
  output.every = std::llround(std::clamp<double>(1 / (frames_per_second * step), 1, most));
  if (!value) return output;
  const SceneFields f(*value, "output", {"every", "formats"});
  output.every = f.count("every", static_cast<long>(output.every), 1, most);
  if (const SceneValue* formats = f.find("formats")) read_formats(*formats, output);
  return output;
}

void read_surroundings(const SceneFields& f, WorldDraft& draft) {
  WorldDescription& d = draft.description;
  d.gravity = f.vector("gravity", d.gravity);
  if (const SceneValue* normal = f.find("planar")) {
    d.plane_normal = to_vector(*normal, "planar");
    with_location(normal->place, "planar", [&] { draft.builder.set_surroundings(d); });
  }
  read_materials(f.find("materials"), f.find("material_pairs"), f.find("material_rules"),
                 d.materials);
  draft.builder.set_surroundings(d);
  read_wind_and_fluids(f, draft);
}

Included read_world(const SceneFields& f, SceneSource& source, WorldDraft& draft) {
  read_surroundings(f, draft);
  Included included = read_includes(f, source, draft);
  SceneShapes shapes(source, draft);
  if (const SceneValue* section = f.find("shapes")) shapes.define(*section);
  if (const SceneValue* section = f.find("bodies")) read_bodies(*section, shapes, draft);
  if (const SceneValue* section = f.find("generators")) run_generators(*section, shapes, draft);
  if (const SceneValue* section = f.find("joints")) read_joints(*section, draft);
  if (const SceneValue* section = f.find("no_contacts")) read_no_contacts(*section, draft);
  if (const SceneValue* section = f.find("sensors")) read_sensors(*section, draft);
  if (draft.world().size() == 0)
    f.fail("there are no bodies: give 'bodies', 'generators' or 'include'");
  return included;
}

Scene scene_of(WorldDescription description, World world, SceneSource source) {
  Scene scene;
  scene.source = std::move(source);
  scene.title = description.title;
  scene.world = std::move(world);
  scene.options = description.step;
  scene.duration = description.duration;
  scene.output = description.output;
  scene.reach = reach_of(scene.world);
  scene.description = std::move(description);
  return scene;
}

} // namespace

std::string_view to_string(OutputFormat format) {
  return format_names[static_cast<int>(format)];
}

double reach_of(const World& world) {
  double reach = 1e-3;
  for (Index i = 0; i < world.size(); ++i)
    for (const BodyShape& shape : world.bodies()[i].shapes) {
      const Bounds bounds = bounds_of(*shape.shape, world.states()[i].pose * shape.pose);
      if (!is_finite(bounds.lower) || !is_finite(bounds.upper)) continue;
      for (int k = 0; k < 3; ++k)
        reach = std::max({reach, std::abs(bounds.lower[k]), std::abs(bounds.upper[k])});
    }
  return reach;
}

std::int64_t steps_until(double time, double step) {
  constexpr double most = 1e15; // far below what 64 bits count
  const double steps = std::ceil(time / step - 1e-6);
  if (!(std::abs(steps) <= most))
    throw InvalidArgument(
        fmt::format("{} s are {} steps of {} s; at most {} are possible", time, steps, step, most));
  return static_cast<std::int64_t>(steps);
}

SceneSource read_scene_source(const std::string& path, std::vector<std::string> overrides) {
  return read_scene_source(path, ImportOptions{}, std::move(overrides));
}

SceneSource read_scene_source(const std::string& path, const ImportOptions& options,
                              std::vector<std::string> overrides) {
  require_path(path, "the name of a scene file");
  std::error_code trouble;
  if (std::filesystem::is_directory(path, trouble))
    throw FileError(path, "is a directory, not a scene file");
  std::ifstream file(path, std::ios::binary);
  if (!file && !std::filesystem::exists(path, trouble))
    throw FileError(path, "there is no such file; a scene file (YAML) was expected");
  if (!file) throw FileError(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  if (is_model_file(path)) return {path, scene_of_model(path, options), std::move(overrides), {}};
  return {path, std::string(std::istreambuf_iterator<char>(file), {}), std::move(overrides), {}};
}

static Scene build_scene(SceneSource source, ScenePart* part) {
  SceneValue root = parse_scene_text(source.text, source.path);
  for (const std::string& assignment : source.overrides) apply_override(root, assignment);
  const SceneFields f(root, "scene", scene_keys);
  WorldDraft draft;
  draft.part = part;
  WorldDescription& d = draft.description;
  d.title = f.text("title", std::filesystem::path(source.path).stem().string());
  d.step = read_step_options(f);
  d.duration = f.number("duration", d.duration, positive);
  d.output = read_output(f.find("output"), d.step.step);
  const Included included = read_world(f, source, draft);
  if (included.step) {
    d.step.step = *included.step;
    d.output = read_output(f.find("output"), d.step.step);
  }
  std::optional<Finding> finding;
  if (const SceneValue* value = f.find("finding")) finding = read_finding(*value, draft);
  Scene scene = scene_of(std::move(d), draft.builder.take(), std::move(source));
  scene.warnings = included.warnings;
  scene.finding = std::move(finding);
  return scene;
}

Scene build_scene(SceneSource source) {
  return build_scene(std::move(source), nullptr);
}

Scene build_scene_part(SceneSource source, ScenePart& part) {
  return build_scene(std::move(source), &part);
}

Scene build_scene(WorldDescription description, SceneSource source) {
  validate(description.step);
  World world = build_world(description);
  return scene_of(std::move(description), std::move(world), std::move(source));
}

} // namespace talus
