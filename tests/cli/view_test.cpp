// talus view: pages that carry a run, and a server that serves nothing but the run, whatever it is
// asked.

#include "simulated.h"
#include "view/view_server.h"

#include <arpa/inet.h>
#include <atomic>
#include <mutex>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>

namespace talus::test {
namespace {

constexpr const char* viewed_page = "<html><!-- data of the run --></html>";

/// A port that was free a moment ago.
int free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(listener, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  close(listener);
  return ntohs(address.sin_port);
}

/// A connection to the server; -1 if nobody listens.
int connect_to(int port) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0)
    return connection;
  close(connection);
  return -1;
}

/// Sends bytes as they are; what comes back until the server closes, or stays silent for so many
/// seconds.
std::string talk(int port, const std::string& bytes, int seconds = 1) {
  const int connection = connect_to(port);
  if (connection < 0) return "nobody listens";
  const timeval patience = {seconds, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  (void)!send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::string answer;
  char buffer[65536];
  for (ssize_t count; (count = recv(connection, buffer, sizeof(buffer), 0)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(count));
  close(connection);
  return answer;
}

std::string get(int port, const std::string& target, const std::string& host = "localhost") {
  constexpr int patience = 20;
  return talk(port,
              "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n",
              patience);
}

int status_of(const std::string& answer) {
  return answer.rfind("HTTP/1.1 ", 0) == 0 ? std::stoi(answer.substr(9, 3)) : -1;
}

std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

/// Clients that send one byte after another of a request that never ends. They give up after so
/// many bytes each.
class DrippingClients {
public:
  DrippingClients(int port, int count) : thread_([this] { drip(); }) {
    for (int i = 0; i < count; ++i) {
      const int socket = connect_to(port);
      EXPECT_GE(socket, 0);
      (void)!send(socket, "x", 1, MSG_NOSIGNAL);
      {
        const std::lock_guard lock(mutex_);
        sockets_.push_back(socket);
      }
      // A system that has several to hand over may make the next one try again after a second.
      if (i % 4 == 3) wait_for(0.01);
    }
    complete_ = true;
  }
  ~DrippingClients() {
    ending_ = true;
    thread_.join();
    for (const int socket : sockets_) close(socket);
  }
  /// Waits until the server has closed all connections, or the clients give up.
  bool must_give_up() {
    while (!is_over_) wait_for(0.01);
    return gave_up_;
  }
  /// Whether they have done so by now.
  bool gave_up() const { return gave_up_; }

private:
  static constexpr int most_bytes = 150;

  void drip() {
    for (int i = 0; i < most_bytes && !ending_; ++i) {
      wait_for(0.1);
      if (!send_a_byte() && complete_) {
        is_over_ = true;
        return;
      }
    }
    gave_up_ = !ending_;
    is_over_ = true;
  }
  /// False when the server has closed all connections.
  bool send_a_byte() {
    const std::lock_guard lock(mutex_);
    bool open = false;
    for (const int socket : sockets_)
      if (send(socket, "x", 1, MSG_NOSIGNAL) == 1) open = true;
    return open;
  }

  std::mutex mutex_;
  std::vector<int> sockets_;
  std::atomic<bool> complete_ = false, ending_ = false, gave_up_ = false, is_over_ = false;
  std::thread thread_;
};

class ViewCommand : public SimulationTest {
protected:
  void SetUp() override {
    SimulationTest::SetUp();
    std::filesystem::create_directory(path("page"));
    std::ofstream(path("page/index.html")) << viewed_page;
    setenv("TALUS_VIEWER", path("page").c_str(), 1);
    const std::string scene = write_scene("s.yaml", falling_balls);
    const Answer answer = talus({"run", scene, "--steps", "10", "--out", path("run")});
    ASSERT_EQ(answer.code, 0) << answer.err;
  }
  void TearDown() override {
    unsetenv("TALUS_VIEWER");
    SimulationTest::TearDown();
  }
};

class ViewServerTest : public ViewCommand {
protected:
  void SetUp() override {
    ViewCommand::SetUp();
    port_ = free_port();
    server_ = std::make_unique<RunningProgram>(
        std::vector<std::string>{"view", path("run"), "--port", std::to_string(port_)});
    for (int i = 0; i < 1000; ++i) {
      const int connection = connect_to(port_);
      if (connection >= 0) {
        close(connection);
        return;
      }
      wait_for(0.01);
    }
    FAIL() << "the server did not start";
  }
  void TearDown() override {
    server_.reset();
    ViewCommand::TearDown();
  }
  /// Silent ones and halves of requests.
  std::vector<int> idle_connections(int count) const {
    std::vector<int> idle;
    for (int i = 0; i < count; ++i) {
      idle.push_back(connect_to(port_));
      EXPECT_GE(idle.back(), 0);
      if (i % 2 == 0) (void)!send(idle.back(), "GET /mod", 8, MSG_NOSIGNAL);
    }
    return idle;
  }
  void expect_alive() { EXPECT_EQ(status_of(get(port_, "/extent")), 200); }

  int port_ = 0;
  std::unique_ptr<RunningProgram> server_;
};

TEST_F(ViewServerTest, RefusesAPortThatAnotherServerHas) {
  const Answer answer = talus({"view", path("run"), "--port", std::to_string(port_)});
  EXPECT_EQ(answer.code, 1);
  EXPECT_NE(answer.err.find("the port is taken"), std::string::npos) << answer.err;
  expect_alive();
}

TEST_F(ViewServerTest, ServesThePageAndTheRun) {
  EXPECT_EQ(body_of(get(port_, "/")), viewed_page);
  const Json extent = Json::parse(body_of(get(port_, "/extent")));
  EXPECT_EQ(extent["frames"], 6);
  EXPECT_EQ(extent["steps"], 10);
  EXPECT_EQ(extent["growing"], false);
  EXPECT_EQ(status_of(get(port_, "/model")), 200);
  EXPECT_EQ(status_of(get(port_, "/times?first=0")), 200);
  EXPECT_EQ(status_of(get(port_, "/steps?first=0")), 200);
  EXPECT_EQ(status_of(get(port_, "/frames?first=0&count=6&contacts=1")), 200);
}

TEST_F(ViewServerTest, FramesHoldTheStatesOfTheTrajectory) {
  const std::string bytes = body_of(get(port_, "/frames?first=2&count=1&contacts=0"));
  ASSERT_GT(bytes.size(), 4u);
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data(), 4);
  const Json header = Json::parse(bytes.substr(4, length));
  const TrajectoryReader reader(path("run/trajectory.h5"));
  const auto states = reader.states(2);
  bool found = false;
  for (const auto& section : header["sections"]) {
    if (section["name"] != "position") continue;
    found = true;
    ASSERT_EQ(section["length"], 3 * states.size());
    std::vector<float> numbers(3 * states.size());
    std::memcpy(numbers.data(), bytes.data() + 4 + length + section["offset"].get<std::size_t>(),
                numbers.size() * sizeof(float));
    for (std::size_t i = 0; i < states.size(); ++i)
      for (int k = 0; k < 3; ++k)
        EXPECT_EQ(numbers[3 * i + static_cast<std::size_t>(k)],
                  static_cast<float>(states[i].pose.position[k]));
  }
  EXPECT_TRUE(found);
}

TEST_F(ViewServerTest, ServesNothingElse) {
  for (const char* target :
       {"/summary.json", "/run/steps.csv", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd", "/model/", "/index.html", "/frames/../s.yaml"})
    EXPECT_EQ(status_of(get(port_, target)), 404) << target;
  EXPECT_EQ(status_of(talk(port_, "POST /picture?number=0 HTTP/1.1\r\nHost: localhost\r\n"
                                  "Content-Length: 0\r\nConnection: close\r\n\r\n")),
            404);
}

TEST_F(ViewServerTest, RefusesWrongParameters) {
  for (const char* query :
       {"", "?first=0", "?first=-1&count=1", "?first=0&count=x", "?first=1e3&count=1",
        "?first=0&count=99999999999999999999", "?first=0&count=2000000000"})
    EXPECT_EQ(status_of(get(port_, std::string("/frames") + query)), 400) << query;
  for (const char* query : {"?first=0&count=7", "?first=6&count=1", "?first=0&count=0"})
    EXPECT_EQ(status_of(get(port_, std::string("/frames") + query)), 404) << query;
  expect_alive();
}

TEST_F(ViewServerTest, RefusesOtherHostNames) {
  EXPECT_EQ(status_of(get(port_, "/", "example.org")), 403);
  for (const char* host : {"127.evil.example.org:80", "[::1].evil.com", "localhost:1@evil.com",
                           "localhost.evil.com", "localhost:", "local%68ost", "127.0.0.2", ""})
    EXPECT_EQ(status_of(get(port_, "/extent", host)), 403) << host;
  EXPECT_EQ(status_of(get(port_, "/extent", "localhost\r\nHost: evil.com")), 403);
  EXPECT_EQ(status_of(talk(port_, "GET / HTTP/1.0\r\n\r\n")), 403);
  EXPECT_EQ(status_of(get(port_, "/", "127.0.0.1:" + std::to_string(port_))), 200);
  EXPECT_EQ(status_of(get(port_, "/", "[::1]:80")), 200);
}

TEST_F(ViewServerTest, SurvivesMalformedRequests) {
  const std::string zeros(100, '\0');
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("G\xff\xfeT / HTTP/1.1\r\n\r\n"), zeros + "\r\n\r\n",
        "GET /" + std::string(100000, 'a') + " HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nX: " + std::string(100000, 'b') + "\r\n\r\n",
        std::string("GET /frames?first=%zz&count=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: localhost\r\nRange: bytes=9-1,,-\r\n\r\n")}) {
    talk(port_, bytes);
    expect_alive();
  }
}

TEST_F(ViewServerTest, SurvivesNoise) {
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    std::string noise;
    for (std::size_t k = 0; k < 400; ++k) noise += static_cast<char>(random() & 255);
    const int connection = connect_to(port_);
    ASSERT_GE(connection, 0);
    (void)!send(connection, noise.data(), noise.size(), MSG_NOSIGNAL);
    close(connection);
  }
  expect_alive();
}

