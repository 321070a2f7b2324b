#pragma once
// Processes that share one problem. A rank is one of `count()` equal processes that run the same
// program on different parts of the data; every function here must be called by all of them, in the
// same order. This class is the case of one process; an implementation over MPI overrides it
// (apps/talus-mpi), and tests have one that runs ranks as threads.
//
// No function adds doubles: sums go through ExactSum, whose words are integers, so that neither the
// number of ranks nor the order of messages changes a bit.

#include "talus/core/block_system.h"
#include "talus/core/error.h"
#include "talus/core/exact_sum.h"
#include "talus/core/halo.h"

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace talus {

using Bytes = std::vector<std::byte>;

/// What was sent, for comparison with the model of docs/theory/ranks.md.
struct Traffic {
  std::int64_t reductions = 0, reduced_bytes = 0; ///< Sums and maxima over all ranks.
  std::int64_t copies = 0;                        ///< Halo copies.
  std::int64_t messages = 0, bytes = 0;           ///< Sent by this rank in halo copies.
};

class Ranks {
public:
  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int count() const { return 1; }
  virtual int rank() const { return 0; }

  /// Sums over all ranks, on all ranks.
  void sum(std::span<ExactSum> sums);
  void sum(std::span<std::int64_t> numbers);
  std::int64_t sum(std::int64_t number);
  /// The largest of numbers that are not negative; NaN if one of them is.
  double max(double number);
  /// The least of numbers that are not negative and not NaN.
  double min(double number);
  bool any(bool condition) { return sum(static_cast<std::int64_t>(condition)) > 0; }
  /// The sum over the ranks below this one.
  std::int64_t before(std::int64_t number);

  /// Sends out[r] to rank r and returns what each rank sent to this one.
  std::vector<Bytes> exchange(std::vector<Bytes> out);
  /// The bytes of every rank, on all ranks.
  std::vector<Bytes> gather(const Bytes& mine);

  /// Ends a part of the work in which ranks do not wait for each other: if one of them has failed,
  /// all throw its message (RankFailed; of several, that of the lowest rank), and none otherwise.
  void agree(std::exception_ptr failure = {});
  /// Runs `work`, which must not communicate, and agrees on its end.
  template <class Work>
  void together(Work&& work) {
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    agree(failure);
  }

  std::unique_ptr<Halo> make_halo(HaloPlan plan);

  /// Whether there are linear systems over these ranks.
  virtual bool has_block_systems() const { return false; }
  /// Throws InvalidArgument where there are none.
  std::unique_ptr<BlockSystem> make_block_system(BlockSystemPlan plan);

  const Traffic& traffic() const { return traffic_; }

protected:
  virtual void do_sum(std::span<std::int64_t> numbers) { (void)numbers; }
  virtual std::int64_t do_max(std::int64_t number) { return number; }
  virtual std::int64_t do_before(std::int64_t number) {
    (void)number;
    return 0;
  }
  virtual std::vector<Bytes> do_exchange(std::vector<Bytes> out) { return out; }
  virtual std::unique_ptr<Halo> do_make_halo(HaloPlan plan);
  virtual std::unique_ptr<BlockSystem> do_make_block_system(BlockSystemPlan plan);

private:
  Traffic traffic_;
  std::vector<std::int64_t> words_; ///< Work space of sums.
};

/// Thrown on all ranks when one of them has failed.
class RankFailed : public Error {
public:
  RankFailed(int rank, bool is_argument, const std::string& what)
      : Error(what), rank_(rank), is_argument_(is_argument) {}
  /// Who failed first.
  int rank() const { return rank_; }
  /// Whether with InvalidArgument.
  bool is_argument() const { return is_argument_; }

private:
  int rank_;
  bool is_argument_;
};

/// Values of plain types as bytes, one after another.
template <class T>
void append(Bytes& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

template <class T>
std::vector<T> values_in(const Bytes& bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

} // namespace talus
