// The connections of the server: slow, silent and greedy clients, over pairs of sockets.

#include "server/connections.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace talus::cli {
namespace {

using namespace std::chrono_literals;

/// Our end of a connection.
class Client {
public:
  explicit Client(Connections& connections) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    socket_ = ends[0];
    // Nothing here takes a minute: a test that fails shall not hang.
    const timeval patience = {60, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    connections.add(ends[1]);
  }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Client& operator=(Client&&) = delete;
  ~Client() {
    if (socket_ >= 0) close(socket_);
  }

  /// False when the server has closed.
  bool write(const std::string& bytes) const {
    return send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  /// At most so many bytes; fewer if the server closes before.
  std::string read(std::size_t size) const {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size) {
      const ssize_t count = recv(socket_, bytes.data() + have, size - have, 0);
      if (count <= 0) break;
      have += static_cast<std::size_t>(count);
    }
    bytes.resize(have);
    return bytes;
  }
  /// Waits for a byte that must not come.
  bool is_closed() const {
    char byte = 0;
    const ssize_t count = recv(socket_, &byte, 1, 0);
    return count == 0 || (count < 0 && errno == ECONNRESET);
  }
  /// Without reading, for at most a minute.
  void wait_until_closed() const {
    pollfd file = {socket_, 0, 0};
    poll(&file, 1, 60000);
  }
  std::string ask(const std::string& name) const {
    write(request(name));
    return read(name.size() + 1);
  }

