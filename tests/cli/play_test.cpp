// talus play: what a session does with what it is asked, and a server that answers to its token
// only.

#include "simulated.h"
#include "talus/core/error.h"
#include "view/play_server.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace talus::cli {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

Scene scene_of_text(const std::string& text) {
  return build_scene({"play.yaml", text, {}, {}});
}

constexpr const char* ball_scene = R"(
step: 1/200
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: ball, shape: {type: sphere, radius: 0.1}, position: [0, 0, 0.1], mass: 2}
sensors:
  - {name: scale, type: contact_force, body: floor}
)";

/// A state as the page reads it.
struct Shown {
  json info;
  std::vector<float> position;
};

Shown unpacked(const std::string& bytes) {
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data(), 4);
  const json header = json::parse(bytes.substr(4, length));
  Shown shown;
  for (const json& section : header["sections"]) {
    const std::size_t at = 4 + length + section["offset"].get<std::size_t>();
    const std::size_t count = section["length"];
    if (section["name"] == "info") shown.info = json::parse(bytes.substr(at, count));
    if (section["name"] != "position") continue;
    shown.position.resize(count);
    std::memcpy(shown.position.data(), bytes.data() + at, 4 * count);
  }
  return shown;
}

class Player {
public:
  explicit Player(const std::string& text)
      : scene_(scene_of_text(text)), session(scene_, scene_.options) {
    session.ask(asked::Speed{100}); // nobody watches
  }
  /// The first state that is as wanted; fails after a minute.
  template <class Wanted>
  Shown wait_for(Wanted&& wanted) {
    long seen = -1;
    for (int i = 0; i < 6000; ++i) {
      const Shown shown = unpacked(session.state(seen, 10ms));
      seen = shown.info["number"];
      if (wanted(shown)) return shown;
    }
    ADD_FAILURE() << "the state did not come; the last: " << unpacked(session.state(-1, 0ms)).info;
    return {};
  }
  Shown wait_until(double time) {
    return wait_for([&](const Shown& shown) { return shown.info["time"].get<double>() >= time; });
  }
  Shown now() { return unpacked(session.state(-1, 0ms)); }

private:
  Scene scene_;

public:
  PlaySession session;
};

TEST(PlaySession, DraggedBodyComesToThePointerAndFallsWhenLetGo) {
  Player player(ball_scene);
  player.session.ask(asked::Drag{1, {0, 0, 0}, {0.4, -0.3, 1.5}});
  const Shown held = player.wait_until(player.now().info["time"].get<double>() + 3);
  EXPECT_NEAR(held.position[3], 0.4, 1e-3);
  EXPECT_NEAR(held.position[4], -0.3, 1e-3);
  EXPECT_NEAR(held.position[5], 1.5, 1e-3);
  EXPECT_EQ(held.info["dragged"], 1);
  player.session.ask(asked::Release{});
  const Shown fallen = player.wait_until(held.info["time"].get<double>() + 3);
  EXPECT_NEAR(fallen.position[5], 0.1, 1e-3);
  EXPECT_EQ(fallen.info["dragged"], -1);
  EXPECT_NEAR(fallen.info["row"]["sensor:scale.force_z"], -2 * 9.81, 1e-2);
}

TEST(PlaySession, PausesStepsAndStartsAgain) {
  Player player(ball_scene);
  player.session.ask(asked::Pause{true});
  const Shown paused = player.wait_for([](const Shown& s) { return s.info["paused"] == true; });
  const long steps = paused.info["step"];
  for (int i = 1; i <= 3; ++i) {
    player.session.ask(asked::Step{});
    const Shown next =
        player.wait_for([&](const Shown& s) { return s.info["step"] > steps + i - 1; });
    EXPECT_EQ(next.info["step"], steps + i);
    EXPECT_EQ(next.info["paused"], true);
  }
  player.session.ask(asked::Reset{});
  player.wait_for([](const Shown& s) { return s.info["step"] == 0; });
}

