#pragma once
// The part of cpp-httplib that Talus uses: it accepts connections, parses requests, routes them and
// formats answers. Sockets are left to Connections, so that no thread waits for a client.

#include "connections.h"

#include <httplib.h>

namespace talus::cli {

class HttpServer final : public httplib::Server {
public:
  /// To one whole request.
  Reply answer(const std::string& request);
  /// Hands all that connect to `connections`, until stop() is called from another thread.
  void listen_for(Connections& connections);
  /// Whether it is bound to an address that only this machine reaches.
  bool is_bound_to_loopback() const;

private:
  bool process_and_close_socket(socket_t socket) override;

  Connections* connections_ = nullptr;
};

} // namespace talus::cli
