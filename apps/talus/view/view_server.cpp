#include "view_server.h"

#include "server/local_server.h"

#include <nlohmann/json.hpp>

namespace talus::cli {
namespace {

constexpr std::size_t largest_answer = std::size_t{1} << 29;
constexpr std::size_t largest_picture = std::size_t{1} << 28;

std::size_t bytes_per_body(bool contacts) {
  return contacts ? 224 : 44;
}

} // namespace

struct ViewServer::Implementation {
  ViewedRun& run;
  std::string page;
  LocalServer server = {};

  void add_routes();
  void send_frames(const httplib::Request& request, httplib::Response& response) {
    const long first = whole_number(request, "first"), count = whole_number(request, "count");
    const bool contacts = request.get_param_value("contacts") == "1";
    const auto bodies = static_cast<std::size_t>(run.bodies());
    if (static_cast<std::size_t>(count) * bodies * bytes_per_body(contacts) > largest_answer)
      throw BadRequest("too many frames at once");
    try {
      response.set_content(
          run.frames(static_cast<Index>(first), static_cast<Index>(count), 1, contacts).bytes(),
          binary_content);
    } catch (const ViewedRun::OutOfRange& error) {
      throw NotThere(std::string("there are no ") + error.what());
    }
  }
  void send_extent(httplib::Response& response) {
    const RunExtent extent = run.extent();
    const nlohmann::json json = {
        {"frames", extent.frames}, {"steps", extent.steps}, {"growing", extent.growing}};
    response.set_content(json.dump(), "application/json");
  }
};

void ViewServer::Implementation::add_routes() {
  using httplib::Request;
  using httplib::Response;
  HttpServer& routes = server.routes();
  routes.Get("/", [this](const Request&, Response& response) {
    response.set_header("Content-Security-Policy", page_policy);
    response.set_content(page, page_content);
  });
  routes.Get("/model", [this](const Request&, Response& response) {
    response.set_content(run.model().bytes(), binary_content);
  });
  routes.Get("/frames", [this](const Request& request, Response& response) {
    send_frames(request, response);
  });
  routes.Get("/times", [this](const Request& request, Response& response) {
    const auto first = static_cast<Index>(whole_number(request, "first"));
    response.set_content(run.times(first).bytes(), binary_content);
  });
  routes.Get("/steps", [this](const Request& request, Response& response) {
    const auto first = static_cast<std::size_t>(whole_number(request, "first"));
    response.set_content(run.steps(first).bytes(), binary_content);
  });
  routes.Get("/extent", [this](const Request&, Response& response) { send_extent(response); });
}

ViewServer::ViewServer(ViewedRun& run, std::string page)
    : implementation_(new Implementation{run, std::move(page)}) {
  implementation_->add_routes();
}

ViewServer::~ViewServer() = default;

std::string ViewServer::bind(const std::string& host, int port) {
  return implementation_->server.bind(host, port);
}
void ViewServer::serve() {
  implementation_->server.serve();
}
void ViewServer::stop() {
  implementation_->server.stop();
}

void ViewServer::accept_pictures(std::function<void(long, const std::string&)> take,
                                 std::function<void(const std::string&)> trouble) {
  using httplib::Request;
  using httplib::Response;
  LocalServer& server = implementation_->server;
  server.accept_bodies(largest_picture);
  server.routes().Post("/picture", [take = std::move(take)](const Request& request, Response&) {
    take(whole_number(request, "number"), request.body);
  });
  server.routes().Post(
      "/trouble",
      [trouble = std::move(trouble)](const Request& request, Response&) { trouble(request.body); });
}

} // namespace talus::cli
