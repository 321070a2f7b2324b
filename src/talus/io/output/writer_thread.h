#pragma once
// A thread that does jobs in the order in which they are given, so that stepping does not wait for
// compression and disk. At most `most_waiting` jobs wait; who gives another one then waits, too.
//
// A job that throws stops the thread until the exception has been handed over, by the next give()
// or wait(); the jobs behind it are kept and done afterwards. The thread starts with the first job
// and takes no signals.

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace talus {

class WriterThread {
public:
  explicit WriterThread(std::size_t most_waiting) : most_waiting_(most_waiting) {}
  /// Does all jobs first. What they throw is lost: call wait() or finish() before.
  ~WriterThread();
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  /// Throws what an earlier job threw; this one is not taken then.
  void give(std::function<void()> job);
  /// Returns when all jobs are done. Throws what one threw.
  void wait();
  /// Does all jobs there are, then these one after another, whatever they throw; throws the first
  /// exception of all at the end.
  void finish(std::deque<std::function<void()>> last_jobs);

private:
  void start();
  void work();
  void hand_over_trouble();

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_; ///< The first is being done.
  std::exception_ptr trouble_;
  bool ends_ = false, is_busy_ = false;
  std::thread thread_;
};

} // namespace talus
