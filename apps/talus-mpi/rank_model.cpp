// talus-mpi model: what an iteration would take on up to ten thousand ranks, from counted messages,
// kernel times that were measured elsewhere, and assumptions about the network.

#include "arguments.h"
#include "commands.h"
#include "rank_commands.h"
#include "talus/cluster/analysis/message_model.h"
#include "talus/cluster/rank_simulation.h"
#include "talus/core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace talus::mpi {
namespace {

using namespace talus::cli;

constexpr double contacts_per_body = 3.6;      // as in settled piles
constexpr double bytes_per_sum = 576;          // core/exact_sum.h
constexpr double radius = std::numbers::sqrt3; // of a box around a ball: cells go by it
const double cell_radii = RankOptions().cell_radii;
constexpr double envelope = 0.01; // of a radius
constexpr double sums_of_apgd = 5, sums_of_sweep = 1;
constexpr double nanoseconds_per_exact_addition = 11;

struct Arguments {
  double product_ns = 35, sweep_ns = 40; ///< Per contact of an iteration of apgd, of a sweep.
  double latency_us = 2, bandwidth = 25; ///< µs; GB/s.
  long largest = 1'000'000;              ///< Bodies of the largest packing that is counted.
};

/// Balls of radius 1 in face-centred order, about so many, in a cube. Of the pairs that touch, so
/// many are contacts that a ball has 3.6, as in settled piles.
struct Packing {
  std::vector<Vec3> centres;
  std::vector<BodyPair> contacts;

  explicit Packing(std::int64_t bodies) {
    const auto side = static_cast<Index>(std::lround(std::cbrt(2.0 * static_cast<double>(bodies))));
    const double spacing = std::numbers::sqrt2;
    std::vector<Index> number(static_cast<std::size_t>(side) * side * side, -1);
    const auto site = [&](Index x, Index y, Index z) {
      return (static_cast<std::size_t>(z) * side + y) * side + x;
    };
    for (Index z = 0; z < side; ++z)
      for (Index y = 0; y < side; ++y)
        for (Index x = (y + z) % 2; x < side; x += 2) {
          number[site(x, y, z)] = static_cast<Index>(centres.size());
          centres.push_back({spacing * x, spacing * y, spacing * z});
        }
    std::mt19937 random(1);
    const auto chosen = static_cast<std::uint32_t>(contacts_per_body / 6 * 4294967295.0);
    constexpr Index steps[6][3] = {{1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                   {-1, 0, 1}, {0, 1, 1},  {0, -1, 1}};
    for (Index z = 0; z < side; ++z)
      for (Index y = 0; y < side; ++y)
        for (Index x = (y + z) % 2; x < side; x += 2)
          for (const auto& step : steps) {
            const Index to[3] = {x + step[0], y + step[1], z + step[2]};
            if (std::ranges::any_of(to, [&](Index at) { return at < 0 || at >= side; })) continue;
            if (random() < chosen)
              contacts.push_back({number[site(x, y, z)], number[site(to[0], to[1], to[2])]});
          }
  }
};

/// Of the rank with the most, on any of the ranks; bytes and imbalance as constants of laws.
struct Counted {
  double bodies = 0; ///< Per rank, on average.
  int ranks = 0, neighbours = 0;
  std::int64_t product_messages = 0, sweep_messages = 0;
  double product_bytes = 0, sweep_bytes = 0; ///< Over n^(2/3).
  double imbalance = 0,
         sweep_imbalance = 0; ///< Of contacts: most over mean, and its excess of colours.
  double contacts_per_cell = 0;
};

Counted count(std::int64_t bodies_per_rank, int ranks) {
  const Packing packing(bodies_per_rank * ranks);
  const PlacedContacts placed{
      packing.centres, packing.contacts, {cell_radii * radius}, (2 + envelope) * radius};
  const auto messages = count_messages(placed, balanced_owners(placed, ranks), ranks);
  Counted counted;
  counted.ranks = ranks;
  counted.bodies = static_cast<double>(packing.centres.size()) / ranks;
  const double surface = std::pow(counted.bodies, 2.0 / 3),
               mean = static_cast<double>(packing.contacts.size()) / ranks;
  std::vector<std::int64_t> most_of_colour(messages[0].contacts_of_colour.size(), 0);
  std::int64_t cells = 0, most = 0;
  for (const RankMessages& rank : messages) {
    counted.neighbours = std::max(counted.neighbours, rank.neighbours);
    counted.product_messages = std::max(counted.product_messages, rank.product_messages);
    counted.sweep_messages = std::max(counted.sweep_messages, rank.sweep_messages);
    counted.product_bytes =
        std::max(counted.product_bytes, static_cast<double>(rank.product_bytes) / surface);
    counted.sweep_bytes =
        std::max(counted.sweep_bytes, static_cast<double>(rank.sweep_bytes) / surface);
    for (std::size_t k = 0; k < most_of_colour.size(); ++k)
      most_of_colour[k] = std::max(most_of_colour[k], rank.contacts_of_colour[k]);
    cells += rank.cells;
    most = std::max(most, rank.contacts);
  }
  std::int64_t most_in_turn = 0;
  for (const std::int64_t contacts : most_of_colour) most_in_turn += contacts;
  counted.imbalance = static_cast<double>(most) / mean;
  counted.sweep_imbalance = static_cast<double>(most_in_turn) / mean;
  counted.contacts_per_cell =
      static_cast<double>(packing.contacts.size()) / static_cast<double>(cells);
  return counted;
}

/// What one iteration takes, in seconds.
struct Prediction {
  double kernel = 0, total = 0;
  double efficiency() const { return kernel / total; }
};

class Model {
public:
  Model(const Arguments& arguments, const std::vector<Counted>& counted) : a_(arguments) {
    for (const Counted& c : counted) {
      product_messages_ = std::max(product_messages_, static_cast<double>(c.product_messages));
      sweep_messages_ = std::max(sweep_messages_, static_cast<double>(c.sweep_messages));
      product_bytes_ = std::max(product_bytes_, c.product_bytes);
      sweep_bytes_ = std::max(sweep_bytes_, c.sweep_bytes);
      // Ranks differ by about a cell, and in what they have of a colour by cells of their surface.
      imbalance_ = std::max(imbalance_, (c.imbalance - 1) * c.bodies);
      sweep_imbalance_ =
          std::max(sweep_imbalance_, (c.sweep_imbalance - 1) * std::pow(c.bodies, 2.0 / 3));
      contacts_per_cell_ = c.contacts_per_cell;
    }
  }

