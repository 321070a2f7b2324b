// talus view: pages that carry a run, and a server that serves nothing but the run, whatever it is
// asked.

#include "simulated.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>

namespace talus::test {
namespace {

constexpr const char* page = "<html><!-- data of the run --></html>";

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

/// Sends bytes as they are; what comes back until the server closes or a second passes in silence.
std::string talk(int port, const std::string& bytes) {
  const int connection = connect_to(port);
  if (connection < 0) return "nobody listens";
  const timeval patience = {1, 0};
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
  return talk(port,
              "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
}

int status_of(const std::string& answer) {
  return answer.rfind("HTTP/1.1 ", 0) == 0 ? std::stoi(answer.substr(9, 3)) : -1;
}

std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

class ViewCommand : public SimulationTest {
protected:
  void SetUp() override {
    SimulationTest::SetUp();
    std::filesystem::create_directory(path("page"));
    std::ofstream(path("page/index.html")) << page;
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
      wait_for(0.005); // a system that has several to hand over makes the next one try again later
    }
    return idle;
  }
  void expect_alive() { EXPECT_EQ(status_of(get(port_, "/extent")), 200); }

  int port_ = 0;
  std::unique_ptr<RunningProgram> server_;
};

TEST_F(ViewServerTest, ServesThePageAndTheRun) {
  EXPECT_EQ(body_of(get(port_, "/")), page);
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
  EXPECT_EQ(status_of(get(port_, "/extent", "127.evil.example.org:80")), 403);
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

TEST_F(ViewServerTest, GoesOnAfterMoreConnectionsThanItHasThreads) {
  for (const int connection : idle_connections(300)) close(connection);
  expect_alive();
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
  EXPECT_EQ(talus({"render", "run", "--out", "x.gif"}).code, 2);
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
