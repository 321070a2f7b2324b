#include "scratch_folder.h"
#include "support/random_models.h"
#include "talus/core/error.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/problem/files/problem_file.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>

namespace talus {
namespace {

using test::dense;
using test::RandomProblems;
using test::ScratchFolder;

/// A small local file written dataset by dataset: 1 contact in the plane, W = [[2, 1], [1, 3]].
class RawLocal {
public:
  RawLocal() {
    ints["spacedim"] = {2};
    set_matrix("W", 2, 2, -2, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 3});
    doubles["vectors/q"] = {-1, 0.5};
    doubles["vectors/mu"] = {0.3};
  }

  void set_matrix(const std::string& name, Index rows, Index columns, Index nz,
                  std::vector<Index> p, std::vector<Index> i, Vector x) {
    ints[name + "/nzmax"] = {static_cast<Index>(x.size())};
    ints[name + "/m"] = {rows};
    ints[name + "/n"] = {columns};
    ints[name + "/nz"] = {nz};
    ints[name + "/p"] = std::move(p);
    ints[name + "/i"] = std::move(i);
    doubles[name + "/x"] = std::move(x);
  }

  void add_equality() {
    set_matrix("V", 2, 1, 2, {0, 0}, {0, 1}, {4, 5});
    set_matrix("R", 1, 1, -1, {0, 1}, {0}, {6});
    doubles["vectors/s"] = {7};
  }

  std::string write(const ScratchFolder& folder) const {
    const std::string path = folder.path("raw.hdf5");
    Hdf5File file = Hdf5File::create(path);
    file.make_group(root);
    for (const auto& [name, values] : ints) file.write<Index>(place(name), values);
    for (const auto& [name, values] : doubles) file.write<double>(place(name), values);
    file.close();
    return path;
  }

  std::string root = "/fclib_local";
  std::map<std::string, std::vector<Index>> ints;
  std::map<std::string, Vector> doubles;

private:
  std::string place(const std::string& name) const {
    return name.starts_with('/') ? name : root + "/" + name;
  }
};

LocalModel read_local(const RawLocal& raw) {
  const ScratchFolder folder;
  return std::get<LocalModel>(read_fclib(raw.write(folder)).problem.model);
}

TEST(FclibRead, KnowsEveryStorage) {
  const Vector expected = {2, 0, 1, 3};
  RawLocal raw;
  raw.set_matrix("W", 2, 2, -2, {0, 1, 3}, {0, 0, 1}, {2, 1, 3});
  EXPECT_EQ(dense(read_local(raw).W), expected) << "compressed rows";
  raw.set_matrix("W", 2, 2, -1, {0, 2, 3}, {0, 1, 1}, {2, 1, 3});
  EXPECT_EQ(dense(read_local(raw).W), expected) << "compressed columns";
  raw.set_matrix("W", 2, 2, 3, {0, 1, 0}, {1, 1, 0}, {1, 3, 2});
  EXPECT_EQ(dense(read_local(raw).W), expected) << "triplets: p is the column";
}

TEST(FclibRead, DuplicatesAddUpInEveryStorage) {
  const Vector expected = {2, 0, 1, 3};
  RawLocal raw;
  raw.set_matrix("W", 2, 2, -2, {0, 2, 5}, {0, 0, 1, 0, 1}, {1.5, 0.5, 2, 1, 1});
  EXPECT_EQ(dense(read_local(raw).W), expected);
  EXPECT_EQ(read_local(raw).W.nonzeros(), 3);
  raw.set_matrix("W", 2, 2, -1, {0, 3, 5}, {1, 0, 0, 1, 1}, {1, 0.5, 1.5, 4, -1});
  EXPECT_EQ(dense(read_local(raw).W), expected);
  raw.set_matrix("W", 2, 2, 5, {0, 1, 0, 1, 0}, {0, 1, 0, 1, 1}, {1, 1, 1, 2, 1});
  EXPECT_EQ(dense(read_local(raw).W), expected);
}

TEST(FclibRead, AllowsRoomForMoreEntries) {
  RawLocal raw;
  raw.set_matrix("W", 2, 2, -2, {0, 1, 2}, {0, 1, 77, -1}, {2, 3, 9, 9});
  EXPECT_EQ(dense(read_local(raw).W), (Vector{2, 0, 0, 3})) << "beyond the last pointer";
  raw.set_matrix("W", 2, 2, 2, {0, 1}, {0, 1}, {2, 3});
  raw.ints["W/nzmax"] = {100};
  EXPECT_EQ(dense(read_local(raw).W), (Vector{2, 0, 0, 3})) << "nzmax above nz";
}

TEST(FclibRead, ReadsEqualitiesWithAndWithoutThem) {
  RawLocal raw;
  EXPECT_TRUE(read_local(raw).s.empty());
  raw.add_equality();
  const LocalModel model = read_local(raw);
  EXPECT_EQ(dense(model.V), (Vector{4, 5}));
  EXPECT_EQ(dense(model.R), (Vector{6}));
  EXPECT_EQ(model.s, (Vector{7}));
  EXPECT_TRUE(model.U.empty());
}

TEST(FclibRead, ReadsGlobalFilesOfMixedStorage) {
  RawLocal raw;
  raw.root = "/fclib_global";
  raw.ints.clear();
  raw.doubles.clear();
  raw.ints["spacedim"] = {2};
  raw.set_matrix("M", 3, 3, -1, {0, 1, 2, 3}, {0, 1, 2}, {2, 3, 4});
  raw.set_matrix("H", 3, 2, -2, {0, 2, 2, 3}, {0, 1, 1}, {1, -1, 5});
  raw.set_matrix("G", 3, 1, 2, {0, 0}, {1, 2}, {7, 8});
  raw.doubles["vectors/f"] = {1, 2, 3};
  raw.doubles["vectors/w"] = {4, 5};
  raw.doubles["vectors/b"] = {6};
  raw.doubles["vectors/mu"] = {0};
  const ScratchFolder folder;
  const ContactProblem problem = read_problem(raw.write(folder));
  const auto& model = std::get<GlobalModel>(problem.model);
  EXPECT_EQ(problem.contacts(), 1);
  EXPECT_EQ(problem.equalities(), 1);
  EXPECT_EQ(dense(model.M), (Vector{2, 0, 0, 0, 3, 0, 0, 0, 4}));
  EXPECT_EQ(dense(model.H), (Vector{1, -1, 0, 0, 0, 5}));
  EXPECT_EQ(dense(model.G), (Vector{0, 7, 8}));
}

std::string error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const FileError& error) {
    return error.what();
  }
  return "(no FileError)";
}