  Prediction product(double bodies, double ranks) const {
    const double more = imbalance_ / bodies;
    return of(bodies, ranks, a_.product_ns, more, product_messages_, product_bytes_, sums_of_apgd);
  }
  Prediction sweep(double bodies, double ranks) const {
    const double more = sweep_imbalance_ / std::pow(bodies, 2.0 / 3);
    return of(bodies, ranks, a_.sweep_ns, more, sweep_messages_, sweep_bytes_, sums_of_sweep);
  }

private:
  Prediction of(double bodies, double ranks, double nanoseconds, double more, double messages,
                double bytes, double sums) const {
    const double contacts = contacts_per_body * bodies, latency = 1e-6 * a_.latency_us,
                 seconds_per_byte = 1e-9 / a_.bandwidth;
    Prediction p;
    p.kernel = 1e-9 * nanoseconds * contacts;
    const double adding =
        1e-9 * nanoseconds_per_exact_addition * sums * contacts / contacts_per_cell_;
    p.total = p.kernel + adding;
    if (ranks <= 1) return p;
    const double stages = 2 * std::ceil(std::log2(ranks));
    p.total += more * p.kernel + messages * latency +
               bytes * std::pow(bodies, 2.0 / 3) * seconds_per_byte +
               stages * (latency + bytes_per_sum * sums * seconds_per_byte);
    return p;
  }

