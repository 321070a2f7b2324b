#include "view_server.h"

#include "connections.h"
#include "http_server.h"
#include "request_text.h"
#include "talus/core/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <sys/resource.h>
#include <thread>

namespace talus::cli {
namespace {

constexpr const char* binary = "application/octet-stream";
constexpr const char* plain = "text/plain; charset=utf-8";
constexpr std::size_t largest_answer = std::size_t{1} << 29;
constexpr std::size_t largest_picture = std::size_t{1} << 28;

/// The page is one file without anything from elsewhere; the browser shall hold it to that.
constexpr const char* policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src "
    "'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; worker-src blob:";

struct BadRequest : Error {
  using Error::Error;
};

long whole_number(const httplib::Request& request, const char* name) {
  const std::string text = request.get_param_value(name);
  long value = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 0 ||
      value > std::numeric_limits<Index>::max())
    throw BadRequest(fmt::format("{} must be a whole number >= 0", name));
  return value;
}

std::size_t bytes_per_body(bool contacts) {
  return contacts ? 200 : 44;
}

/// Half of the files that the system allows are left to the run.
std::size_t most_connections() {
  rlimit files = {};
  const std::size_t usual = ConnectionLimits{}.connections;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return usual;
  return std::min<std::size_t>(usual, files.rlim_cur / 2);
}

/// As in an address: numbers of version 6 in brackets.
std::string host_in_address(const std::string& host) {
  return host.find(':') != std::string::npos ? "[" + host + "]" : host;
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Reply refusal(const std::string& status, const std::string& text) {
  return {fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
                      "Connection: close\r\n\r\n{}",
                      status, plain, text.size(), text),
          true};
}

} // namespace

struct ViewServer::Implementation {
  ViewedRun& run;
  std::string page;
  HttpServer server;
  std::vector<std::string> hosts; ///< That requests may name; any if empty.
  ConnectionLimits limits;

  void add_routes();
  Reply answer(const std::string& request) {
    const std::string_view header = std::string_view(request).substr(0, header_length(request));
    if (hosts.empty() || names_host(header, hosts)) return server.answer(request);
    return refusal("403 Forbidden", "talus: this server answers to localhost only\n");
  }
  void send_frames(const httplib::Request& request, httplib::Response& response) {
    const long first = whole_number(request, "first"), count = whole_number(request, "count");
    const bool contacts = request.get_param_value("contacts") == "1";
    const auto bodies = static_cast<std::size_t>(run.bodies());
    if (static_cast<std::size_t>(count) * bodies * bytes_per_body(contacts) > largest_answer)
      throw BadRequest("too many frames at once");
    response.set_content(
        run.frames(static_cast<Index>(first), static_cast<Index>(count), 1, contacts).bytes(),
        binary);
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
  server.Get("/", [this](const Request&, Response& response) {
    response.set_header("Content-Security-Policy", policy);
    response.set_content(page, "text/html; charset=utf-8");
  });
  server.Get("/model", [this](const Request&, Response& response) {
    response.set_content(run.model().bytes(), binary);
  });
  server.Get("/frames", [this](const Request& request, Response& response) {
    send_frames(request, response);
  });
  server.Get("/times", [this](const Request& request, Response& response) {
    const auto first = static_cast<Index>(whole_number(request, "first"));
    response.set_content(run.times(first).bytes(), binary);
  });
  server.Get("/steps", [this](const Request& request, Response& response) {
    const auto first = static_cast<std::size_t>(whole_number(request, "first"));
    response.set_content(run.steps(first).bytes(), binary);
  });
  server.Get("/extent", [this](const Request&, Response& response) { send_extent(response); });
  server.set_exception_handler(
      [](const Request&, Response& response, const std::exception_ptr& caught) {
        try {
          std::rethrow_exception(caught);
        } catch (const BadRequest& error) {
          response.status = 400;
          response.set_content(fmt::format("talus: {}\n", error.what()), plain);
        } catch (const ViewedRun::OutOfRange& error) {
          response.status = 404;
          response.set_content(fmt::format("talus: there are no {}\n", error.what()), plain);
        } catch (const std::exception& error) {
          response.status = 500;
          response.set_content(fmt::format("talus: {}\n", error.what()), plain);
        }
      });
  server.set_default_headers(
      {{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}});
  server.set_payload_max_length(0);
  server.set_keep_alive_max_count(10000);
  server.set_keep_alive_timeout(
      std::chrono::duration_cast<std::chrono::seconds>(limits.idle).count());
  limits.connections = most_connections();
}

ViewServer::ViewServer(ViewedRun& run, std::string page)
    : implementation_(new Implementation{run, std::move(page), {}, {}, {}}) {
  implementation_->add_routes();
}

ViewServer::~ViewServer() = default;

std::string ViewServer::bind(const std::string& host, int port) {
  HttpServer& server = implementation_->server;
  const int bound = port == 0                         ? server.bind_to_any_port(host)
                    : server.bind_to_port(host, port) ? port
                                                      : -1;
  if (bound <= 0)
    throw Error(fmt::format(
        "cannot listen on {}{}: {}", host, port == 0 ? "" : fmt::format(" port {}", port),
        port == 0 ? "is it an address of this machine?"
                  : "the port is taken, or the address is not of this machine"));
  if (server.is_bound_to_loopback())
    implementation_->hosts = {"localhost", "127.0.0.1", "[::1]",
                              in_lower_case(host_in_address(host))};
  return fmt::format("http://{}:{}/", host_in_address(host), bound);
}

void ViewServer::serve() {
  Connections connections(implementation_->limits, [this](const std::string& request) {
    return implementation_->answer(request);
  });
  implementation_->server.listen_for(connections);
}

void ViewServer::stop() {
  // A stop before the serving thread has come to its loop would be lost.
  for (int i = 0; i < 5000 && !implementation_->server.is_running(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  implementation_->server.stop();
}

void ViewServer::accept_pictures(std::function<void(long, const std::string&)> take,
                                 std::function<void(const std::string&)> trouble) {
  using httplib::Request;
  using httplib::Response;
  httplib::Server& server = implementation_->server;
  server.set_payload_max_length(largest_picture);
  implementation_->limits.body_bytes = largest_picture;
  server.Post("/picture", [take = std::move(take)](const Request& request, Response&) {
    take(whole_number(request, "number"), request.body);
  });
  server.Post("/trouble", [trouble = std::move(trouble)](const Request& request, Response&) {
    trouble(request.body);
  });
}

} // namespace talus::cli
