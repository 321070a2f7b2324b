#include "http_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <functional>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace talus::cli {
namespace {

/// A request from memory and its answer into memory.
class RequestStream final : public httplib::Stream {
public:
  explicit RequestStream(std::string_view request) : unread_(request) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, unread_.size());
    std::copy_n(unread_.data(), count, to);
    unread_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    answer_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

  bool is_read() const { return unread_.empty(); }
  std::string take_answer() { return std::move(answer_); }

private:
  std::string_view unread_;
  std::string answer_;
};

/// Does on the accepting thread what the library would leave to threads of its own.
struct AtOnce final : httplib::TaskQueue {
  void enqueue(std::function<void()> connection) override { connection(); }
  void shutdown() override {}
};

} // namespace

Reply HttpServer::answer(const std::string& request) {
  RequestStream stream(request);
  bool closed = false;
  // Of a short request for many overlapping ranges the library would make an answer without end.
  const auto answer_as_a_whole = [](httplib::Request& parsed) { parsed.ranges.clear(); };
  const bool good = process_request(stream, false, closed, answer_as_a_whole);
  return {stream.take_answer(), closed || !good || !stream.is_read()};
}

void HttpServer::listen_for(Connections& connections) {
  connections_ = &connections;
  new_task_queue = [] { return new AtOnce; }; // the server deletes it
  // The library asks for five to be kept waiting. The system makes one that finds no place try
  // again after a second.
  ::listen(svr_sock_, SOMAXCONN);
  listen_after_bind();
}

bool HttpServer::process_and_close_socket(socket_t socket) {
  connections_->add(socket);
  return true;
}

bool HttpServer::is_bound_to_loopback() const {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  if (getsockname(svr_sock_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return (ntohl(v4.sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
  }
  return address.ss_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

} // namespace talus::cli
