#pragma once
// Helpers of the tests of `talus run` and `talus export`.

#include "program.h"
#include "talus/io/output/trajectory.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

namespace talus::test {

/// Forty balls that fall into a box: a few milliseconds per step.
inline const std::string falling_balls = R"(step: 1/200
duration: 0.2
solver: {tolerance: 1e-6}
output: {every: 2}
bodies:
  - {name: box, motion: fixed, shape: {type: open_box, inner: [0.6, 0.6, 1], wall: 0.1}}
generators:
  - {type: packing, name: ball, count: 40, radius: [0.04, 0.06], box: {min: [-0.3, -0.3, 0], max: [0.3, 0.3, 0.6]},
     seed: 2, velocity: [0, 0, -2]}
)";

/// A hundred spheres that share a place under a slab: a step takes minutes.
inline const std::string overlapping_spheres = R"(step: 1/240
duration: 1
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: slab, mass: 16000, position: [0, 0, 0.45], shape: {type: box, size: [2.4, 2.4, 0.5]}}
generators:
  - {type: grid, name: sphere, shape: {type: sphere, radius: 1}, counts: [10, 10, 1], spacing: [0.22, 0.22, 1],
     position: [-0.99, -0.99, 0.1], mass: 6.28}
)";

/// The program, running beside the test. What it says goes to a file, if one is named.
class RunningProgram {
public:
  explicit RunningProgram(const std::vector<std::string>& arguments,
                          const std::string& said = "/dev/null") {
    std::vector<std::string> all = {TALUS_PROGRAM};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& argument : all) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    process_ = fork();
    if (process_ != 0) return;
    dup2(open("/dev/null", O_RDONLY), 0);
    const int output = open(said.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    for (const int stream : {1, 2}) dup2(output, stream);
    execv(TALUS_PROGRAM, pointers.data());
    _exit(127);
  }
  ~RunningProgram() {
    if (process_ > 0) end(SIGKILL);
  }
  /// Waits until a signal would be noted instead of ending the program: its work has begun. False
  /// when it ends before.
  bool listens(int signal) const {
    while (process_is_there()) {
      const std::string status = read_text("/proc/" + std::to_string(process_) + "/status");
      const std::size_t caught = status.find("SigCgt:");
      if (caught != std::string::npos &&
          (std::stoull(status.substr(caught + 7), nullptr, 16) >> (signal - 1) & 1) != 0)
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  /// Sends the signal and waits; returns the exit code, or minus the signal that ended it.
  int end(int signal) {
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

private:
  bool process_is_there() const {
    siginfo_t info = {};
    return waitid(P_PID, process_, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
  }

  pid_t process_ = -1;
};

inline void wait_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// Waits until the file exists, at most ten seconds.
inline bool appears(const std::string& path) {
  for (int i = 0; i < 1000; ++i) {
    if (std::filesystem::exists(path)) return true;
    wait_for(0.01);
  }
  return false;
}

/// All frames of a trajectory, to be compared.
struct Frames {
  std::vector<std::int64_t> steps;
  std::vector<double> times;
  std::vector<std::vector<BodyState>> states;
  std::vector<std::vector<Vec3>> impulses;
  bool operator==(const Frames&) const = default;
};

inline Frames frames_of(const std::string& path) {
  const TrajectoryReader reader(path);
  Frames frames;
  for (Index f = 0; f < reader.frames(); ++f) {
    frames.steps.push_back(reader.step(f));
    frames.times.push_back(reader.time(f));
    frames.states.push_back(reader.states(f));
    frames.impulses.emplace_back();
    reader.contacts(f, frames.impulses.back());
  }
  return frames;
}

class SimulationTest : public ProgramTest {
protected:
  std::string write_scene(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
};

} // namespace talus::test