TEST(PlaySession, DroppedBodiesFallAndAreGoneAfterAReset) {
  Player player(ball_scene);
  const long revision = player.session.model().first;
  player.session.ask(asked::Drop{true, 0.05, {1, 0, 0.5}, {}});
  player.session.ask(asked::Drop{false, 0.05, {2, 0, 0.5}, {}});
  const Shown there = player.wait_for([](const Shown& s) { return s.position.size() == 12; });
  EXPECT_EQ(there.info["revision"], revision + 2);
  const Shown fallen = player.wait_until(there.info["time"].get<double>() + 2);
  EXPECT_NEAR(fallen.position[8], 0.05, 1e-3);
  EXPECT_NEAR(fallen.position[11], 0.05, 1e-3);
  EXPECT_NE(player.session.model().second.find("dropped 2"), std::string::npos);
  player.session.ask(asked::Reset{});
  player.wait_for([](const Shown& s) { return s.position.size() == 6; });
}

/// A block on a slope of 0.3: it rests with friction 0.5, and slides down when that becomes 0.
TEST(PlaySession, FrictionChangesWhileItRuns) {
  Player player(R"(
step: 1/200
gravity: [2.9, 0, -9.37]
materials: {ice: {friction: 0.5}}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}, material: ice}
  - {name: block, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [0, 0, 0.1], material: ice}
)");
  const Shown resting = player.wait_until(1);
  EXPECT_NEAR(resting.position[3], 0, 1e-3);
  player.session.ask(asked::Friction{1, 0});
  const Shown sliding = player.wait_until(resting.info["time"].get<double>() + 1);
  EXPECT_GT(sliding.position[3], 0.3);
  EXPECT_EQ(sliding.info["friction"][1], 0);
}

TEST(PlaySession, RefusesWhatCannotBeDone) {
  Player player(ball_scene);
  const double nan = std::nan(""), inf = HUGE_VAL;
  const PlayRequest bad[] = {asked::Drag{7, {}, {}},
                             asked::Drag{-1, {}, {}},
                             asked::Drag{1, {}, {nan, 0, 0}},
                             asked::Drag{1, {}, {0, 0, 1e9}},
                             asked::Drop{true, 0, {}, {}},
                             asked::Drop{true, nan, {}, {}},
                             asked::Drop{true, 0.1, {0, inf, 0}, {}},
                             asked::Drop{true, 1e9, {}, {}},
                             asked::Friction{9, 0.5},
                             asked::Friction{0, -1},
                             asked::Friction{0, nan},
                             asked::Speed{0},
                             asked::Speed{nan}};
  for (const PlayRequest& request : bad) EXPECT_THROW(player.session.ask(request), BadRequest);
}

