#include "connection_threads.h"

#include <system_error>
#include <utility>

namespace talus::cli {

void ConnectionThreads::enqueue(std::function<void()> connection) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(connection));
    if (free_ < waiting_.size() && threads_.size() < most) start_thread();
  }
  changed_.notify_one();
}

/// A system that gives no further thread leaves the connection to those there are.
void ConnectionThreads::start_thread() {
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;
  }
}

void ConnectionThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++free_;
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    --free_;
    if (waiting_.empty()) return;
    const std::function<void()> connection = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    connection();
    lock.lock();
  }
}

void ConnectionThreads::shutdown() {
  std::vector<std::thread> ended;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    ended.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : ended) thread.join();
}

} // namespace talus::cli
