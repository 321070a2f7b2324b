#pragma once
// Serves a run to the viewer page over HTTP, and nothing else:
//
//     GET /                                     the page
//     GET /model                                what does not move (DataPackage)
//     GET /times?first=F                        times of the frames from F on (DataPackage)
//     GET /frames?first=F&count=N&contacts=0|1  states, and contacts if wanted (DataPackage)
//     GET /steps?first=S                        series of the plots (DataPackage)
//     GET /extent                               {"frames", "steps", "growing"}
//     POST /picture?number=I, /trouble          only while rendering: a PNG the page has drawn
//
// Anything else is answered with 404 or 400. On a loopback address, requests must name localhost,
// 127.0.0.1, [::1] or the host that bind() was given: a page of a stranger could otherwise have its
// own name resolved to this machine.

#include "viewed_run.h"

#include <functional>
#include <memory>
#include <string>

namespace talus::cli {

class ViewServer {
public:
  /// `run` outlives the server.
  ViewServer(ViewedRun& run, std::string page);
  ~ViewServer();

  /// Port 0 lets the system choose. Returns the address to open. Throws Error.
  std::string bind(const std::string& host, int port);
  /// Answers requests until stop() is called, from another thread.
  void serve();
  /// Closes all connections; serve() returns as soon as the answers under way are computed.
  void stop();

  /// Lets the page hand over pictures, or say why it cannot draw them.
  void accept_pictures(std::function<void(long number, const std::string& png)> take,
                       std::function<void(const std::string& text)> trouble);

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

} // namespace talus::cli