TEST(FclibRead, RejectsContradictionsAndNamesTheDataset) {
  constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double quiet_infinity = std::numeric_limits<double>::infinity();
  struct Case {
    const char* words;
    std::function<void(RawLocal&)> spoil;
  };
  const Case table[] = {
      {"/fclib_local/spacedim is missing", [](auto& r) { r.ints.erase("spacedim"); }},
      {"spacedim is 5", [](auto& r) { r.ints["spacedim"] = {5}; }},
      {"spacedim is 1", [](auto& r) { r.ints["spacedim"] = {1}; }},
      {"spacedim must have exactly one",
       [](auto& r) {
         r.ints["spacedim"] = {2, 2};
       }},
      {"spacedim must have exactly one", [](auto& r) { r.ints["spacedim"] = {}; }},
      {"whole number of contacts", [](auto& r) { r.ints["spacedim"] = {3}; }},
      {"vectors/q is missing", [](auto& r) { r.doubles.erase("vectors/q"); }},
      {"vectors/mu is missing", [](auto& r) { r.doubles.erase("vectors/mu"); }},
      {"vectors/mu must be a vector of 1",
       [](auto& r) {
         r.doubles["vectors/mu"] = {1, 1};
       }},
      {"vectors/mu[0] is -0.5", [](auto& r) { r.doubles["vectors/mu"] = {-0.5}; }},
      {"vectors/mu[0] is nan", [=](auto& r) { r.doubles["vectors/mu"] = {quiet_nan}; }},
      {"vectors/q[1] is inf",
       [=](auto& r) {
         r.doubles["vectors/q"] = {1, quiet_infinity};
       }},
      {"W/x[2] is nan", [=](auto& r) { r.doubles["W/x"][2] = quiet_nan; }},
      {"W/m is missing", [](auto& r) { r.ints.erase("W/m"); }},
      {"W/nz is missing", [](auto& r) { r.ints.erase("W/nz"); }},
      {"W/p is missing", [](auto& r) { r.ints.erase("W/p"); }},
      {"W/i is missing", [](auto& r) { r.ints.erase("W/i"); }},
      {"W/x is missing", [](auto& r) { r.doubles.erase("W/x"); }},
      {"W is 3 x 2", [](auto& r) { r.ints["W/m"] = {3}; }},
      {"W is 2 x 2147483647", [](auto& r) { r.ints["W/n"] = {2147483647}; }},
      {"W is -2 x 2", [](auto& r) { r.ints["W/m"] = {-2}; }},
      {"W/nz is -3", [](auto& r) { r.ints["W/nz"] = {-3}; }},
      {"W/nz promises 5", [](auto& r) { r.ints["W/nz"] = {5}; }},
      {"W/nz promises 4", [](auto& r) { r.ints["W/nz"] = {4}; }},
      {"W/p has 2 entries",
       [](auto& r) {
         r.ints["W/p"] = {0, 4};
       }},
      {"W/p has 0 entries", [](auto& r) { r.ints["W/p"] = {}; }},
      {"W/p starts with 1",
       [](auto& r) {
         r.ints["W/p"] = {1, 2, 4};
       }},
      {"W/p decreases",
       [](auto& r) {
         r.ints["W/p"] = {0, 5, 4};
       }},
      {"W/p decreases",
       [](auto& r) {
         r.ints["W/p"] = {0, 2, -4};
       }},
      {"W/p ends with 5",
       [](auto& r) {
         r.ints["W/p"] = {0, 2, 5};
       }},
      {"W/p ends with 2147483647",
       [](auto& r) {
         r.ints["W/p"] = {0, 2, 2147483647};
       }},
      {"W/i[3] is 2", [](auto& r) { r.ints["W/i"][3] = 2; }},
      {"W/i[0] is -1", [](auto& r) { r.ints["W/i"][0] = -1; }},
      {"they must be as many", [](auto& r) { r.ints["W/i"].push_back(0); }},
      {"W/i[1] is 2",
       [](auto& r) {
         r.set_matrix("W", 2, 2, 2, {0, 1}, {0, 2}, {1, 1});
       }},
      {"W/p[1] is 2",
       [](auto& r) {
         r.set_matrix("W", 2, 2, 2, {0, 2}, {0, 1}, {1, 1});
       }},
      {"W(0, 0) is inf", // finite entries whose sum is not
       [](auto& r) {
         r.set_matrix("W", 2, 2, 2, {0, 0}, {0, 0}, {1.7e308, 1.7e308});
       }},
      {"vectors/s is missing", [](auto& r) { r.doubles.erase("vectors/s"); }},
      {"V needs /fclib_local/R",
       [](auto& r) {
         std::erase_if(r.ints, [](auto& e) { return e.first.starts_with("R/"); }),
             r.doubles.erase("R/x");
       }},
      {"V is 1 x 2", [](auto& r) { r.ints["V/m"] = {1}, r.ints["V/n"] = {2}; }},
      {"R is 2 x 1", [](auto& r) { r.ints["R/m"] = {2}; }},
      {"/guesses/number_of_guesses is missing",
       [](auto& r) {
         r.doubles["/guesses/1/r"] = {0, 0};
       }},
      {"/guesses/1 is missing",
       [](auto& r) { r.ints["/guesses/number_of_guesses"] = {2000000000}; }},
      {"/solution/r must be a vector of 2",
       [](auto& r) {
         r.doubles["/solution/r"] = {1, 2, 3};
       }},
      {"/solution/v must be a vector of 0", [](auto& r) { r.doubles["/solution/v"] = {1}; }},
      {"/solution/u[0] is nan",
       [=](auto& r) {
         r.doubles["/solution/u"] = {nan, 0};
       }},
      {"both /fclib_local and", [](auto& r) { r.doubles["/fclib_global/x"] = {0}; }},
      {"neither /fclib_local nor", [](auto& r) { r.root = "/elsewhere"; }},
      {"rolling", [](auto& r) { r.root = "/fclib_global_rolling"; }},
      {"is missing", [](auto& r) { r.root = "/fclib_global"; }},
  };
  for (const Case& spoiled : table) {
    RawLocal raw;
    raw.add_equality();
    ASSERT_NO_THROW(read_local(raw));
    spoiled.spoil(raw);
    const std::string error = error_of([&] { read_local(raw); });
    EXPECT_NE(error.find(spoiled.words), std::string::npos)
        << "'" << error << "' does not contain '" << spoiled.words << "'";
    EXPECT_NE(error.find("raw.hdf5: "), std::string::npos) << error;
  }
}

