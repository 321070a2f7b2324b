// talus solvers and talus info.

#include "program.h"
#include "talus/solve/registry.h"

namespace talus::test {
namespace {

using Listing = ProgramTest;

TEST_F(Listing, SolversAsJson) {
  const Answer answer = talus({"solvers", "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const Json json = Json::parse(answer.out);
  ASSERT_TRUE(json.is_array());
  ASSERT_EQ(json.size(), solver_names().size());
  const std::vector<std::string> contract = {
      "name",   "laws",       "friction", "dimensions",
      "joints", "warm_start", "paper",    "products_per_iteration"};
  for (std::size_t i = 0; i < json.size(); ++i) {
    auto keys = keys_of(json[i]);
    ASSERT_GE(keys.size(), contract.size());
    keys.resize(contract.size());
    EXPECT_EQ(keys, contract);
    EXPECT_EQ(json[i]["name"], solver_names()[i]);
    EXPECT_FALSE(json[i]["laws"].empty());
    EXPECT_FALSE(json[i]["friction"].empty());
    EXPECT_TRUE(json[i]["joints"].is_boolean());
    EXPECT_FALSE(json[i]["paper"].get<std::string>().empty());
    EXPECT_TRUE(json[i]["options"].is_array());
  }
}

TEST_F(Listing, SolversForPeople) {
  const Answer all = talus({"solvers"});
  EXPECT_EQ(all.code, 0);
  expect_words(all.out, solver_names());
  for (const std::string& name : solver_names()) {
    const Answer one = talus({"solvers", name});
    EXPECT_EQ(one.code, 0);
    std::vector<std::string> words = {name, "paper", "laws"};
    for (const auto& option : describe_options(*make_solver(name))) words.push_back(option.name);
    expect_words(one.out, words);
  }
}

TEST_F(Listing, AutoShowsItsStages) {
  expect_words(talus({"solvers", "auto"}).out, {"Stages", "ip-newton", "factorisation", "small"});
  const Json json = Json::parse(talus({"solvers", "auto", "--json"}).out);
  expect_words(json["details"].get<std::string>(), {"Stages", "when:", "limit:"});
}

TEST_F(Listing, OptionsThatAreListedCanBeSet) {
  const std::string file = write_problem("pair.hdf5", planar_pair());
  for (const std::string& name : solver_names()) {
    const auto solver = make_solver(name);
    std::vector<std::string> arguments = {"solve", file,    "--json", "--solver",
                                          name,    "--tol", "1e-4"};
    for (const auto& option : describe_options(*solver)) {
      arguments.push_back("--option");
      arguments.push_back(option.name + "=" + option.value);
    }
    const Answer answer = talus(arguments);
    EXPECT_NE(answer.code, 2) << answer.err;
    EXPECT_TRUE(Json::accept(answer.out));
  }
}

TEST_F(Listing, InfoTellsSizesAndRank) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  const Answer answer = talus({"info", file, "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const Json json = Json::parse(answer.out);
  EXPECT_EQ(json["contacts"], 4);
  EXPECT_EQ(json["dofs"], 6);
  EXPECT_EQ(json["rank"], 6) << "four corners of one body move in six ways";
  EXPECT_EQ(json["rows"], 12);
  EXPECT_DOUBLE_EQ(json["impulses_per_dof"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(json["mu_min"].get<double>(), 0.3);
  EXPECT_DOUBLE_EQ(json["zero_error"].get<double>(), 1);
  EXPECT_EQ(json["face"], "bodies");
  EXPECT_EQ(json["disassemblable"], "yes");
  EXPECT_EQ(json["valid"], true);
  EXPECT_EQ(json["message"], "");
  const Answer people = talus({"info", file});
  EXPECT_EQ(people.code, 0);
  expect_words(people.out, {"box on the floor", "6 of 12", "condition", "disassemblable"});
}

TEST_F(Listing, InfoOfAProblemWithoutContactsHasNoFriction) {
  ContactProblem joints_only;
  LocalModel model;
  model.V = zero_matrix(0, 2);
  model.R = identity_matrix(2);
  model.s = {1, 2};
  joints_only.model = model;
  const Answer answer = talus({"info", write_problem("joints.hdf5", joints_only)});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.out.find("friction"), std::string::npos) << answer.out;
}

TEST_F(Listing, InfoOfAnInvalidProblemSaysWhy) {
  const std::string file = write_problem("immovable.hdf5", immovable());
  const Answer answer = talus({"info", file});
  EXPECT_EQ(answer.code, 1);
  expect_words(answer.out, {"invalid"});
  const Json json = Json::parse(talus({"info", file, "--json"}).out);
  EXPECT_EQ(json["valid"], false);
  EXPECT_TRUE(json["zero_error"].is_null());
  expect_words(json["message"].get<std::string>(), {"contact 0", "move nothing"});
}

/// Eigen's sparse LU never ends on such a matrix of more than forty rows.
TEST_F(Listing, AMassMatrixOfOneEntryIsSingular) {
  ContactProblem problem;
  problem.dimension = 2;
  problem.mu = {0.5};
  GlobalModel model;
  model.M = from_triplets(50, 50, {{3, 3, 1}});
  model.H = from_triplets(50, 2, {{0, 0, 1}, {1, 1, 1}});
  model.f.assign(50, 1.0);
  model.w = {-1, 0};
  problem.model = model;
  const std::string file = write_problem("singular.hdf5", problem);
  const Answer info = talus({"info", file, "--json"});
  EXPECT_EQ(info.code, 1);
  expect_words(Json::parse(info.out)["message"].get<std::string>(), {"M", "singular", "row 0"});
  const Answer solved = talus({"solve", file, "--json"});
  EXPECT_EQ(Json::parse(solved.out)["status"], "invalid_problem");
}

} // namespace
} // namespace talus::test
