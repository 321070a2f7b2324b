#pragma once
// Threads for the connections of a server. A browser keeps its connections open and silent for
// seconds, and each of them holds a thread meanwhile; with a fixed handful of threads a few idle
// connections would make everyone wait.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <httplib.h>
#include <mutex>
#include <thread>
#include <vector>

namespace talus::cli {

/// Starts a thread whenever a connection finds all others taken, up to `most`; beyond that
/// connections wait for their turn. Threads stay for later connections until shutdown().
class ConnectionThreads : public httplib::TaskQueue {
public:
  static constexpr std::size_t usual_most = 256;
  explicit ConnectionThreads(std::size_t most = usual_most) : most_(most) {}
  ConnectionThreads(const ConnectionThreads&) = delete;
  ConnectionThreads& operator=(const ConnectionThreads&) = delete;
  ~ConnectionThreads() override { shutdown(); }

  void enqueue(std::function<void()> connection) override;
  /// Returns when every connection that was enqueued is done.
  void shutdown() override;
  std::size_t threads() const;

private:
  void start_thread();
  void work();

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  std::size_t free_ = 0; ///< Threads that wait for a connection.
  bool ending_ = false;
};

} // namespace talus::cli
