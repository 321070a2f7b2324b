#pragma once
// Serves a session to the page of the viewer, on this machine only:
//
//     GET /?token=T            the page
//     GET /model               what does not move (DataPackage), after the session's revision
//     GET /state?seen=N        the newest state (play_state.h), as soon as there is one after N
//     POST /ask                one request, in JSON (below)
//
// All but the page itself need the header `X-Talus-Token: T`; the token is made at random for every
// session and stands in the address that is printed. Other pages in the same browser do not know
// it, so they can neither look nor touch. Requests: {"do": "pause", "on": true}, {"do": "step"},
// {"do": "reset"}, {"do": "speed", "factor": 0.5}, {"do": "drag", "body": 3, "point": [x, y, z],
// "target": [x, y, z]}, {"do": "release"}, {"do": "drop", "shape": "ball" | "box", "size": 0.1,
// "place": [x, y, z], "velocity": [x, y, z]}, {"do": "friction", "material": 0, "value": 0.3}.
// What cannot be understood or done is answered with 400 and a sentence.

#include "play_session.h"
#include "server/local_server.h"

#include <string>

namespace talus::cli {

/// 128 random bits as text. Throws Error when the system has none.
std::string random_token();

/// Throws BadRequest.
PlayRequest read_request(const std::string& json);

class PlayServer {
public:
  /// `session` outlives the server.
  PlayServer(PlaySession& session, std::string page, std::string token);

  /// On 127.0.0.1. Returns the address with the token. Throws Error.
  std::string bind(int port);
  void serve() { server_.serve(); }
  void stop() { server_.stop(); }

private:
  void check(const httplib::Request& request) const;

  PlaySession& session_;
  std::string page_, token_;
  LocalServer server_;
};

} // namespace talus::cli