TEST(PlayRequests, AreReadOrRefusedWithASentence) {
  EXPECT_TRUE(std::get<asked::Pause>(read_request(R"({"do": "pause", "on": true})")).on);
  const auto drag = std::get<asked::Drag>(
      read_request(R"({"do": "drag", "body": 3, "point": [0, 0, 1], "target": [1, 2, 3.5]})"));
  EXPECT_EQ(drag.body, 3);
  EXPECT_EQ(drag.target.z, 3.5);
  const std::pair<const char*, const char*> bad[] = {
      {"", "JSON object"},
      {"[1, 2]", "JSON object"},
      {"{\"do\": ", "JSON object"},
      {"{}", "'do' is missing"},
      {R"({"do": 3})", "'do' must be a text"},
      {R"({"do": "explode"})", "unknown request 'explode'"},
      {R"({"do": "pause"})", "'on' is missing"},
      {R"({"do": "pause", "on": 1})", "'on' must be true or false"},
      {R"({"do": "drag", "body": 1.5, "point": [0,0,0], "target": [0,0,0]})", "whole number"},
      {R"({"do": "drag", "body": -1, "point": [0,0,0], "target": [0,0,0]})", "whole number"},
      {R"({"do": "drag", "body": 1, "point": [0,0], "target": [0,0,0]})", "'point' must be three"},
      {R"({"do": "drag", "body": 1, "point": [0,0,"x"], "target": [0,0,0]})", "'point' must be"},
      {R"({"do": "drop", "shape": "cat", "size": 1, "place": [0,0,0]})", "unknown shape 'cat'"},
      {R"({"do": "speed", "factor": "fast"})", "'factor' must be a number"},
      {R"({"do": "speed", "factor": 1e999})", "JSON object"},
  };
  for (const auto& [text, words] : bad) {
    try {
      read_request(text);
      ADD_FAILURE() << text << " was understood";
    } catch (const BadRequest& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

class PlayServerTest : public ::testing::Test {
protected:
  void SetUp() override {
    address_ = server_.bind(0);
    const std::size_t colon = address_.rfind(':');
    port_ = std::stoi(address_.substr(colon + 1));
    thread_ = std::thread([this] { server_.serve(); });
  }
  void TearDown() override {
    server_.stop();
    thread_.join();
  }
  int post(const std::string& body, const std::string& token = "secret",
           const std::string& host = "localhost") {
    httplib::Client client("127.0.0.1", port_);
    const auto answer =
        client.Post("/ask", {{"X-Talus-Token", token}, {"Host", host}}, body, "application/json");
    text_ = answer ? answer->body : "";
    return answer ? answer->status : -1;
  }
  int get(const std::string& target, const std::string& token = "secret") {
    httplib::Client client("127.0.0.1", port_);
    const auto answer = client.Get(target, {{"X-Talus-Token", token}});
    text_ = answer ? answer->body : "";
    return answer ? answer->status : -1;
  }

  Player player_{ball_scene};
  PlayServer server_{player_.session, "the page", "secret"};
  std::string address_, text_;
  int port_ = 0;
  std::thread thread_;
};

TEST_F(PlayServerTest, AnswersToItsTokenOnly) {
  EXPECT_TRUE(address_.starts_with("http://127.0.0.1:")) << address_;
  EXPECT_TRUE(address_.ends_with("/?token=secret")) << address_;
  EXPECT_EQ(get("/?token=secret", ""), 200);
  EXPECT_EQ(text_, "the page");
  for (const char* target :
       {"/", "/?token=", "/?token=secreT", "/?token=secret2", "/model", "/state?seen=0"})
    EXPECT_EQ(get(target, "wrong"), 403) << target;
  EXPECT_NE(text_.find("token"), std::string::npos);
  EXPECT_EQ(post(R"({"do": "step"})", ""), 403);
  EXPECT_EQ(post(R"({"do": "step"})", "secret", "evil.example"), 403);
  EXPECT_EQ(get("/model"), 200);
  EXPECT_EQ(get("/state?seen=0"), 200);
  EXPECT_EQ(unpacked(text_).position.size(), 6u);
}

TEST_F(PlayServerTest, AnswersHostileRequestsWithASentence) {
  EXPECT_EQ(post(R"({"do": "pause", "on": true})"), 200);
  EXPECT_EQ(post("not json"), 400);
  EXPECT_EQ(text_, "talus: a request is a JSON object\n");
  EXPECT_EQ(post(R"({"do": "drag", "body": 99, "point": [0,0,0], "target": [0,0,0]})"), 400);
  EXPECT_NE(text_.find("there is no body 99; there are 2"), std::string::npos) << text_;
  EXPECT_EQ(post(std::string(100, '[')), 400);
  EXPECT_NE(post(std::string(100000, 'x')), 200);
  EXPECT_EQ(get("/state?seen=-1"), 400);
  EXPECT_EQ(get("/state?seen=1e3"), 400);
  EXPECT_EQ(get("/state"), 400);
  for (const char* target : {"/ask", "/frames?first=0&count=1", "/../etc/passwd"})
    EXPECT_EQ(get(target), 404) << target;
  EXPECT_EQ(get("/model"), 200);
}

TEST(PlayTokens, AreLongAndNeverTheSame) {
  const std::string token = random_token();
  EXPECT_EQ(token.size(), 32u);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(token, random_token());
}

} // namespace
} // namespace talus::cli
