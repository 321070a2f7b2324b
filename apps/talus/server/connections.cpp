#include "connections.h"

#include "open_connection.h"
#include "request_text.h"
#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <iterator>
#include <map>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace talus::cli {

namespace {

using Clock = std::chrono::steady_clock;
using Time = ConnectionLimits::Time;

/// More would wait for each other: all read the same run.
constexpr int computing_threads = 4;
/// How long a client may go on sending what nobody reads any more.
constexpr Time farewell{1000};

constexpr const char* header_too_large = "HTTP/1.1 431 Request Header Fields Too Large\r\n"
                                         "Content-Length: 0\r\nConnection: close\r\n\r\n";

} // namespace

class Connections::Implementation {
public:
  Implementation(const ConnectionLimits& limits, std::function<Reply(const std::string&)> answer);
  ~Implementation();

  void add(int socket);
  void stop();

private:
  /// Of a connection; sockets are numbered again when others have been closed.
  using Number = std::uint64_t;
  using Open = std::map<Number, OpenConnection>;
  struct Job {
    Number connection;
    std::string request;
  };
  struct Done {
    Number connection;
    Reply reply;
  };

  // What one thread does, which alone touches open_.
  void look_after_sockets();
  bool take_messages();
  void wait_for_sockets();
  void close_overdue();
  void make_room();
  void go_on(Open::iterator it);
  Progress receive(Number number, OpenConnection& connection);
  void find_request(Number number, OpenConnection& connection);
  void begin_answer(OpenConnection& connection, Reply reply);
  Progress send_on(Number number, OpenConnection& connection);
  void finish_answer(Number number, OpenConnection& connection);
  Open::iterator close_connection(Open::iterator it);

  // What the others do.
  void compute_answers();
  Reply computed(const std::string& request) const;
  void wake() const;

  ConnectionLimits limits_;
  std::function<Reply(const std::string&)> answer_;
  Open open_;
  Number next_ = 0;
  std::vector<char> buffer_ = std::vector<char>(bytes_at_once);
  int event_ = -1; ///< Wakes the thread that waits for sockets.

  std::mutex mutex_; ///< Guards what follows.
  std::condition_variable work_;
  std::vector<int> arrived_;
  std::deque<Job> jobs_;
  std::vector<Done> done_;
  bool stopping_ = false;

  std::vector<std::thread> threads_;
};

Connections::Connections(const ConnectionLimits& limits,
                         std::function<Reply(const std::string&)> answer)
    : implementation_(std::make_unique<Implementation>(limits, std::move(answer))) {}
Connections::~Connections() = default;
void Connections::add(int socket) {
  implementation_->add(socket);
}
void Connections::stop() {
  implementation_->stop();
}

Connections::Implementation::Implementation(const ConnectionLimits& limits,
                                            std::function<Reply(const std::string&)> answer)
    : limits_(limits), answer_(std::move(answer)), event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (event_ < 0) throw Error(fmt::format("no file for the server: {}", std::strerror(errno)));
  try {
    threads_.emplace_back([this] { look_after_sockets(); });
    for (int i = 0; i < computing_threads; ++i)
      threads_.emplace_back([this] { compute_answers(); });
  } catch (const std::system_error& error) {
    stop();
    close(event_);
    throw Error(fmt::format("no threads for the server: {}", error.what()));
  }
}

Connections::Implementation::~Implementation() {
  stop();
  close(event_);
}

void Connections::Implementation::add(int socket) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      arrived_.push_back(socket);
      socket = -1;
    }
  }
  if (socket >= 0) close(socket);
  wake();
}

void Connections::Implementation::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  wake();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Connections::Implementation::wake() const {
  const std::uint64_t one = 1;
  (void)!write(event_, &one, sizeof(one)); // fails only when it is awake already
}

// Answers.

void Connections::Implementation::compute_answers() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    Reply reply = computed(job.request);
    lock.lock();
    done_.push_back({job.connection, std::move(reply)});
    wake();
  }
}

/// What cannot be answered, for lack of memory say, ends the connection and not the server.
Reply Connections::Implementation::computed(const std::string& request) const {
  try {
    return answer_(request);
  } catch (const std::exception&) {
    return {"", true};
  }
}

// Sockets.

void Connections::Implementation::look_after_sockets() {
  while (take_messages()) {
    close_overdue();
    make_room();
    wait_for_sockets();
  }
  while (!open_.empty()) close_connection(open_.begin());
}

/// New connections and new answers; false when it is time to stop.
bool Connections::Implementation::take_messages() {
  std::vector<int> arrived;
  std::vector<Done> done;
  bool stopping = false;
  {
    const std::lock_guard lock(mutex_);
    arrived.swap(arrived_);
    done.swap(done_);
    stopping = stopping_;
  }
  for (const int socket : arrived) {
    OpenConnection& connection = open_[next_++];
    connection.socket = socket;
    turn_to(connection, ConnectionState::receiving, limits_.header);
    go_on(std::prev(open_.end())); // what has come already is not given up unread
  }
  for (Done& each : done)
    if (const auto it = open_.find(each.connection); it != open_.end()) {
      begin_answer(it->second, std::move(each.reply));
      go_on(it);
    }
  return !stopping;
}

