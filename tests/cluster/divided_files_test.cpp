// Files of runs over ranks of which none has the whole world: those of a recorder that has it.

#include "cluster/rank_scenes.h"
#include "scratch_folder.h"
#include "support/file_size_limit.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/io/checkpoint.h"
#include "talus/io/divided/divided_recorder.h"
#include "talus/io/divided/rank_sensors.h"
#include "talus/io/recorder.h"

#include <cstring>
#include <map>
#include <sstream>

namespace talus {
namespace {

using namespace test;
namespace fs = std::filesystem;

const std::string scene_of_everything = R"(
title: all that files hold
step: 1/240
contact: rigid
materials:
  m: {friction: 0.5, rolling: 0.002, spinning: 0.001}
bodies:
  - {name: floor, motion: fixed, material: m, shape: {type: half_space}}
  - {name: arm, material: m, mass: 5, shape: {type: box, size: [1.0, 0.1, 0.2]}, position: [0, 0, 0.5]}
joints:
  - {name: axle, type: revolute, between: [ground, arm], at: [0, 0, 0.5], axis: [0, 0, 1], motor: {speed: 3}}
generators:
  - {type: grid, name: s, shape: {type: sphere, radius: 0.05}, counts: [9, 9, 1],
     spacing: [0.099, 0.101, 0.101], position: [-0.4, -0.4, 0.05], jitter: 0.002, material: m}
  - {type: packing, name: p, radius: [0.03, 0.06], count: 20, material: m,
     box: {min: [-0.5, -0.5, 0.2], max: [0.5, 0.5, 0.4]}, velocity: [0, 0, -3]}
  - {type: grid, name: b, shape: {type: box, size: [0.06, 0.08, 0.1]}, counts: [9, 8, 1], material: m,
     spacing: [0.1, 0.1, 1], position: [-0.4, -0.35, 0.68], velocity: [0, 0, -1], remove_at: 0.03}
sensors:
  - {name: ground, type: contact_force, body: floor}
  - {name: pair, type: contact_force, body: s 5, other: s 6}
  - {name: group, type: contact_force, body: "s *", other: "p *"}
  - {name: heap, type: contact_force, body: "s *"}
  - {name: place, type: position, body: s 20}
  - {name: speed, type: velocity, body: b 3}
  - {name: far, type: distance, between: [s 1, arm], points: [[0, 0, 0], [0, 0, 1]]}
  - {name: energy, type: energy}
  - {name: stress, type: stress, box: {min: [-0.5, -0.5, 0], max: [0.5, 0.5, 0.4]}}
  - {name: flux, type: flux, point: [0, 0, 0.3], normal: [0, 0, -2]}
  - {name: hinge, type: joint_force, joint: axle}
  - {name: angle, type: joint_position, joint: axle}
  - {name: turn, type: joint_velocity, joint: axle}
  - {name: effort, type: motor_effort, joint: axle}
output: {every: 3}
)";

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// All datasets below a group: their shapes and bytes.
void add_datasets(const Hdf5File& file, const std::string& group,
                  std::map<std::string, std::string>& all) {
  for (const std::string& member : file.members(group.empty() ? "/" : group)) {
    const std::string name = group + "/" + member;
    if (file.is_group(name)) {
      add_datasets(file, name, all);
      continue;
    }
    std::string& content = all[name];
    for (const std::size_t extent : file.shape(name)) content += std::to_string(extent) + " ";
    const auto add = [&](const auto& values) {
      content.append(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(values[0]));
    };
    if (file.shape(name).empty()) {
      content += file.read_string(name);
      continue;
    }
    try {
      add(file.read<double>(name));
    } catch (const FileError&) {
      add(file.read<std::int64_t>(name));
    }
  }
}

/// A table without the columns that say how long things took.
std::string without_seconds(const std::string& path) {
  std::ifstream file(path);
  std::string line, cell, text;
  std::vector<bool> keeps;
  while (std::getline(file, line)) {
    std::stringstream cells(line);
    for (std::size_t k = 0; std::getline(cells, cell, ','); ++k) {
      if (keeps.size() <= k) keeps.push_back(!cell.starts_with("seconds_"));
      if (keeps[k]) text += cell + ",";
    }
    text += '\n';
  }
  return text;
}

/// Everything in the folder of a run but its checkpoint, by name.
std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> all;
  add_datasets(Hdf5File::open(folder + "/trajectory.h5"), "", all);
  for (const char* table : {"steps.csv", "sensors.csv"})
    all[table] = without_seconds(folder + "/" + table);
  for (const auto& entry : fs::directory_iterator(folder + "/paraview"))
    all[entry.path().filename().string()] = text_of_file(entry.path().string());
  return all;
}

