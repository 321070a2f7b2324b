#pragma once
// One open connection of the server: its state, its deadlines and the bytes it holds, and calls on
// its socket that never wait.

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

namespace talus::cli {

/// Sorted by who is given up first when there are too many.
enum class ConnectionState { closing, idle, receiving, sending, computing };

struct OpenConnection {
  int socket = -1;
  ConnectionState state = ConnectionState::receiving;
  std::chrono::steady_clock::time_point since, deadline;
  std::string received;
  std::size_t searched = 0; ///< Bytes in which the end of a header was looked for.
  std::size_t request = 0;  ///< Bytes of the request, once its header is known.
  std::string answer;
  std::size_t sent = 0;
  std::chrono::steady_clock::time_point answer_deadline;
  bool last = false; ///< To be closed after this answer.
};

/// Read and written at once, so that one connection does not delay the others.
inline constexpr std::size_t bytes_at_once = std::size_t{1} << 18;

/// Enters a state that must end within a time.
void turn_to(OpenConnection& connection, ConnectionState state, std::chrono::milliseconds time);

/// Memory that the connection needs for what it received and for its answer.
std::size_t held_bytes(const OpenConnection& connection);

/// Events of poll() that the connection waits for.
short events_of(const OpenConnection& connection);

/// Result of a call on a socket that does not wait.
enum class Progress { some, none, closed };

/// Appends what has arrived, at most the size of the buffer.
Progress receive_into(std::string& received, std::span<char> buffer, int socket);

/// Sends the next part of the answer and counts it.
Progress send_from(const std::string& answer, std::size_t& sent, int socket);

} // namespace talus::cli