  const Arguments& a_;
  double product_messages_ = 0, sweep_messages_ = 0, product_bytes_ = 0, sweep_bytes_ = 0;
  double imbalance_ = 0, sweep_imbalance_ = 0, contacts_per_cell_ = 1;
};

void print_counts(const std::vector<Counted>& counted) {
  // What is counted twice is of a product, then of a sweep.
  fmt::print(
      "| n | ranks | neighbours | messages | sweep | bytes / n^(2/3) | sweep | most / mean | "
      "sweep |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Counted& c : counted)
    fmt::print("| {:.0f} | {} | {} | {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} |\n", c.bodies,
               c.ranks, c.neighbours, c.product_messages, c.sweep_messages, c.product_bytes,
               c.sweep_bytes, c.imbalance, c.sweep_imbalance);
}

void print_weak(const Model& model) {
  fmt::print("\n| bodies per rank | ranks | product: ms | efficiency | sweep: ms | efficiency |\n"
             "|---|---|---|---|---|---|\n");
  for (const double bodies : {1e4, 1e5, 1e6})
    for (const double ranks : {1.0, 64.0, 1024.0, 1e4}) {
      const Prediction product = model.product(bodies, ranks), sweep = model.sweep(bodies, ranks);
      fmt::print("| {:.0f} | {:.0f} | {:.3g} | {:.0f} % | {:.3g} | {:.0f} % |\n", bodies, ranks,
                 1e3 * product.total, 100 * product.efficiency(), 1e3 * sweep.total,
                 100 * sweep.efficiency());
    }
}

void print_strong(const Model& model) {
  constexpr double bodies = 1e7;
  fmt::print(
      "\n| ranks | product: ms | speed-up | sweep: ms | speed-up |\n|---|---|---|---|---|\n");
  const double product = model.product(bodies, 1).total, sweep = model.sweep(bodies, 1).total;
  for (const double ranks : {1.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 1e4}) {
    const double p = model.product(bodies / ranks, ranks).total,
                 s = model.sweep(bodies / ranks, ranks).total;
    fmt::print("| {:.0f} | {:.3g} | {:.0f} | {:.3g} | {:.0f} |\n", ranks, 1e3 * p, product / p,
               1e3 * s, sweep / s);
  }
}

int run_model(const Arguments& arguments, const Ranks& ranks) {
  if (ranks.rank() != 0) return success;
  std::vector<Counted> counted;
  for (const long bodies : {1000L, 8000L})
    for (const int count_of_ranks : {2, 8, 64, 512})
      if (bodies * count_of_ranks <= arguments.largest)
        counted.push_back(count(bodies, count_of_ranks));
  if (counted.empty()) throw InvalidArgument("--largest is below 2000 bodies: nothing to count");
  fmt::print(
      "Counted in packings of equal balls, {} contacts per ball; of the rank with the most\n\n",
      contacts_per_body);
  print_counts(counted);
  fmt::print("\nPredicted: {:g} ns per contact of a product (an iteration of apgd), {:g} ns of a "
             "sweep, {:g} µs per message, {:g} GB/s\n\nWeak scaling\n",
             arguments.product_ns, arguments.sweep_ns, arguments.latency_us, arguments.bandwidth);
  const Model model(arguments, counted);
  print_weak(model);
  fmt::print("\nStrong scaling, 10 million bodies\n");
  print_strong(model);
  return success;
}

} // namespace

void register_model(CLI::App& app, RankCommand& chosen) {
  auto arguments = std::make_shared<Arguments>();
  Arguments* a = arguments.get();
  CLI::App* command = app.add_subcommand(
      "model", "Predict what an iteration takes on many ranks, from counted messages");
  const auto number = [&](const char* name, double& value, const char* help) {
    command
        ->add_option_function<std::string>(
            name, [&value, name](const std::string& text) { value = parse_positive(text, name); },
            help)
        ->type_name("X");
  };
  number("--product-ns", a->product_ns,
         "Nanoseconds per contact of an iteration of apgd, as apgd_bench measures (default 35)");
  number("--sweep-ns", a->sweep_ns,
         "Nanoseconds per contact of a sweep, as sweep_bench measures (default 40)");
  number("--latency", a->latency_us, "Microseconds per message (default 2)");
  number("--bandwidth", a->bandwidth, "GB/s per rank (default 25)");
  add_count(*command, "--largest", a->largest,
            "Bodies of the largest packing to count messages in (default 1000000)");
  command->footer(
      "Tables in Markdown, from one process. docs/theory/ranks.md has the assumptions.");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Ranks& ranks) { return run_model(*arguments, ranks); };
  });
}

} // namespace talus::mpi