void expect_same_files(const std::string& folder, const std::string& expected_folder,
                       const std::string& what) {
  const auto expected = contents(expected_folder), found = contents(folder);
  for (const auto& [name, content] : expected) {
    const auto at = found.find(name);
    if (at == found.end())
      ADD_FAILURE() << what << ": there is no " << name;
    else
      EXPECT_TRUE(at->second == content) << what << ": " << name << " differs";
  }
  EXPECT_EQ(found.size(), expected.size()) << what;
}

/// The files of a run whose first rank has the whole world.
void record_whole(const std::string& folder, int steps) {
  run_ranks(1, [&](Ranks& ranks) {
    Scene scene = build_scene(source_of(scene_of_everything));
    RankSimulation simulation(scene.world, scene.options, ranks, small_cells());
    Simulation mirror(std::move(scene.world), scene.options);
    RunRecorder recorder(folder, scene, mirror);
    const auto show = [&] {
      auto forces = simulation.gather_forces();
      mirror.adopt(simulation.gather_state(), simulation.report(),
                   {std::move(forces.contacts), std::move(forces.impulses),
                    std::move(forces.moments), forces.joints.rows, forces.joints.multipliers});
    };
    for (int k = 0; k < steps; ++k) {
      simulation.step();
      show();
      const ContactSums sums = simulation.contact_sums();
      const ForceSums plain = force_sums(mirror);
      EXPECT_LE(norm(sums.support - plain.support), 1e-12 * norm(plain.support));
      EXPECT_EQ(sums.largest, plain.largest_contact);
      recorder.record(mirror, {sums.support, sums.largest, plain.largest_joint});
    }
    recorder.finish(mirror);
  });
}

/// Pieces so small that there are many of them, across those of ranks.
constexpr PieceSizes small_pieces{.bodies = 7, .contacts = 11};

void record_divided(const std::string& folder, int ranks_count, int steps) {
  run_ranks(ranks_count, [&](Ranks& ranks) {
    PartOfRun run = part_of_run(source_of(scene_of_everything), ranks);
    DividedRecorder recorder(folder, run.scene, run.simulation, ranks, small_pieces);
    for (int k = 0; k < steps; ++k) {
      run.simulation.step();
      recorder.record();
    }
    recorder.finish();
  });
}

class DividedFiles : public testing::Test {
protected:
  static constexpr int steps = 14;
  std::string whole() {
    record_whole(folder_.path("whole"), steps);
    return folder_.path("whole");
  }
  ScratchFolder folder_;
};

TEST_F(DividedFiles, AreThoseOfTheWholeWorld) {
  const std::string expected = whole();
  const auto all = contents(expected);
  EXPECT_TRUE(all.contains("particles_000012.vtp"));
  EXPECT_GT(all.at("/removed/body").size(), 8u * 72);
  for (const int ranks : {1, 3}) {
    const std::string divided = folder_.path("divided" + std::to_string(ranks));
    record_divided(divided, ranks, steps);
    expect_same_files(divided, expected, std::to_string(ranks) + " ranks");
  }
}

TEST_F(DividedFiles, GoOnInTheirFolder) {
  const std::string uninterrupted = folder_.path("divided");
  record_divided(uninterrupted, 2, steps);
  const std::string folder = folder_.path("stopped");
  record_divided(folder, 3, 11); // bodies are removed; the last frame is not one of those to stay
  const Checkpoint checkpoint = read_checkpoint(folder + "/checkpoint.h5");
  run_ranks(2, [&](Ranks& ranks) {
    PartOfRun run = part_of_run(source_of(scene_of_everything), ranks);
    run.simulation.restore(checkpoint.state);
    DividedRecorder recorder(folder, run.scene, run.simulation, ranks, small_pieces);
    while (run.simulation.steps() < steps) {
      run.simulation.step();
      recorder.record();
    }
    recorder.finish();
  });
  expect_same_files(folder, uninterrupted, "restart");
}

/// The first rank alone meets the full disk; all of them hear of it, and what was there stays.
TEST_F(DividedFiles, AFullDiskIsAnErrorOfAllRanks) {
  const std::string folder = folder_.path("full");
  constexpr int count = 3;
  std::vector<std::string> said(count);
  run_ranks(count, [&](Ranks& ranks) {
    PartOfRun run = part_of_run(source_of(scene_of_everything), ranks);
    DividedRecorder recorder(folder, run.scene, run.simulation, ranks, small_pieces);
    for (int k = 0; k < 3; ++k) {
      run.simulation.step();
      recorder.record();
    }
    recorder.checkpoint();
    std::optional<FileSizeLimit> full; // of the process, which is that of all ranks here
    ranks.together([&] {
      if (ranks.rank() == 0) full.emplace(fs::file_size(folder + "/trajectory.h5") + 100);
    });
    try {
      for (int k = 0; k < 30; ++k) {
        run.simulation.step();
        recorder.record();
      }
    } catch (const Error& error) {
      said[ranks.rank()] = error.what();
    }
    ranks.agree();
  });
  for (const std::string& message : said) {
    EXPECT_NE(message.find("cannot be written"), std::string::npos) << message;
    EXPECT_EQ(message, said[0]);
  }
  EXPECT_EQ(read_checkpoint(folder + "/checkpoint.h5").state.steps, 3);
  const TrajectoryReader left(folder + "/trajectory.h5");
  ASSERT_GE(left.frames(), 2);
  EXPECT_EQ(left.step(1), 3);
}

