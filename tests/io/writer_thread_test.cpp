// The thread that writes the files of a run: order, bounds, and where its exceptions go.

#include "scene_text.h"
#include "support/file_size_limit.h"
#include "talus/core/error.h"
#include "talus/io/checkpoint.h"
#include "talus/io/output/trajectory.h"
#include "talus/io/output/writer_thread.h"
#include "talus/io/recorder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace talus::test {
namespace {

TEST(WriterThread, does_jobs_in_order_and_waits_for_them) {
  std::vector<int> done;
  WriterThread writer(3);
  for (int k = 0; k < 100; ++k) writer.give([&, k] { done.push_back(k); });
  writer.wait();
  ASSERT_EQ(done.size(), 100u);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(done[k], k);
}

TEST(WriterThread, lets_no_more_than_so_many_jobs_wait) {
  std::atomic<int> given = 0, done = 0;
  WriterThread writer(2);
  for (int k = 0; k < 20; ++k) {
    writer.give([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++done;
    });
    ++given;
    EXPECT_LE(given - done, 4) << "two wait, one is being done, one has just been done";
  }
}

TEST(WriterThread, hands_an_exception_over_once_and_goes_on_behind_it) {
  std::vector<int> done;
  WriterThread writer(10);
  writer.give([] { throw std::runtime_error("first"); });
  EXPECT_THROW(writer.wait(), std::runtime_error);
  writer.wait();
  writer.give([&] { done.push_back(1); });
  writer.give([] { throw std::runtime_error("second"); });
  // The next call hands it over once the job was done: give(), or else wait().
  int thrown = 0;
  const auto is_thrown = [&](auto&& call) {
    try {
      call();
      return false;
    } catch (const std::runtime_error&) {
      ++thrown;
      return true;
    }
  };
  const auto give_two = [&] { writer.give([&] { done.push_back(2); }); };
  if (is_thrown(give_two)) give_two();
  is_thrown([&] { writer.wait(); });
  writer.wait();
  EXPECT_EQ(thrown, 1);
  EXPECT_EQ(done, (std::vector{1, 2}));
}

TEST(WriterThread, finishes_everything_and_throws_the_first_exception) {
  std::vector<int> done;
  WriterThread writer(10);
  writer.give([] { throw std::runtime_error("first"); });
  for (int k = 0; k < 3; ++k) try {
      writer.give([&, k] { done.push_back(k); });
    } catch (const std::runtime_error&) {
      --k; // it was handed over here already
    }
  try {
    writer.finish({[] { throw std::runtime_error("second"); }, [&] { done.push_back(9); }});
    ADD_FAILURE() << "threw nothing";
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(done, (std::vector{0, 1, 2, 9}));
}

TEST(WriterThread, ends_with_all_jobs_done) {
  int done = 0;
  {
    WriterThread writer(10);
    writer.give([] { throw std::runtime_error("lost"); });
    for (int k = 0; k < 5; ++k) try {
        writer.give([&] { ++done; });
      } catch (const std::runtime_error&) {
        --k;
      }
  }
  EXPECT_EQ(done, 5);
}

const std::string rolling_balls = R"(
step: 1/100
output: {every: 1}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: ball, shape: {type: sphere, radius: 0.1}, position: [0, 0, 0.1], velocity: [1, 0, 0]}
  - name: pair
    position: [0, 2, 0.1]
    shapes:
      - {shape: {type: sphere, radius: 0.1}}
      - {shape: {type: box, size: [0.1, 0.1, 0.1]}, position: [0.3, 0, 0]}
)";

/// A run whose disk is full from step 30 to step 60 loses those frames only.
TEST(Recorder, a_full_disk_loses_no_step_of_the_tables_and_no_earlier_frame) {
  const ScratchFolder folder;
  Scene scene = scene_from(rolling_balls);
  Simulation simulation(std::move(scene.world), scene.options);
  RunRecorder recorder(folder.path("out"), scene, simulation);
  int complaints = 0;
  const auto steps = [&](int count) {
    for (int k = 0; k < count; ++k) {
      simulation.step();
      try {
        recorder.record(simulation);
      } catch (const FileError&) {
        ++complaints;
      }
    }
  };
  steps(30);
  recorder.flush();
  const auto size = std::filesystem::file_size(folder.path("out/trajectory.h5"));
  {
    const FileSizeLimit full(size);
    steps(30);
    try {
      recorder.flush();
    } catch (const FileError&) {
      ++complaints;
    }
  }
  EXPECT_GT(complaints, 0) << "the run has to hear of it";
  try {
    recorder.finish(simulation);
  } catch (const FileError&) {
  }
  EXPECT_EQ(read_checkpoint(folder.path("out/checkpoint.h5")).state, simulation.state());
  EXPECT_GE(TrajectoryReader(folder.path("out/trajectory.h5")).frames(), 31);
}

TEST(Recorder, spheres_are_particles_in_paraview) {
  const ScratchFolder folder;
  Scene scene = scene_from(rolling_balls);
  Simulation simulation(std::move(scene.world), scene.options);
  RunRecorder recorder(folder.path("out"), scene, simulation);
  simulation.step();
  recorder.record(simulation);
  recorder.finish(simulation);
  const auto vtk_text = [&](const std::string& name) {
    std::ifstream file(folder.path("out/paraview/" + name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_NE(vtk_text("particles.pvd").find("particles_000001.vtp"), std::string::npos);
  const std::string particles = vtk_text("particles_000001.vtp");
  EXPECT_NE(particles.find("NumberOfPoints=\"2\""), std::string::npos) << particles.substr(0, 600);
  for (const char* array : {"radius", "velocity", "body"})
    EXPECT_NE(particles.find(std::string("Name=\"") + array + '"'), std::string::npos) << array;
  // The surfaces are those of the floor, a square, and of the box.
  EXPECT_NE(vtk_text("bodies_000001.vtp").find("NumberOfPolys=\"14\""), std::string::npos)
      << vtk_text("bodies_000001.vtp").substr(0, 600);
}

} // namespace
} // namespace talus::test
