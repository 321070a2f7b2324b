#pragma once
// Ranks that are threads of one process: for tests of what runs over ranks, without MPI.

#include "cluster/gathered_system.h"
#include "talus/core/error.h"
#include "talus/core/ranks.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace talus::test {

/// Where the threads meet and see each other's data.
class MeetingPoint {
public:
  explicit MeetingPoint(int count) : count_(count), slots_(count) {}

  /// Waits until all have come; throws if one never will.
  void wait() {
    std::unique_lock lock(mutex_);
    const long round = round_;
    if (++arrived_ == count_) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return round_ != round || failed_; });
    if (round_ == round) throw Error("another rank has failed");
  }
  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

  /// Shows `mine` to all ranks while `look` runs on each of them.
  template <class T, class Look>
  void share(int rank, T* mine, Look&& look) {
    slots_[rank] = mine;
    wait();
    look([&](int r) -> T& { return *static_cast<T*>(slots_[r]); });
    wait();
  }

private:
  int count_;
  std::vector<void*> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  long round_ = 0;
  bool failed_ = false;
};

class ThreadHalo : public Halo {
public:
  ThreadHalo(HaloPlan plan, MeetingPoint& point, int rank, int count)
      : Halo(plan), plan_(std::move(plan)), point_(point), rank_(rank), count_(count) {
    plan_.send.resize(count);
    point_.share(rank_, &plan_, [&](auto&& of) {
      for (int r = 0; r < count_; ++r) {
        wanted_.push_back(of(r).send[rank_]);
        received_ += static_cast<Index>(wanted_.back().size());
      }
    });
  }
  Index received() const override { return received_; }

protected:
  void do_copy(ConstSpan owned, Span copies, int width) override {
    point_.share(rank_, &owned, [&](auto&& of) {
      double* out = copies.data();
      for (int r = 0; r < count_; ++r)
        for (const Index k : wanted_[r])
          out = std::copy_n(of(r).data() + static_cast<std::size_t>(width) * k, width, out);
    });
  }

private:
  HaloPlan plan_;
  MeetingPoint& point_;
  int rank_, count_;
  Index received_ = 0;
  std::vector<std::vector<Index>> wanted_;
};

class ThreadRanks : public Ranks {
public:
  ThreadRanks(MeetingPoint& point, int rank, int count)
      : point_(point), rank_(rank), count_(count) {}
  int count() const override { return count_; }
  int rank() const override { return rank_; }
  bool has_block_systems() const override { return true; }

protected:
  std::unique_ptr<BlockSystem> do_make_block_system(BlockSystemPlan plan) override {
    return std::make_unique<GatheredSystem>(std::move(plan), *this);
  }
  void do_sum(std::span<std::int64_t> numbers) override {
    std::vector<std::int64_t> total(numbers.size(), 0);
    point_.share(rank_, &numbers, [&](auto&& of) {
      // From the last rank to the first: the order must not matter.
      for (int r = count_; r-- > 0;) {
        if (of(r).size() != total.size()) throw Error("ranks are out of step");
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += of(r)[k];
      }
    });
    std::ranges::copy(total, numbers.begin());
  }
  std::int64_t do_max(std::int64_t number) override {
    std::int64_t largest = number;
    point_.share(rank_, &number, [&](auto&& of) {
      for (int r = 0; r < count_; ++r) largest = std::max(largest, of(r));
    });
    return largest;
  }
  std::int64_t do_before(std::int64_t number) override {
    std::int64_t sum = 0;
    point_.share(rank_, &number, [&](auto&& of) {
      for (int r = 0; r < rank_; ++r) sum += of(r);
    });
    return sum;
  }
  std::vector<Bytes> do_exchange(std::vector<Bytes> out) override {
    std::vector<Bytes> in;
    point_.share(rank_, &out, [&](auto&& of) {
      for (int r = 0; r < count_; ++r) in.push_back(of(r)[rank_]);
    });
    return in;
  }
  std::unique_ptr<Halo> do_make_halo(HaloPlan plan) override {
    return std::make_unique<ThreadHalo>(std::move(plan), point_, rank_, count_);
  }

private:
  MeetingPoint& point_;
  int rank_, count_;
};

/// Runs work(ranks) on `count` threads, and throws what the lowest of them that failed first threw.
inline void run_ranks(int count, const std::function<void(Ranks&)>& work) {
  MeetingPoint point(count);
  std::vector<std::exception_ptr> failures(count);
  std::exception_ptr first;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int r = 0; r < count; ++r)
    threads.emplace_back([&, r] {
      try {
        ThreadRanks ranks(point, r, count);
        work(ranks);
      } catch (...) {
        {
          const std::lock_guard lock(mutex);
          if (!first) first = std::current_exception();
        }
        point.fail();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

} // namespace talus::test
