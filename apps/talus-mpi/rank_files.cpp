#include "rank_files.h"

#include "talus/io/divided/divided_recorder.h"
#include "talus/io/recorder.h"

#include <optional>

namespace talus::mpi {
namespace {

class WholeFiles : public RankFiles {
public:
  WholeFiles(const std::string& folder, cli::LoadedScene& loaded, RankSimulation& simulation,
             Ranks& ranks)
      : every_(loaded.scene.output.every),
        looks_every_step_(!loaded.scene.description.sensors.empty() || simulation.joints() > 0),
        mirror_(loaded.simulation), simulation_(simulation), ranks_(ranks) {
    ranks_.together([&] {
      if (ranks_.rank() == 0) recorder_.emplace(folder, loaded.scene, mirror_);
    });
    if (ranks_.rank() == 0) last_ = mirror_.state();
  }

  void record(bool checkpoint) override {
    show(simulation_.steps() % every_ == 0 || checkpoint || looks_every_step_);
    const ContactSums sums = simulation_.contact_sums();
    write([&] {
      recorder_->record(mirror_, {sums.support, sums.largest, largest_joint_force(mirror_)});
      if (checkpoint) recorder_->checkpoint(mirror_);
    });
  }

  void finish() override {
    show(true);
    write([&] { recorder_->finish(mirror_); });
  }

private:
  template <class Work>
  void write(Work&& work) {
    ranks_.together([&] {
      if (recorder_) work();
    });
  }

  /// Brings the first rank's simulation up to date: all of it, or the time and the report.
  void show(bool everything) {
    RankSimulation::Forces forces;
    if (everything) {
      forces = simulation_.gather_forces();
      SimulationState state = simulation_.gather_state();
      if (ranks_.rank() == 0) last_ = std::move(state);
    }
    if (ranks_.rank() != 0) return;
    last_.steps = simulation_.steps();
    last_.time = simulation_.time();
    mirror_.adopt(last_, simulation_.report(),
                  {std::move(forces.contacts), std::move(forces.impulses),
                   std::move(forces.moments), forces.joints.rows, forces.joints.multipliers});
  }

  std::int64_t every_;
  /// Sensors look at bodies after every step, and forces of joints are in axes of bodies.
  bool looks_every_step_;
  Simulation& mirror_;
  RankSimulation& simulation_;
  Ranks& ranks_;
  SimulationState last_;
  std::optional<RunRecorder> recorder_;
};

class DividedFiles : public RankFiles {
public:
  DividedFiles(const std::string& folder, const Scene& scene, RankSimulation& simulation,
               Ranks& ranks)
      : recorder_(folder, scene, simulation, ranks) {}

  void record(bool checkpoint) override {
    recorder_.record();
    if (checkpoint) recorder_.checkpoint();
  }
  void finish() override { recorder_.finish(); }

private:
  DividedRecorder recorder_;
};

} // namespace

std::unique_ptr<RankFiles> files_of_whole_scene(const std::string& folder, cli::LoadedScene& loaded,
                                                RankSimulation& simulation, Ranks& ranks) {
  return std::make_unique<WholeFiles>(folder, loaded, simulation, ranks);
}

std::unique_ptr<RankFiles> files_of_divided_scene(const std::string& folder, const Scene& scene,
                                                  RankSimulation& simulation, Ranks& ranks) {
  return std::make_unique<DividedFiles>(folder, scene, simulation, ranks);
}

} // namespace talus::mpi