void Connections::Implementation::wait_for_sockets() {
  std::vector<pollfd> files = {{event_, POLLIN, 0}};
  std::vector<Number> numbers = {0};
  Clock::time_point next = Clock::now() + std::chrono::hours(1);
  for (const auto& [number, connection] : open_) {
    if (connection.state == ConnectionState::computing) continue;
    files.push_back({connection.socket, events_of(connection), 0});
    numbers.push_back(number);
    next = std::min(next, connection.deadline);
  }
  const auto left = std::chrono::ceil<Time>(next - Clock::now());
  poll(files.data(), files.size(), static_cast<int>(std::max(left, Time{0}).count()));
  std::uint64_t count = 0;
  if (files[0].revents != 0) (void)!read(event_, &count, sizeof(count));
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i].revents == 0) continue;
    go_on(open_.find(numbers[i]));
  }
}

/// Sends or receives what is possible without waiting.
void Connections::Implementation::go_on(Open::iterator it) {
  auto& [number, connection] = *it;
  std::string unread;
  const Progress progress = connection.state == ConnectionState::sending
                                ? send_on(number, connection)
                            : connection.state == ConnectionState::closing
                                ? receive_into(unread, buffer_, connection.socket)
                                : receive(number, connection);
  if (progress == Progress::closed) close_connection(it);
}

Progress Connections::Implementation::receive(Number number, OpenConnection& connection) {
  const Progress progress = receive_into(connection.received, buffer_, connection.socket);
  if (progress != Progress::some) return progress;
  if (connection.state == ConnectionState::idle)
    turn_to(connection, ConnectionState::receiving, limits_.header);
  find_request(number, connection);
  return progress;
}

/// Hands the request over if it is complete.
void Connections::Implementation::find_request(Number number, OpenConnection& connection) {
  std::string& received = connection.received;
  if (connection.request == 0) {
    const std::size_t header = header_length(received, connection.searched);
    connection.searched = received.size();
    if (std::max(header, header == 0 ? received.size() : 0) > limits_.header_bytes)
      return begin_answer(connection, {header_too_large, true});
    if (header == 0) return;
    const auto body = body_length(std::string_view(received).substr(0, header));
    // Of a body that is not read nobody knows where it ends and the next request begins.
    connection.last = !body || *body > limits_.body_bytes;
    connection.request = header + (connection.last ? 0 : *body);
    if (received.size() < connection.request)
      turn_to(connection, ConnectionState::receiving, limits_.body);
  }
  if (received.size() < connection.request) return;
  std::string rest = received.substr(connection.request);
  received.resize(connection.request);
  connection.state = ConnectionState::computing;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({number, std::exchange(received, std::move(rest))});
  }
  work_.notify_one();
  connection.searched = connection.request = 0;
}

void Connections::Implementation::begin_answer(OpenConnection& connection, Reply reply) {
  connection.answer = std::move(reply.bytes);
  connection.sent = 0;
  connection.last = connection.last || reply.last;
  turn_to(connection, ConnectionState::sending, limits_.silence);
  const std::size_t seconds = connection.answer.size() / limits_.bytes_per_second;
  connection.answer_deadline =
      connection.since + limits_.answer + std::chrono::seconds(static_cast<long>(seconds));
  connection.deadline = std::min(connection.deadline, connection.answer_deadline);
}

Progress Connections::Implementation::send_on(Number number, OpenConnection& connection) {
  const Progress progress = connection.answer.empty()
                                ? Progress::closed
                                : send_from(connection.answer, connection.sent, connection.socket);
  if (progress != Progress::some) return progress;
  connection.deadline = std::min(Clock::now() + limits_.silence, connection.answer_deadline);
  if (connection.sent == connection.answer.size()) finish_answer(number, connection);
  return progress;
}

void Connections::Implementation::finish_answer(Number number, OpenConnection& connection) {
  connection.answer = {};
  if (connection.last) {
    // To close with bytes unread would take the answer back that is still on its way.
    shutdown(connection.socket, SHUT_WR);
    return turn_to(connection, ConnectionState::closing, farewell);
  }
  if (connection.received.empty()) return turn_to(connection, ConnectionState::idle, limits_.idle);
  turn_to(connection, ConnectionState::receiving, limits_.header);
  find_request(number, connection);
}

auto Connections::Implementation::close_connection(Open::iterator it) -> Open::iterator {
  close(it->second.socket);
  return open_.erase(it);
}

void Connections::Implementation::close_overdue() {
  const auto now = Clock::now();
  for (auto it = open_.begin(); it != open_.end();)
    it = it->second.state != ConnectionState::computing && it->second.deadline <= now
             ? close_connection(it)
             : std::next(it);
}

/// Closes connections beyond the limits, but not the newest connection and the newest answer.
void Connections::Implementation::make_room() {
  const auto given_up_before = [](const auto& a, const auto& b) {
    return std::pair(a.second.state, a.second.since) < std::pair(b.second.state, b.second.since);
  };
  while (open_.size() > std::max<std::size_t>(limits_.connections, 1))
    close_connection(std::min_element(open_.begin(), std::prev(open_.end()), given_up_before));

  std::size_t held = 0;
  std::vector<Open::iterator> holders;
  for (auto it = open_.begin(); it != open_.end(); ++it) {
    held += held_bytes(it->second);
    if (held_bytes(it->second) > 0) holders.push_back(it);
  }
  if (held <= limits_.held_bytes) return;
  std::sort(holders.begin(), holders.end(),
            [](auto a, auto b) { return a->second.since < b->second.since; });
  for (std::size_t i = 0; held > limits_.held_bytes && i + 1 < holders.size(); ++i) {
    held -= held_bytes(holders[i]->second);
    close_connection(holders[i]);
  }
}

} // namespace talus::cli
