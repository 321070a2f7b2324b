#pragma once
// The viewer page: where it is, and copies of it that carry a run inside.

#include "viewed_run.h"

#include <string>

namespace talus::cli {

/// The page that the build made from viewer/. Throws Error that says how to get it.
std::string viewer_page();

struct EmbedOptions {
  Index every = 1; ///< Of the frames.
  bool contacts = true;
};

/// The page with the run inside: it plays from any place, without a server.
std::string page_with_run(const std::string& page, ViewedRun& run, const EmbedOptions& options);

/// The page that talks to a PlayServer.
std::string page_to_play(const std::string& page);

} // namespace talus::cli
