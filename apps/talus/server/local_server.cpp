#include "local_server.h"

#include "request_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <limits>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>

namespace talus::cli {
namespace {

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
                      status, plain_content, text.size(), text),
          true};
}

void answer_failure(httplib::Response& response, const std::exception_ptr& caught) {
  const auto say = [&](int status, const std::exception& error) {
    response.status = status;
    response.set_content(fmt::format("talus: {}\n", error.what()), plain_content);
  };
  try {
    std::rethrow_exception(caught);
  } catch (const BadRequest& error) {
    say(400, error);
  } catch (const Forbidden& error) {
    say(403, error);
  } catch (const NotThere& error) {
    say(404, error);
  } catch (const std::exception& error) {
    say(500, error);
  }
}

/// An address whose last server has just ended can be taken at once. Not SO_REUSEPORT, the
/// library's choice: a second server would take an address that is in use, and get half of the
/// requests.
void set_socket_options(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

} // namespace

long whole_number(const httplib::Request& request, const char* name) {
  const std::string text = request.get_param_value(name);
  long value = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 0 ||
      value > std::numeric_limits<Index>::max())
    throw BadRequest(fmt::format("{} must be a whole number >= 0", name));
  return value;
}

LocalServer::LocalServer() {
  server_.set_socket_options(set_socket_options);
  server_.set_exception_handler(
      [](const httplib::Request&, httplib::Response& response, const std::exception_ptr& caught) {
        answer_failure(response, caught);
      });
  server_.set_default_headers(
      {{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}});
  server_.set_payload_max_length(0);
  server_.set_keep_alive_max_count(10000);
  server_.set_keep_alive_timeout(
      std::chrono::duration_cast<std::chrono::seconds>(limits_.idle).count());
  limits_.connections = most_connections();
}

void LocalServer::accept_bodies(std::size_t bytes) {
  server_.set_payload_max_length(bytes);
  limits_.body_bytes = bytes;
}

Reply LocalServer::answer(const std::string& request) {
  const std::string_view header = std::string_view(request).substr(0, header_length(request));
  if (hosts_.empty() || names_host(header, hosts_)) return server_.answer(request);
  return refusal("403 Forbidden", "talus: this server answers to localhost only\n");
}

std::string LocalServer::bind(const std::string& host, int port) {
  const int bound = port == 0                          ? server_.bind_to_any_port(host)
                    : server_.bind_to_port(host, port) ? port
                                                       : -1;
  if (bound <= 0)
    throw Error(fmt::format(
        "cannot listen on {}{}: {}", host, port == 0 ? "" : fmt::format(" port {}", port),
        port == 0 ? "is it an address of this machine?"
                  : "the port is taken, or the address is not of this machine"));
  if (is_bound_to_loopback())
    hosts_ = {"localhost", "127.0.0.1", "[::1]", in_lower_case(host_in_address(host))};
  return fmt::format("http://{}:{}/", host_in_address(host), bound);
}

void LocalServer::serve() {
  Connections connections(limits_, [this](const std::string& request) { return answer(request); });
  server_.listen_for(connections);
}

void LocalServer::stop() {
  // A stop before the serving thread has come to its loop would be lost.
  for (int i = 0; i < 5000 && !server_.is_running(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  server_.stop();
}

} // namespace talus::cli
