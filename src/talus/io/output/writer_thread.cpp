#include "talus/io/output/writer_thread.h"

#include <csignal>
#include <utility>

namespace talus {

WriterThread::~WriterThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

/// Signals are for the thread that steps.
void WriterThread::start() {
  if (thread_.joinable()) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { work(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void WriterThread::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || (!jobs_.empty() && !trouble_); });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    is_busy_ = true;
    lock.unlock();
    std::exception_ptr trouble;
    try {
      job();
    } catch (...) {
      trouble = std::current_exception();
    }
    lock.lock();
    is_busy_ = false;
    if (trouble && !trouble_) trouble_ = trouble;
    changed_.notify_all();
  }
}

/// With the lock held.
void WriterThread::hand_over_trouble() {
  if (!trouble_) return;
  const std::exception_ptr trouble = std::exchange(trouble_, nullptr);
  changed_.notify_all();
  std::rethrow_exception(trouble);
}

void WriterThread::give(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  start();
  changed_.wait(lock, [&] { return trouble_ || jobs_.size() < most_waiting_; });
  hand_over_trouble();
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void WriterThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return trouble_ || (jobs_.empty() && !is_busy_); });
  hand_over_trouble();
}

void WriterThread::finish(std::deque<std::function<void()>> last_jobs) {
  std::exception_ptr first;
  const auto keep_first = [&](auto&& action) {
    try {
      action();
      return true;
    } catch (...) {
      if (!first) first = std::current_exception();
      return false;
    }
  };
  while (!keep_first([&] { wait(); })) {
  }
  for (const auto& job : last_jobs) keep_first(job);
  if (first) std::rethrow_exception(first);
}

} // namespace talus
