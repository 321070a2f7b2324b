// Ranks over MPI and PetscSF, run with any number of processes: prints what is wrong, and fails.
// With the argument `fail`, one rank throws while the others wait for its message.

#include "petsc_ranks.h"
#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <sched.h>

namespace {

using namespace talus;

int failures = 0;

void expect(bool good, const char* what, const Ranks& ranks) {
  if (good) return;
  fmt::print(stderr, "rank {} of {}: {}\n", ranks.rank(), ranks.count(), what);
  ++failures;
}

void check_sums(Ranks& ranks) {
  const int p = ranks.count(), r = ranks.rank();
  expect(ranks.sum(std::int64_t{r}) == p * (p - 1) / 2, "sum of numbers", ranks);
  expect(ranks.before(r + 1) == r * (r + 1) / 2, "sum of the ranks below", ranks);
  expect(ranks.max(r) == p - 1, "maximum", ranks);
  expect(ranks.min(1.5 + r) == 1.5, "minimum", ranks);
  expect(std::isnan(ranks.max(r == 0 ? std::nan("") : 1.0)), "maximum with NaN", ranks);
  // 1e16 + 1 + ... - 1e16 keeps its ones only if nothing is rounded.
  ExactSum sums[2];
  sums[0].add(r == 0 ? 1e16 : 1.0);
  sums[0].add(r == p - 1 ? -1e16 : 1.0);
  sums[1].add(std::ldexp(1.0, -1074));
  ranks.sum(std::span<ExactSum>(sums));
  expect(sums[0].value() == 2 * p - 2, "exact sum", ranks);
  expect(sums[1].value() == std::ldexp(static_cast<double>(p), -1074), "tiny sum", ranks);
}

void check_exchange(Ranks& ranks) {
  std::vector<Bytes> out(ranks.count());
  for (int to = 0; to < ranks.count(); ++to)
    for (int k = 0; k < (ranks.rank() + 2 * to) % 5; ++k)
      append(out[to], 1000 * ranks.rank() + 10 * to + k);
  const std::vector<Bytes> in = ranks.exchange(std::move(out));
  for (int from = 0; from < ranks.count(); ++from) {
    const auto numbers = values_in<int>(in[from]);
    expect(static_cast<int>(numbers.size()) == (from + 2 * ranks.rank()) % 5, "size of exchange",
           ranks);
    for (std::size_t k = 0; k < numbers.size(); ++k)
      expect(numbers[k] == 1000 * from + 10 * ranks.rank() + static_cast<int>(k), "exchange",
             ranks);
  }
}

void check_halo(Ranks& ranks) {
  // Rank r has r + 1 entries and sends entry k to all ranks above it, the last one first.
  const int p = ranks.count(), r = ranks.rank();
  HaloPlan plan;
  for (int to = 0; to < p; ++to) {
    auto& list = plan.send.emplace_back();
    for (Index k = r; to > r && k >= 0; --k) list.push_back(k);
  }
  const auto halo = ranks.make_halo(plan);
  expect(halo->received() == r * (r + 1) / 2, "size of halo", ranks);
  for (const int width : {1, 3, 6}) {
    Vector owned(static_cast<std::size_t>(width) * (r + 1)),
        copies(static_cast<std::size_t>(width) * halo->received());
    for (std::size_t i = 0; i < owned.size(); ++i) owned[i] = 100 * r + static_cast<double>(i);
    const Traffic before = ranks.traffic();
    halo->copy(owned, copies, width);
    expect(ranks.traffic().messages - before.messages == p - 1 - r, "messages", ranks);
    expect(ranks.traffic().bytes - before.bytes == 8L * width * (r + 1) * (p - 1 - r), "bytes",
           ranks);
    std::size_t i = 0;
    for (int from = 0; from < r; ++from)
      for (int k = from; k >= 0; --k)
        for (int j = 0; j < width; ++j)
          expect(copies[i++] == 100 * from + k * width + j, "copies", ranks);
  }
}

void check_agreement(Ranks& ranks) {
  const int last = ranks.count() - 1;
  bool heard = false;
  try {
    ranks.together([&] {
      if (ranks.rank() == last) throw InvalidArgument("the last rank says no");
    });
  } catch (const Error& error) {
    heard = std::strcmp(error.what(), "the last rank says no") == 0;
  }
  expect(heard, "the message of a rank that failed", ranks);
  ranks.together([] {});
}

/// The processes are not bound: all may use the same cores.
void check_cores(mpi::PetscRanks& ranks) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  expect(sched_getaffinity(0, sizeof cores, &cores) == 0, "the cores are not known", ranks);
  expect(ranks.own_cores() == std::max(1, CPU_COUNT(&cores) / ranks.count()), "own_cores", ranks);
}

} // namespace

int main(int argc, char** argv) {
  const mpi::Session session;
  mpi::PetscRanks ranks;
  if (argc > 1 && std::strcmp(argv[1], "fail") == 0) {
    try {
      if (ranks.rank() == ranks.count() - 1) throw Error("this rank alone has failed");
      ranks.sum(std::int64_t{1}); // would wait for ever
    } catch (const Error& error) {
      fmt::print(stderr, "rank {}: {}\n", ranks.rank(), error.what());
      ranks.abort(1);
    }
  }
  check_sums(ranks);
  check_exchange(ranks);
  check_halo(ranks);
  check_agreement(ranks);
  check_cores(ranks);
  const std::int64_t all = ranks.sum(std::int64_t{failures});
  if (ranks.rank() == 0) fmt::print("{} ranks, {} failures\n", ranks.count(), all);
  return all == 0 ? 0 : 1;
}
