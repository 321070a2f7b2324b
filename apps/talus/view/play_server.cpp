#include "play_server.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sys/random.h>

namespace talus::cli {
namespace {

using nlohmann::json;

constexpr std::size_t largest_request = 4096;
constexpr std::chrono::milliseconds patience(250);

/// Takes as long for a wrong token as for the right one.
bool is_same(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

/// A request as JSON, with complaints that name the member.
class Members {
public:
  explicit Members(const json& object) : object_(object) {}

  double number(const char* name) const {
    const json& value = member(name);
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      throw BadRequest(fmt::format("'{}' must be a number", name));
    return value.get<double>();
  }
  Index index(const char* name) const {
    const json& value = member(name);
    if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() > 1e9)
      throw BadRequest(fmt::format("'{}' must be a whole number >= 0", name));
    return value.get<Index>();
  }
  bool truth(const char* name) const {
    const json& value = member(name);
    if (!value.is_boolean()) throw BadRequest(fmt::format("'{}' must be true or false", name));
    return value.get<bool>();
  }
  std::string text(const char* name) const {
    const json& value = member(name);
    if (!value.is_string()) throw BadRequest(fmt::format("'{}' must be a text", name));
    return value.get<std::string>();
  }
  Vec3 vector(const char* name) const {
    const json& value = member(name);
    const auto is_number = [](const json& part) { return part.is_number(); };
    if (!value.is_array() || value.size() != 3 ||
        !std::all_of(value.begin(), value.end(), is_number))
      throw BadRequest(fmt::format("'{}' must be three numbers [x, y, z]", name));
    return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
  }
  bool has(const char* name) const { return object_.contains(name); }

private:
  const json& member(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) throw BadRequest(fmt::format("'{}' is missing", name));
    return *found;
  }
  const json& object_;
};

} // namespace

std::string random_token() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
    throw Error("the system gives no random numbers");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

PlayRequest read_request(const std::string& text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) throw BadRequest("a request is a JSON object");
  const Members m(object);
  const std::string what = m.text("do");
  if (what == "pause") return asked::Pause{m.truth("on")};
  if (what == "step") return asked::Step{};
  if (what == "reset") return asked::Reset{};
  if (what == "speed") return asked::Speed{m.number("factor")};
  if (what == "release") return asked::Release{};
  if (what == "friction") return asked::Friction{m.index("material"), m.number("value")};
  if (what == "drag") return asked::Drag{m.index("body"), m.vector("point"), m.vector("target")};
  if (what == "drop") {
    const std::string shape = m.text("shape");
    if (shape != "ball" && shape != "box")
      throw BadRequest(fmt::format("unknown shape '{}'; known: ball, box", shape));
    return asked::Drop{shape == "ball", m.number("size"), m.vector("place"),
                       m.has("velocity") ? m.vector("velocity") : Vec3{}};
  }
  throw BadRequest(fmt::format("unknown request '{}'; known: pause, step, reset, speed, drag, "
                               "release, drop, friction",
                               what));
}

PlayServer::PlayServer(PlaySession& session, std::string page, std::string token)
    : session_(session), page_(std::move(page)), token_(std::move(token)) {
  using httplib::Response;
  server_.accept_bodies(largest_request);
  HttpServer& routes = server_.routes();
  routes.Get("/", [this](const httplib::Request& request, Response& response) {
    if (!is_same(request.get_param_value("token"), token_))
      throw Forbidden("open the address that talus play printed, with its token");
    response.set_header("Content-Security-Policy", page_policy);
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_content(page_, page_content);
  });
  routes.Get("/model", [this](const httplib::Request& request, Response& response) {
    check(request);
    auto [revision, model] = session_.model();
    response.set_header("X-Talus-Revision", fmt::format("{}", revision));
    response.set_content(std::move(model), binary_content);
  });
  routes.Get("/state", [this](const httplib::Request& request, Response& response) {
    check(request);
    response.set_content(session_.state(whole_number(request, "seen"), patience), binary_content);
  });
  routes.Post("/ask", [this](const httplib::Request& request, Response& response) {
    check(request);
    session_.ask(read_request(request.body));
    response.set_content("{}", "application/json");
  });
}

void PlayServer::check(const httplib::Request& request) const {
  if (!is_same(request.get_header_value("X-Talus-Token"), token_))
    throw Forbidden("the token is missing or wrong");
}

std::string PlayServer::bind(int port) {
  return server_.bind("127.0.0.1", port) + "?token=" + token_;
}

} // namespace talus::cli
