// What is kept of an experiment, and when it is made again.

#include "experiments/frame/context.h"
#include "experiments/frame/fingerprint.h"
#include "experiments/frame/sphere_pile.h"
#include "support/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

namespace talus::experiments {
namespace {

namespace fs = std::filesystem;

class ContextTest : public testing::Test {
protected:
  Context context(bool quick = true) const { return Context({folder_.string(), "it", quick, {}}); }

  /// The outcome for these inputs: how often work has been done before.
  int outcome(const Context& context, const Json& inputs) {
    return context.once("key", inputs, [this]() -> Json { return worked_++; });
  }

  const cli::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
  int worked_ = 0;
};

TEST_F(ContextTest, TakesAnOutcomeThatWasMadeFromTheSame) {
  EXPECT_EQ(outcome(context(), {{"mu", 0.5}, {"seed", 3}}), 0);
  EXPECT_EQ(outcome(context(), {{"mu", 0.5}, {"seed", 3}}), 0);
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(outcome(context(), {{"stiffness", infinite}}), 1);
  EXPECT_EQ(outcome(context(), {{"stiffness", infinite}}), 1);
}

TEST_F(ContextTest, MakesAnOutcomeAgainFromOtherInputsOrInAnotherSize) {
  EXPECT_EQ(outcome(context(), {{"mu", 0.5}}), 0);
  EXPECT_EQ(outcome(context(), {{"mu", 0.25}}), 1);
  EXPECT_EQ(outcome(context(false), {{"mu", 0.25}}), 2);
}

TEST_F(ContextTest, MakesAgainWhatAnotherVersionOrADamagedFileLeft) {
  const fs::path file = folder_ / "kept/it/key.json";
  outcome(context(), "inputs");
  std::ifstream in(file);
  Json kept = Json::parse(in);
  kept["made_from"]["talus"] = "0.0.1";
  std::ofstream(file) << kept.dump();
  EXPECT_EQ(outcome(context(), "inputs"), 1);
  for (const char* damaged : {"", "{\"outcome\": 7", "7", "{\"outcome\": 7}"}) {
    std::ofstream(file) << damaged;
    const int before = worked_;
    EXPECT_EQ(outcome(context(), "inputs"), before) << damaged;
  }
}

TEST_F(ContextTest, GivesAFreshOutcomeAsALaterRunReadsIt) {
  const auto work = []() -> Json { return {{"error", std::nan("")}, {"third", 1.0 / 3}}; };
  const Json fresh = context().once("nan", {}, work), read = context().once("nan", {}, work);
  EXPECT_EQ(fresh, read);
  EXPECT_EQ(read["third"], 1.0 / 3);
}

TEST_F(ContextTest, CountsTheSecondsOfWorkThatWasKept) {
  outcome(context(), 1);
  const Context later = context();
  EXPECT_EQ(later.seconds_saved(), 0);
  outcome(later, 1);
  EXPECT_GT(later.seconds_saved(), 0);
}

ContactProblem particle(double mass) {
  ContactProblem problem;
  problem.dimension = 2;
  problem.mu = {0.5};
  GlobalModel model;
  model.M = identity_matrix(2);
  model.M.value = {mass, mass};
  model.f = {0, -mass};
  model.H = from_triplets(2, 2, {{1, 0, 1}, {0, 1, 1}});
  model.w = {0, 0};
  problem.model = model;
  return problem;
}

TEST_F(ContextTest, MakesAProblemAgainFromOtherInputs) {
  int made = 0;
  const auto mass_of = [&](double mass, bool quick = true) {
    const ContactProblem problem = context(quick).problem("particle", {{"mass", mass}}, [&] {
      ++made;
      return particle(mass);
    });
    return std::get<GlobalModel>(problem.model).M.value.front();
  };
  EXPECT_EQ(mass_of(2), 2);
  EXPECT_EQ(mass_of(2), 2);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(mass_of(3), 3);
  EXPECT_EQ(mass_of(3, false), 3);
  EXPECT_EQ(made, 3);
  std::ofstream(folder_ / "problems/particle.hdf5") << "no file of that kind";
  EXPECT_EQ(mass_of(3, false), 3);
  EXPECT_EQ(made, 4);
}

TEST(Fingerprint, DiffersWhereverASolverCouldSeeADifference) {
  const ContactProblem problem = particle(1);
  EXPECT_EQ(fingerprint(problem), fingerprint(particle(1)));
  std::vector<ContactProblem> others(9, problem);
  others[0].mu[0] = std::nextafter(0.5, 1);
  others[1].law = Law::associated;
  others[2].friction.kind = FrictionKind::pyramid;
  others[3].compliance = {1e-9, 1e-9};
  std::get<GlobalModel>(others[4].model).f[1] = -0.0;
  std::get<GlobalModel>(others[5].model).M.value[0] = 2;
  std::get<GlobalModel>(others[6].model).H.column[0] = 0;
  others[7].normal_estimate = {1};
  others[8].model = LocalModel{};
  for (std::size_t i = 0; i < others.size(); ++i)
    EXPECT_NE(fingerprint(others[i]), fingerprint(problem)) << i;
  ContactProblem renamed = problem;
  renamed.title = "another";
  EXPECT_EQ(fingerprint(renamed), fingerprint(problem));
  EXPECT_NE(fingerprint(Vector{1, 2}), fingerprint(Vector{2, 1}));
  EXPECT_NE(fingerprint(Vector{}), fingerprint(Vector{0}));
}

} // namespace
} // namespace talus::experiments