TEST_F(DividedFiles, SensorsThatAskForWhatThereIsNotAreRefused) {
  for (const auto& [sensor, complaint] :
       {std::pair("{name: x, type: position, body: s 81}", "sensor 'x': there is no body 's 81'"),
        std::pair("{name: x, type: contact_force, body: \"t *\"}",
                  "sensor 'x': no body has a name like 't *'"),
        std::pair("{name: x, type: contact_force, body: [s 1, s 2], other: s 2}",
                  "sensor 'x': body 's 2' is on both sides")}) {
    std::string text = scene_of_everything;
    text.insert(text.find("sensors:") + 8, "\n  - " + std::string(sensor));
    try {
      run_ranks(2, [&](Ranks& ranks) {
        PartOfRun run = part_of_run(source_of(text), ranks);
        DividedRecorder(folder_.path("refused"), run.scene, run.simulation, ranks);
      });
      ADD_FAILURE() << sensor;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(complaint), std::string::npos) << error.what();
    }
  }
}

TEST(DividedWorlds, OverlapsAreThoseOfTheWholeWorld) {
  std::string text = scene_of_everything;
  const std::string spacing = "[0.099, 0.101, 0.101]";
  text.replace(text.find(spacing), spacing.size(), "[0.09, 0.101, 0.101]");
  const Scene scene = build_scene(source_of(text));
  const std::vector<Overlap> expected = find_overlaps(scene.world);
  ASSERT_GT(expected.size(), 20u);
  std::uint64_t without = 0;
  for (const bool searches : {false, true})
    for (const int count : {1, 3, 8})
      run_ranks(count, [&](Ranks& ranks) {
        PartOfRun run = part_of_run(source_of(text), ranks);
        RankSimulation::Overlaps found;
        if (searches) found = run.simulation.find_overlaps(8);
        run.simulation.step();
        const std::uint64_t hash = run.simulation.hash();
        if (ranks.rank() != 0) return;
        if (without == 0) without = hash;
        EXPECT_EQ(hash, without) << "the search changes the steps";
        if (!searches) return;
        EXPECT_EQ(found.pairs, static_cast<std::int64_t>(expected.size()));
        ASSERT_EQ(found.deepest.size(), 8u);
        for (std::size_t k = 0; k < found.deepest.size(); ++k) {
          EXPECT_EQ(found.deepest[k], expected[k]);
          EXPECT_EQ(found.names[k].first, scene.world.bodies()[expected[k].body_a].name);
          EXPECT_EQ(found.names[k].second, scene.world.bodies()[expected[k].body_b].name);
        }
      });
}

TEST(DividedWorlds, ContactsOfOnePairStayTogether) {
  run_ranks(3, [&](Ranks& ranks) {
    PartOfRun run = part_of_run(source_of(scene_of_everything), ranks);
    run.simulation.keep_contacts();
    for (int k = 0; k < 3; ++k) run.simulation.step();
    const auto forces = run.simulation.gather_forces();
    std::vector<ContactPoint> all;
    std::size_t most = 0;
    run.simulation.for_contacts(1, [&](std::span<const ActingContact> piece) {
      most = std::max(most, piece.size());
      for (const ActingContact& contact : piece) {
        EXPECT_EQ(contact.point.collider_a, piece.front().point.collider_a);
        EXPECT_EQ(contact.point.collider_b, piece.front().point.collider_b);
        all.push_back(contact.point);
      }
    });
    if (ranks.rank() != 0) return;
    EXPECT_EQ(all.size(), forces.contacts.size());
    EXPECT_GT(most, 1u) << "no box lies on four corners";
    for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k].point, forces.contacts[k].point);
  });
}

TEST(NumberRuns, KnowTheirNumbers) {
  NumberRuns runs;
  EXPECT_TRUE(runs.empty());
  for (const Index number : {2, 3, 4, 9, 9, 11, 12}) runs.add(number);
  std::vector<Index> found;
  for (Index k = 0; k < 14; ++k)
    if (runs.contains(k)) found.push_back(k);
  EXPECT_EQ(found, (std::vector<Index>{2, 3, 4, 9, 11, 12}));
}

} // namespace
} // namespace talus
