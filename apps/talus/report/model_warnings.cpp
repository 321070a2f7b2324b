#include "model_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace talus::cli {

namespace {

struct Warning {
  std::string file, what;
  std::vector<std::string> lines;
};

/// "a/b.urdf:12: what" in its parts; without a line all of it is what.
Warning split(const std::string& text) {
  const std::size_t end = text.find(": ");
  const std::size_t colon = end == std::string::npos ? end : text.rfind(':', end - 1);
  if (colon == std::string::npos || colon + 1 >= end ||
      text.find_first_not_of("0123456789", colon + 1) != end)
    return {"", text, {}};
  return {text.substr(0, colon), text.substr(end + 2), {text.substr(colon + 1, end - colon - 1)}};
}

} // namespace

void print_model_warnings(const std::vector<std::string>& warnings) {
  std::vector<Warning> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const std::string& text : warnings) {
    Warning one = split(text);
    const auto [at, is_new] = known.emplace(std::pair(one.file, one.what), groups.size());
    if (is_new)
      groups.push_back(std::move(one));
    else if (!one.lines.empty() && groups[at->second].lines.back() != one.lines[0])
      groups[at->second].lines.push_back(one.lines[0]);
  }
  for (const Warning& group : groups) {
    if (group.file.empty())
      fmt::print(stderr, "talus: warning: {}\n", group.what);
    else if (group.lines.size() == 1)
      fmt::print(stderr, "talus: warning: {}:{}: {}\n", group.file, group.lines[0], group.what);
    else
      fmt::print(stderr, "talus: warning: {}:{}: {} (also in line{} {})\n", group.file,
                 group.lines[0], group.what, group.lines.size() > 2 ? "s" : "",
                 fmt::join(group.lines.begin() + 1, group.lines.end(), ", "));
  }
}

} // namespace talus::cli