TEST(FclibRead, RejectsDatasetsOfTheWrongKind) {
  const ScratchFolder folder;
  const auto error_with = [&](const RawLocal& raw, const std::function<void(Hdf5File&)>& add) {
    const std::string path = raw.write(folder);
    Hdf5File file = Hdf5File::open_to_append(path);
    add(file);
    file.close();
    return error_of([&] { read_fclib(path); });
  };
  const auto expect = [](const std::string& error, const std::string& words) {
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  RawLocal without_q, without_p, without_i;
  without_q.doubles.erase("vectors/q");
  without_p.ints.erase("W/p");
  without_i.ints.erase("W/i");
  expect(error_with(without_q,
                    [](Hdf5File& file) {
                      const std::vector<Index> q = {1, 2};
                      file.write<Index>("/fclib_local/vectors/q", q);
                    }),
         "/fclib_local/vectors/q does not hold floating-point numbers");
  expect(error_with(without_p,
                    [](Hdf5File& file) {
                      const Vector p = {0, 2, 4};
                      file.write<double>("/fclib_local/W/p", p);
                    }),
         "/fclib_local/W/p does not hold integers");
  expect(error_with(without_i, [](Hdf5File& file) { file.make_group("/fclib_local/W/i"); }),
         "dataset /fclib_local/W/i is missing");
  expect(error_with(RawLocal(),
                    [](Hdf5File& file) { file.write_value<double>("/fclib_local/info/title", 1); }),
         "/fclib_local/info/title is not one string");
}

TEST(FclibRead, ForeignFilesAreErrors) {
  const ScratchFolder folder;
  EXPECT_THROW(read_fclib(folder.path("none.hdf5")), FileError);
  EXPECT_THROW(read_fclib(folder.path("")), FileError);
  EXPECT_THROW(read_fclib(folder.write("empty", "")), FileError);
  EXPECT_THROW(read_fclib(folder.write("text", "2 0 2 2 2 2 1 0 0 1 -1 -1")), FileError);
  EXPECT_THROW(read_fclib(folder.write("noise", std::string(3000, '\x9c'))), FileError);
}

TEST(FclibRead, TruncatedFilesAreErrors) {
  RandomProblems random(10);
  const ScratchFolder folder;
  const FclibFile file{random.global(3, 5, 12, 2), {}, {}};
  const std::string path = folder.path("whole.hdf5");
  write_fclib(path, file);
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (int k = 0; k < 200; ++k) {
    const Index length = random.integer(0, static_cast<Index>(bytes.size()) - 1);
    const std::string cut = folder.write("cut.hdf5", bytes.substr(0, length));
    EXPECT_THROW(read_problem(cut), FileError) << length << " of " << bytes.size() << " bytes";
  }
}

/// Any byte of the numbers may be anything: the file then holds another valid problem, or an error.
TEST(FclibRead, DamagedNumbersNeverCrash) {
  RandomProblems random(11);
  const ScratchFolder folder;
  const ContactProblem problem = random.local(3, 4, 2);
  const std::string path = folder.path("whole.hdf5");
  write_fclib(path, {problem, {}, {}});
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  // Where the raw arrays lie: find them by content.
  const auto& model = std::get<LocalModel>(problem.model);
  const auto find = [&](const auto& values) {
    const std::string_view pattern(reinterpret_cast<const char*>(values.data()),
                                   values.size() * sizeof(values[0]));
    const std::size_t at = bytes.find(pattern);
    EXPECT_NE(at, std::string::npos);
    return std::pair{at, pattern.size()};
  };
  for (const auto& [at, size] : {find(model.W.row_start), find(model.W.column), find(model.q)})
    for (int k = 0; k < 60; ++k) {
      std::string damaged = bytes;
      damaged[at + random.integer(0, static_cast<Index>(size) - 1)] =
          static_cast<char>(random.integer(0, 255));
      const std::string cut = folder.write("damaged.hdf5", damaged);
      try {
        validate(read_fclib(cut).problem);
      } catch (const FileError&) {
      }
    }
}

} // namespace
} // namespace talus
