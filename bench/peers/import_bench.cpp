// Free motion of MJCF models, imported and stepped by Talus, against MuJoCo, which reads the same
// files. MuJoCo integrates with its Runge-Kutta method of fourth order in steps of 50 µs; Talus
// steps to first order, so that halving its step must halve the difference. Contacts, limits and
// dry friction, which MuJoCo softens, are switched off in both.

#include "talus/core/error.h"
#include "talus/io/import.h"
#include "talus/step/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#ifdef TALUS_HAS_MUJOCO
#include <mujoco/mujoco.h>
#endif

namespace {

using namespace talus;

#ifdef TALUS_HAS_MUJOCO

constexpr double duration = 0.4, reference_step = 5e-5;

/// A model that moves from the start: its joints turn with 0.5, -0.4, 0.3, ... rad/s.
struct Machine {
  const char* name;
  int free_speeds; ///< Of a free base.
  int joints;
};
constexpr Machine all_machines[] = {
    {"double_pendulum", 0, 2}, {"arm", 0, 6}, {"quadruped", 6, 12}, {"car", 6, 6}};

std::string text_of(const Machine& machine) {
  std::ifstream file(std::string(TALUS_MODELS_DIR) + "/" + machine.name + ".xml");
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::string speeds;
  for (int i = 0; i < machine.free_speeds + machine.joints; ++i)
    speeds += fmt::format("{}{}", i > 0 ? " " : "", (i % 2 == 0 ? 1 : -1) * (0.5 - 0.02 * i));
  const std::string key =
      fmt::format("<keyframe><key name='start' qvel='{}'/></keyframe></mujoco>", speeds);
  const std::string end = "</mujoco>";
  return text.replace(text.rfind(end), end.size(), key);
}

/// Centres of mass of the bodies, by MuJoCo.
std::vector<Vec3> by_mujoco(const std::string& text, const std::vector<std::string>& names) {
  auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "m.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "m.xml")], text.data(), text.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML("m.xml", files.get(), error, sizeof error);
  if (!model) throw FileError("MuJoCo", error);
  model->opt.timestep = reference_step;
  model->opt.integrator = mjINT_RK4;
  model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  mjData* data = mj_makeData(model);
  // A keyframe without qpos has that of the model, except in files of older versions.
  mj_resetDataKeyframe(model, data, 0);
  mju_copy(data->qpos, model->qpos0, model->nq);
  const auto steps = std::llround(duration / reference_step);
  for (long long i = 0; i < steps; ++i) mj_step(model, data);
  mj_forward(model, data);
  std::vector<Vec3> places;
  for (const std::string& name : names) {
    const mjtNum* x = data->xipos + 3 * mj_name2id(model, mjOBJ_BODY, name.c_str());
    places.push_back({x[0], x[1], x[2]});
  }
  mj_deleteData(data);
  mj_deleteModel(model);
  return places;
}

WorldDescription description_of(const std::string& text) {
  ImportOptions options;
  options.keyframe = "start";
  WorldDescription d = import_model("m.xml", options, [&](const std::string&) {
                         return std::optional(text);
                       }).description;
  for (JointDescription& joint : d.joints) {
    joint.limits.reset();
    joint.friction = 0;
  }
  for (BodyDescription& body : d.bodies) body.group = body.mask = 0;
  d.step.threads = 1;
  d.step.tolerance = 1e-12;
  return d;
}

double farthest(WorldDescription d, double step, const std::vector<Vec3>& expected,
                const std::vector<std::string>& names) {
  d.step.step = step;
  Simulation simulation(build_world(d), d.step);
  const auto steps = std::llround(duration / step);
  for (long long i = 0; i < steps; ++i) simulation.step();
  double largest = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Index body = simulation.world().find_body(names[i]);
    largest = std::max(largest, norm(simulation.world().state(body).pose.position - expected[i]));
  }
  return largest;
}

int compare() {
  fmt::print("largest distance between centres of mass by Talus and by MuJoCo {} after {} s\n\n",
             mj_versionString(), duration);
  fmt::print("| model | bodies | step 1 ms | 0.5 ms | 0.25 ms | 0.125 ms | last ratio |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  bool converges = true;
  for (const Machine& machine : all_machines) {
    const std::string text = text_of(machine);
    const WorldDescription d = description_of(text);
    std::vector<std::string> names;
    for (const BodyDescription& body : d.bodies)
      if (body.kind == BodyKind::dynamic) names.push_back(body.name);
    const std::vector<Vec3> expected = by_mujoco(text, names);
    std::vector<double> errors;
    for (const double step : {1e-3, 5e-4, 2.5e-4, 1.25e-4})
      errors.push_back(farthest(d, step, expected, names));
    const double ratio = errors[2] / errors[3];
    fmt::print("| {} | {} | {:.2e} m | {:.2e} m | {:.2e} m | {:.2e} m | {:.2f} |\n", machine.name,
               names.size(), errors[0], errors[1], errors[2], errors[3], ratio);
    converges = converges && ratio > 1.8 && ratio < 2.2;
  }
  fmt::print("\n{}\n", converges ? "All differences halve with the step."
                                 : "A difference does not halve with the step.");
  return converges ? 0 : 1;
}

#endif

} // namespace

int main() {
#ifdef TALUS_HAS_MUJOCO
  try {
    return compare();
  } catch (const Error& error) {
    fmt::print(stderr, "import_bench: {}\n", error.what());
    return 1;
  }
#else
  fmt::print("import_bench needs MuJoCo (Debian: libmujoco-dev)\n");
  return 0;
#endif
}
