#pragma once
// What the servers of the viewer have in common: an address, whom they answer to, and how mistakes
// are answered. On a loopback address, requests must name localhost, 127.0.0.1, [::1] or the host
// that bind() was given: a page of a stranger could otherwise have its own name resolved to this
// machine.

#include "http_server.h"
#include "talus/core/error.h"
#include "talus/core/types.h"

#include <string>
#include <vector>

namespace talus::cli {

/// Answered with 400 and its message.
struct BadRequest : Error {
  using Error::Error;
};
/// With 403.
struct Forbidden : Error {
  using Error::Error;
};
/// With 404.
struct NotThere : Error {
  using Error::Error;
};

/// A parameter that is a whole number >= 0. Throws BadRequest.
long whole_number(const httplib::Request& request, const char* name);

inline constexpr const char* binary_content = "application/octet-stream";
inline constexpr const char* plain_content = "text/plain; charset=utf-8";
inline constexpr const char* page_content = "text/html; charset=utf-8";
/// The page is one file without anything from elsewhere; the browser shall hold it to that.
inline constexpr const char* page_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src "
    "'self'; img-src 'self' data: blob:; media-src blob:; worker-src blob:";

class LocalServer {
public:
  LocalServer();

  /// For routes.
  HttpServer& routes() { return server_; }
  /// The largest body of a request, in bytes; 0 unless told.
  void accept_bodies(std::size_t bytes);

  /// Port 0 lets the system choose. Returns the address to open. Throws Error.
  std::string bind(const std::string& host, int port);
  bool is_bound_to_loopback() const { return server_.is_bound_to_loopback(); }
  /// Answers requests until stop() is called, from another thread.
  void serve();
  /// Closes all connections; serve() returns as soon as the answers under way are computed.
  void stop();

private:
  Reply answer(const std::string& request);

  HttpServer server_;
  std::vector<std::string> hosts_; ///< That requests may name; any if empty.
  ConnectionLimits limits_;
};

} // namespace talus::cli
