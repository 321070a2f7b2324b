#pragma once
// The built program, seen from outside: run with arguments in a folder of its own, answers with
// exit code, standard output and standard error.

#include "talus/problem/files/fclib_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace talus::test {

using Json = nlohmann::ordered_json;

struct Answer {
  int code = -1;
  std::string out, err;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

/// A box of mass 2 kg pushed over the floor it rests on: four contacts, six degrees of freedom,
/// hyperstatic.
inline ContactProblem sliding_box(double mu = 0.3) {
  const double mass = 2, inertia = 0.5, half = 0.5, step = 0.01;
  std::vector<Triplet> m, h;
  for (Index i = 0; i < 6; ++i) m.push_back({i, i, i < 3 ? mass : inertia});
  for (Index c = 0; c < 4; ++c) {
    const Vec3 arm = {c % 2 == 0 ? half : -half, c / 2 == 0 ? half : -half, -half};
    const Vec3 axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (Index j = 0; j < 3; ++j) {
      const Vec3 torque = cross(arm, axes[j]);
      const double entries[6] = {axes[j].x, axes[j].y, axes[j].z, torque.x, torque.y, torque.z};
      for (Index i = 0; i < 6; ++i)
        if (entries[i] != 0) h.push_back({i, 3 * c + j, entries[i]});
    }
  }
  ContactProblem problem;
  problem.title = "box on the floor";
  problem.mu.assign(4, mu);
  GlobalModel model;
  model.M = from_triplets(6, 6, m);
  model.H = from_triplets(6, 12, h);
  model.f = {mass * 1.0, 0, -mass * 9.81 * step, 0, 0, inertia * 0.2};
  model.w.assign(12, 0.0);
  problem.model = model;
  return problem;
}

/// Two contacts in the plane, Delassus matrix given.
inline ContactProblem planar_pair() {
  ContactProblem problem;
  problem.dimension = 2;
  problem.mu = {0.5, 0.2};
  LocalModel model;
  model.W = from_triplets(4, 4,
                          {{0, 0, 2},
                           {1, 1, 2},
                           {2, 2, 1},
                           {3, 3, 1},
                           {0, 2, 0.5},
                           {2, 0, 0.5},
                           {1, 3, 0.25},
                           {3, 1, 0.25}});
  model.q = {-1, 0.4, -0.3, -0.9};
  problem.model = model;
  return problem;
}

/// A contact that nothing can move: not a problem (its diagonal block is zero).
inline ContactProblem immovable() {
  ContactProblem problem;
  problem.mu = {0.5};
  LocalModel model;
  model.W = zero_matrix(3, 3);
  model.q = {-1, 0, 0};
  problem.model = model;
  return problem;
}

class ProgramTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "talus-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    capture_ = folder_.string() + "-streams";
    std::filesystem::create_directory(capture_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::remove_all(capture_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write_problem(const std::string& name, const ContactProblem& problem) const {
    FclibFile file;
    file.problem = problem;
    write_fclib(path(name), file);
    return path(name);
  }

  Answer talus(const std::vector<std::string>& arguments,
               const std::string& environment = "") const {
    std::string program = TALUS_PROGRAM;
    return run(program, arguments, environment);
  }

  Answer run(const std::string& program, const std::vector<std::string>& arguments,
             const std::string& environment = "") const {
    std::string line =
        "cd " + quoted(folder_.string()) + " && " + environment + " " + quoted(program);
    for (const std::string& argument : arguments) line += " " + quoted(argument);
    const auto out = capture_ / "out", err = capture_ / "err";
    line += " >" + quoted(out.string()) + " 2>" + quoted(err.string()) + " </dev/null";
    const int status = std::system(line.c_str());
    Answer answer;
    answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    answer.out = read_text(out);
    answer.err = read_text(err);
    return answer;
  }

  /// Names of all files below the test's folder, which catches temporary files left behind.
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
      if (entry.is_regular_file())
        names.insert(std::filesystem::relative(entry.path(), folder_).string());
    return names;
  }

private:
  static std::string quoted(const std::string& text) {
    std::string safe = "'";
    for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return safe + "'";
  }

  std::filesystem::path folder_, capture_;
};

/// The words must all occur in the text.
inline void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is missing in: " << text;
}

} // namespace talus::test
