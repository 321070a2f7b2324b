// The model of messages against what ranks really send in a step.

#include "cluster/rank_runs.h"
#include "talus/cluster/analysis/message_model.h"
#include "talus/step/envelope.h"

namespace talus {
namespace {

using namespace test;

/// Balls near each other on a floor, which sends nothing.
World bed(int count) {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  for (int k = 0; k < count; ++k)
    world.add(body()
                  .with(make_sphere(0.05))
                  .at({0.099 * (k % 7), 0.099 * (k / 7 % 7), 0.0495 + 0.099 * (k / 49)})
                  .moving({0.1 * (k % 3), -0.1 * (k % 2), -0.2}));
  return world;
}

struct Sent {
  Traffic all; ///< Messages and bytes of all ranks; copies of one.
  long iterations = 0;
  std::vector<RankMessages> model;
};

/// What the first step of a bed sends.
Sent first_step(const char* solver, int count_of_ranks) {
  const World world = bed(343);
  Sent sent;
  run_ranks(count_of_ranks, [&](Ranks& ranks) {
    RankOptions options = small_cells();
    const double radius = bounding_radii(world).back();
    const CellGrid grid{options.cell_radii * radius};
    std::vector<CellWeight> weights;
    for (Index k = 1; k < world.size(); ++k)
      weights.push_back({grid.cell_of(world.states()[k].pose.position), 1});
    const CellOwners owners = CellOwners::balanced(weights, ranks.count());
    options.cuts = owners.cuts();
    RankSimulation simulation(world, {.solver = solver, .tolerance = 1e-3}, ranks, options);
    const Traffic before = ranks.traffic();
    simulation.step();
    const Traffic after = ranks.traffic();
    std::int64_t numbers[2] = {after.messages - before.messages, after.bytes - before.bytes};
    ranks.sum(std::span<std::int64_t>(numbers));
    const RankSimulation::Forces forces = simulation.gather_forces();
    if (ranks.rank() != 0) return;
    sent.all = {
        .copies = after.copies - before.copies, .messages = numbers[0], .bytes = numbers[1]};
    sent.iterations = simulation.report().iterations;
    std::vector<Vec3> centres;
    for (const BodyState& state : world.states()) centres.push_back(state.pose.position);
    std::vector<BodyPair> pairs;
    for (const ContactPoint& contact : forces.contacts) {
      const auto small = [&](Index body) { return body == 0 ? -1 : body - 1; };
      pairs.push_back({small(contact.body_a), small(contact.body_b)});
    }
    centres.erase(centres.begin()); // the floor
    sent.model = count_messages({centres, pairs, grid, 2 * radius + simulation.report().envelope},
                                owners, ranks.count());
  });
  return sent;
}

std::int64_t sum(const std::vector<RankMessages>& ranks, std::int64_t RankMessages::*number) {
  std::int64_t sum = 0;
  for (const RankMessages& rank : ranks) sum += rank.*number;
  return sum;
}

TEST(MessageModel, CountsWhatProductsOfAStepSend) {
  for (const int ranks : {2, 3, 8, 16}) {
    const Sent sent = first_step("apgd", ranks);
    ASSERT_GT(sent.all.copies, 20);
    ASSERT_EQ(sent.all.copies % 2, 0); // two to a product
    const std::int64_t products = sent.all.copies / 2;
    EXPECT_GT(sum(sent.model, &RankMessages::product_bytes), 0);
    EXPECT_EQ(sent.all.bytes, products * sum(sent.model, &RankMessages::product_bytes)) << ranks;
    EXPECT_EQ(sent.all.messages, products * sum(sent.model, &RankMessages::product_messages))
        << ranks;
  }
}

/// Sweeps and products together: with the bytes of both there are whole numbers of each that
/// explain the messages too.
TEST(MessageModel, CountsWhatSweepsOfAStepSend) {
  for (const int ranks : {2, 3, 8}) {
    const Sent sent = first_step("nsgs", ranks);
    const std::int64_t of_sweep = sum(sent.model, &RankMessages::sweep_bytes),
                       of_product = sum(sent.model, &RankMessages::product_bytes);
    ASSERT_GT(of_sweep, 0);
    ASSERT_GT(sent.iterations, 3);
    const std::int64_t rest = sent.all.bytes - sent.iterations * of_sweep;
    ASSERT_GT(rest, 0);
    EXPECT_EQ(rest % of_product, 0) << ranks;
    EXPECT_EQ(sent.all.messages,
              sent.iterations * sum(sent.model, &RankMessages::sweep_messages) +
                  rest / of_product * sum(sent.model, &RankMessages::product_messages))
        << ranks;
  }
}

TEST(MessageModel, OneRankSendsNothing) {
  const Sent sent = first_step("nsgs", 1);
  EXPECT_EQ(sent.all.bytes, 0);
  EXPECT_EQ(sent.model[0].product_messages + sent.model[0].sweep_messages, 0);
  EXPECT_EQ(sent.model[0].bodies, 343);
  EXPECT_GT(sent.model[0].contacts, 400);
}

} // namespace
} // namespace talus
