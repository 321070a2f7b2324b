#pragma once
// The connections of a server. Whoever sends or reads slowly occupies a socket and some memory, but
// no thread: one thread looks after all sockets, collects requests and sends answers as fast as
// each client takes them; a few others turn whole requests into whole answers.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace talus::cli {

/// A connection that goes beyond is closed.
struct ConnectionLimits {
  using Time = std::chrono::milliseconds;

  /// Open at once. A new one takes the place of one that is idle, of one that has not sent its
  /// request, or of one that still reads its answer, in this order and the oldest first.
  std::size_t connections = 512;
  std::size_t header_bytes = std::size_t{1} << 16; ///< Of a request.
  std::size_t body_bytes = 0;                      ///< Of a request.
  /// Of all requests and answers together. An answer beyond takes the place of the oldest.
  std::size_t held_bytes = std::size_t{1} << 30;

  Time header{5000};   ///< From the start of a connection or a further request to its header's end.
  Time body{60000};    ///< From there to the end of the body.
  Time idle{60000};    ///< Between an answer and the next request.
  Time silence{30000}; ///< While the client takes nothing of its answer.
  /// For an answer as a whole, and in addition the time it takes at `bytes_per_second`.
  Time answer{60000};
  std::size_t bytes_per_second = std::size_t{1} << 14;
};

struct Reply {
  std::string bytes;
  bool last = false; ///< The connection is closed afterwards.
};

class Connections {
public:
  /// `answer` gets a whole request, and is called from several threads at once. Throws Error when
  /// the system gives no threads.
  Connections(const ConnectionLimits& limits, std::function<Reply(const std::string&)> answer);
  /// As stop().
  ~Connections();

  /// Takes over an open socket.
  void add(int socket);
  /// Closes all sockets, whatever is under way on them. Returns when the answers that are being
  /// computed are ready; nobody gets them.
  void stop();

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

} // namespace talus::cli