// Browsers keep connections open without a word; each was a thread fewer for the others.
TEST_F(ViewServerTest, AnswersAtOnceBesideIdleConnectionsAndHalfRequests) {
  const std::vector<int> idle = idle_connections(100);
  for (int i = 0; i < 5; ++i) expect_alive();
  for (const int connection : idle) close(connection);
}

TEST_F(ViewServerTest, GoesOnAfterMoreConnectionsThanItKeeps) {
  for (const int connection : idle_connections(700)) close(connection);
  expect_alive();
}

TEST_F(ViewServerTest, AnswersBesideHundredsOfSlowClients) {
  const DrippingClients slow(port_, 300);
  for (int i = 0; i < 5; ++i) expect_alive();
  EXPECT_FALSE(slow.gave_up()) << "the others had to wait until they did";
}

TEST_F(ViewServerTest, EndsBesideASlowClient) {
  DrippingClients slow(port_, 1);
  EXPECT_EQ(server_->end(SIGINT), -SIGINT);
  EXPECT_FALSE(slow.must_give_up());
}

/// A request whose answer stays where it is.
int ask_and_not_read(int port, const std::string& target) {
  const int connection = connect_to(port);
  EXPECT_GE(connection, 0);
  const std::string request = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  EXPECT_EQ(send(connection, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  return connection;
}

/// Serves a page of sixteen million bytes, more than sockets hold, from this process.
class LargePageTest : public ViewCommand {
protected:
  void SetUp() override {
    ViewCommand::SetUp();
    run_ = std::make_unique<cli::ViewedRun>(path("run"), false);
    server_ = std::make_unique<cli::ViewServer>(*run_, std::string(size, 'x'));
    const std::string address = server_->bind("127.0.0.1", 0);
    port_ = std::stoi(address.substr(address.rfind(':') + 1));
    serving_ = std::thread([this] { server_->serve(); });
  }
  void TearDown() override {
    stop();
    ViewCommand::TearDown();
  }
  void stop() {
    if (!serving_.joinable()) return;
    server_->stop();
    serving_.join();
  }

  static constexpr std::size_t size = 16000000;
  int port_ = 0;

private:
  std::unique_ptr<cli::ViewedRun> run_;
  std::unique_ptr<cli::ViewServer> server_;
  std::thread serving_;
};

TEST_F(LargePageTest, IsSentToOneWhoReadsSlowly) {
  const int connection = ask_and_not_read(port_, "/");
  std::string buffer(100000, '\0');
  std::size_t received = 0;
  while (received < size) {
    const ssize_t count = recv(connection, buffer.data(), buffer.size(), 0);
    ASSERT_GT(count, 0);
    received += static_cast<std::size_t>(count);
    wait_for(0.001);
  }
  close(connection);
  EXPECT_LT(received, size + 1000) << "the page and a header";
}

TEST_F(LargePageTest, IsReadByNobodyAndOthersAreAnswered) {
  std::vector<int> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(ask_and_not_read(port_, "/"));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status_of(get(port_, "/extent")), 200);
  for (const int connection : silent) close(connection);
}

TEST_F(LargePageTest, HasOneAnswerForManyRanges) {
  std::string ranges = "bytes=0-";
  for (int i = 0; i < 100; ++i) ranges += ",0-";
  EXPECT_EQ(body_of(get(port_, "/", "localhost\r\nRange: " + ranges)).size(), size);
}

// `talus render` stops its server while the browser, or somebody else, may be connected.
TEST_F(LargePageTest, TheServerStopsBesideSlowClients) {
  std::vector<int> silent = {ask_and_not_read(port_, "/"), connect_to(port_)};
  DrippingClients slow(port_, 3);
  EXPECT_EQ(status_of(get(port_, "/extent")), 200);
  stop();
  EXPECT_FALSE(slow.must_give_up());
  for (const int connection : silent) close(connection);
}

TEST_F(ViewCommand, WritesAPageThatCarriesTheRun) {
  const Answer answer = talus({"view", "run", "--html", "run.html"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const std::string text = read_text(path("run.html"));
  expect_words(text, {"talus-model", "talus-times", "talus-steps", "talus-frames-0"});
  const Answer thinned =
      talus({"view", "run/trajectory.h5", "--html", "few.html", "--every", "5", "--no-contacts"});
  EXPECT_EQ(thinned.code, 0) << thinned.err;
  EXPECT_LT(std::filesystem::file_size(path("few.html")), text.size());
}

TEST_F(ViewCommand, SaysWhatIsMissing) {
  expect_words(talus({"view", "nowhere"}).err, {"nowhere"});
  EXPECT_EQ(talus({"view", "nowhere"}).code, 1);
  expect_words(talus({"view", "page"}).err, {"page", "trajectory.h5", "talus run"});
  expect_words(talus({"view", "s.yaml"}).err, {"s.yaml"});
  EXPECT_EQ(talus({"view", "run", "--every", "2"}).code, 2);
  EXPECT_EQ(talus({"view", "run", "--port", "99999"}).code, 2);
  const Answer beyond = talus({"view", "run", "--html", "x.html", "--every", "4294967296"});
  EXPECT_EQ(beyond.code, 2);
  expect_words(beyond.err, {"--every", "2147483647"});
  EXPECT_EQ(talus({"view", "run", "--html", "no/such/folder/x.html"}).code, 1);
}

TEST_F(ViewCommand, SaysWhenThePortIsTaken) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const Answer answer = talus({"view", "run", "--port", port});
  EXPECT_EQ(answer.code, 1);
  expect_words(answer.err, {"cannot listen", port});
  close(listener);
}

TEST_F(ViewCommand, RenderChecksItsArgumentsFirst) {
  const Answer unknown = talus({"render", "run", "--out", "x.avi"});
  EXPECT_EQ(unknown.code, 2);
  expect_words(unknown.err, {".gif", ".webp", ".mp4", "x.avi"});
  const Answer fast = talus({"render", "run", "--out", "x.gif", "--fps", "60"});
  EXPECT_EQ(fast.code, 2);
  expect_words(fast.err, {"--fps", "50"});
  EXPECT_EQ(talus({"render", "run", "--out", "x.webp", "--time", "1"}).code, 2);
  EXPECT_EQ(talus({"render", "run", "--out", "x.png", "--zoom", "0"}).code, 2);
  EXPECT_EQ(talus({"render", "run", "--out", "x.webp", "--orbit", "nan"}).code, 2);
  EXPECT_EQ(talus({"render", "run", "--out", "x.png", "--size", "10"}).code, 2);
  EXPECT_EQ(talus({"render", "run", "--out", "x.png", "--camera", "behind"}).code, 2);
  EXPECT_EQ(talus({"render", "run", "--out", "no/folder/x.png"}).code, 1);
  const Answer without = talus({"render", "run", "--out", "x.png"}, "PATH=/nowhere");
  EXPECT_EQ(without.code, 1);
  expect_words(without.err, {"chromium", "not installed"});
  const Answer film = talus({"render", "run", "--out", "x.mp4"}, "PATH=/nowhere");
  EXPECT_EQ(film.code, 1);
  expect_words(film.err, {"ffmpeg", "not installed"});
}

TEST_F(ViewCommand, ALiveRunIsServedWhileItGrows) {
  const int port = free_port();
  const std::string scene = write_scene("long.yaml", falling_balls);
  RunningProgram run({"run", scene, "--time", "100", "--live", "--port", std::to_string(port),
                      "--out", path("live")});
  const auto frames_now = [&] {
    const std::string answer = get(port, "/extent");
    return status_of(answer) == 200 ? Json::parse(body_of(answer)) : Json();
  };
  Json first, later;
  for (int i = 0; i < 600 && (first = frames_now()).is_null(); ++i) wait_for(0.05);
  ASSERT_FALSE(first.is_null()) << "no server beside the run";
  EXPECT_EQ(first["growing"], true);
  for (int i = 0; i < 600; ++i) {
    later = frames_now();
    if (!later.is_null() && later["frames"] > first["frames"]) break;
    wait_for(0.05);
  }
  EXPECT_GT(later["frames"].get<int>(), first["frames"].get<int>());
  EXPECT_EQ(run.end(SIGINT), 130);
  for (int i = 0; i < 300 && connect_to(port) >= 0; ++i) wait_for(0.01);
  EXPECT_LT(connect_to(port), 0) << "the server outlives the run";
}

} // namespace
} // namespace talus::test