  static std::string request(const std::string& name) { return name + "\r\n\r\n"; }

private:
  int socket_ = -1;
};

/// What is asked, up to the first line's end, and an exclamation mark; "large" and a number of
/// bytes gives that many; "bye" is the last.
Reply reply_to(const std::string& request) {
  const std::string line = request.substr(0, request.find('\r'));
  if (line.rfind("large ", 0) == 0) return {std::string(std::stoul(line.substr(6)), 'x'), false};
  if (line.rfind("body ", 0) == 0) return {request.substr(request.find("\n\r\n") + 3), false};
  return {line + "!", line == "bye"};
}

/// More than sockets hold without anybody reading.
constexpr std::size_t large = 4000000;
const std::string ask_for_large = Client::request("large " + std::to_string(large));

TEST(Connections, answers_one_request_after_another) {
  Connections connections({}, reply_to);
  const Client client(connections);
  EXPECT_EQ(client.ask("first"), "first!");
  EXPECT_EQ(client.ask("second"), "second!");
  client.write(Client::request("a") + Client::request("b") + "c\r\n");
  EXPECT_EQ(client.read(4), "a!b!");
  client.write("\r\n");
  EXPECT_EQ(client.read(2), "c!");
  EXPECT_EQ(client.ask("bye"), "bye!");
  EXPECT_TRUE(client.is_closed());
}

TEST(Connections, answers_at_once_beside_many_slow_clients) {
  Connections connections({}, reply_to);
  std::vector<Client> slow;
  for (int i = 0; i < 300; ++i) {
    slow.emplace_back(connections);
    if (i % 3 == 1) slow.back().write("half a request");
    if (i % 30 == 2) slow.back().write(ask_for_large);
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Client(connections).ask("hello"), "hello!");
}

TEST(Connections, closes_what_sends_no_request_in_time) {
  ConnectionLimits limits;
  limits.header = 50ms;
  Connections connections(limits, reply_to);
  EXPECT_TRUE(Client(connections).is_closed());
  const Client dripping(connections);
  int drips = 0;
  while (drips < 3000 && dripping.write("x")) {
    std::this_thread::sleep_for(10ms);
    ++drips;
  }
  EXPECT_LT(drips, 3000);
}

TEST(Connections, closes_what_stays_idle_and_what_sends_no_body) {
  ConnectionLimits limits;
  limits.idle = limits.body = 50ms;
  limits.body_bytes = 10;
  Connections connections(limits, reply_to);
  const Client idle(connections), half(connections);
  EXPECT_EQ(idle.ask("hello"), "hello!");
  EXPECT_TRUE(idle.is_closed());
  half.write("body \r\nContent-Length: 9\r\n\r\n1234");
  EXPECT_TRUE(half.is_closed());
}

TEST(Connections, closes_what_takes_nothing_of_its_answer) {
  ConnectionLimits limits;
  limits.silence = 50ms;
  Connections connections(limits, reply_to);
  const Client client(connections);
  client.write(ask_for_large);
  client.wait_until_closed();
  EXPECT_LT(client.read(large).size(), large);
}

TEST(Connections, closes_what_takes_an_answer_too_slowly) {
  ConnectionLimits limits;
  limits.answer = 50ms;
  limits.bytes_per_second = 1 << 30;
  Connections connections(limits, reply_to);
  const Client client(connections);
  client.write(ask_for_large);
  std::size_t received = 0;
  for (std::size_t count = 1; count > 0; received += count) {
    count = client.read(1000).size();
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_LT(received, large);
}

TEST(Connections, waits_for_a_slow_reader) {
  Connections connections({}, reply_to);
  const Client client(connections);
  client.write(ask_for_large);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(client.read(large / 100).size(), large / 100);
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(client.ask("more"), "more!");
}

TEST(Connections, an_idle_one_makes_room_for_a_new_one) {
  ConnectionLimits limits;
  limits.connections = 3;
  Connections connections(limits, reply_to);
  const Client silent(connections), idle(connections), busy(connections);
  EXPECT_EQ(idle.ask("hello"), "hello!");
  busy.write(ask_for_large);
  EXPECT_EQ(busy.read(1), "x");
  const Client first(connections);
  EXPECT_EQ(first.ask("one"), "one!");
  EXPECT_TRUE(idle.is_closed()) << "though it is not the oldest";
  const Client second(connections);
  EXPECT_EQ(second.ask("two"), "two!");
  EXPECT_TRUE(first.is_closed()) << "idle by now";
  EXPECT_EQ(busy.read(large - 1).size(), large - 1);
}

TEST(Connections, the_oldest_answer_makes_room_for_the_newest) {
  ConnectionLimits limits;
  limits.held_bytes = large + large / 2;
  Connections connections(limits, reply_to);
  const Client old(connections), young(connections);
  old.write(ask_for_large);
  EXPECT_EQ(old.read(1), "x");
  young.write(ask_for_large);
  EXPECT_EQ(young.read(large).size(), large);
  EXPECT_LT(old.read(large).size(), large - 1);
}

TEST(Connections, reads_bodies_up_to_the_limit) {
  ConnectionLimits limits;
  limits.body_bytes = 10;
  Connections connections(limits, reply_to);
  const Client client(connections);
  client.write("body \r\nContent-Length: 10\r\n\r\n01234");
  client.write("56789" + Client::request("next"));
  EXPECT_EQ(client.read(15), "0123456789next!");
  for (const char* framing :
       {"Content-Length: 11", "Content-Length: -1", "Content-Length: 1x",
        "Content-Length: 1\r\nContent-Length: 2", "Transfer-Encoding: chunked",
        "Content-Length: 99999999999999999999999"}) {
    const Client other(connections);
    other.write("hello\r\n" + std::string(framing) + "\r\n\r\nnot a request\r\n\r\n");
    EXPECT_EQ(other.read(7), "hello!") << framing << ": answered and closed";
  }
}

TEST(Connections, refuses_headers_without_end) {
  ConnectionLimits limits;
  limits.header_bytes = 1000;
  Connections connections(limits, reply_to);
  for (const std::string& text :
       {std::string(1001, 'a'), Client::request(std::string(2000, 'a'))}) {
    const Client client(connections);
    client.write(text);
    EXPECT_EQ(client.read(12), "HTTP/1.1 431");
  }
}

TEST(Connections, an_exception_ends_the_connection_only) {
  Connections connections({}, [](const std::string& request) -> Reply {
    if (request[0] == '?') throw std::bad_alloc();
    return {"fine", false};
  });
  const Client wrong(connections), right(connections);
  wrong.write(Client::request("?"));
  EXPECT_TRUE(wrong.is_closed());
  right.write(Client::request("."));
  EXPECT_EQ(right.read(4), "fine");
}

TEST(Connections, stop_closes_whatever_is_under_way) {
  Connections connections({}, reply_to);
  const Client silent(connections), half(connections), idle(connections), reading(connections);
  half.write("half");
  EXPECT_EQ(idle.ask("hello"), "hello!");
  reading.write(ask_for_large);
  EXPECT_EQ(reading.read(1), "x");
  connections.stop();
  EXPECT_TRUE(silent.is_closed() && half.is_closed() && idle.is_closed());
  EXPECT_LT(reading.read(large).size(), large - 1);
  EXPECT_TRUE(Client(connections).is_closed()) << "too late";
}

} // namespace
} // namespace talus::cli
