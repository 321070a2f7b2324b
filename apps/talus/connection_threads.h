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

/// Starts a thread whenever a connection finds all others taken, up to 256; beyond that connections
/// wait for their turn. Threads stay for later connections until shutdown().
class ConnectionThreads final : public httplib::TaskQueue {
public:
  ConnectionThreads() = default;
  ConnectionThreads(const ConnectionThreads&) = delete;
  ConnectionThreads& operator=(const ConnectionThreads&) = delete;
  ~ConnectionThreads() override { ConnectionThreads::shutdown(); }

  void enqueue(std::function<void()> connection) override;
  /// Returns when every connection that was enqueued is done.
  void shutdown() override;

private:
  void start_thread();
  void work();

  static constexpr std::size_t most = 256;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  std::size_t free_ = 0; ///< Threads that wait for a connection.
  bool ending_ = false;
};

} // namespace talus::cli
