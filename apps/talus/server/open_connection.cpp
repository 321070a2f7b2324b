#include "open_connection.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace talus::cli {

void turn_to(OpenConnection& connection, ConnectionState state, std::chrono::milliseconds time) {
  connection.state = state;
  connection.since = std::chrono::steady_clock::now();
  connection.deadline = connection.since + time;
}

std::size_t held_bytes(const OpenConnection& connection) {
  return connection.received.size() + connection.answer.size();
}

short events_of(const OpenConnection& connection) {
  return connection.state == ConnectionState::sending ? POLLOUT : POLLIN;
}

namespace {

Progress progress_of(ssize_t count) {
  if (count > 0) return Progress::some;
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return Progress::none;
  return Progress::closed;
}

} // namespace

Progress receive_into(std::string& received, std::span<char> buffer, int socket) {
  const ssize_t count = recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0) received.append(buffer.data(), static_cast<std::size_t>(count));
  return progress_of(count);
}

Progress send_from(const std::string& answer, std::size_t& sent, int socket) {
  const std::size_t size = std::min(bytes_at_once, answer.size() - sent);
  const ssize_t count = send(socket, answer.data() + sent, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  const Progress progress = progress_of(count);
  if (progress == Progress::some) sent += static_cast<std::size_t>(count);
  return progress;
}

} // namespace talus::cli
