#include "report.h"

#include <algorithm>
#include <limits>

namespace talus::cli {

bool has_answer(const SolveResult& result) {
  return result.status != Status::unsupported && result.status != Status::invalid_problem;
}

nlohmann::ordered_json to_json(const LoadedProblem& loaded, const std::string& solver,
                               const SolveResult& result, int threads) {
  const ContactProblem& problem = loaded.problem();
  const auto judged = [&](double value) {
    return has_answer(result) ? value : std::numeric_limits<double>::quiet_NaN();
  };
  const Quality& quality = result.quality;
  nlohmann::ordered_json json;
  json["problem"] = loaded.path();
  json["contacts"] = problem.contacts();
  json["dofs"] = problem.dofs();
  json["dimension"] = problem.dimension;
  json["solver"] = solver;
  json["law"] = to_string(problem.law);
  json["friction"] = to_string(problem.friction);
  json["status"] = to_string(result.status);
  json["iterations"] = result.iterations;
  json["outer_iterations"] = result.outer_iterations;
  json["products"] = result.products;
  json["error"] = judged(quality.error);
  json["error_fclib"] = judged(quality.error_fclib);
  json["violation"] = judged(quality.violation);
  json["primal"] = judged(quality.primal);
  json["dual"] = judged(quality.dual);
  json["complementarity"] = judged(quality.complementarity);
  json["objective"] = judged(quality.objective);
  json["seconds"] = result.seconds;
  json["threads"] = threads;
  json["resolution"] = judged(quality.resolution);
  json["message"] = result.message;
  json["contradiction"] = result.contradiction;
  json["work"] = result.work;
  return json;
}

namespace {
/// Names of files may be no valid UTF-8.
constexpr auto replace_bad_bytes = nlohmann::ordered_json::error_handler_t::replace;
} // namespace

std::string one_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, replace_bad_bytes);
}

std::string indented(const nlohmann::ordered_json& json) {
  return json.dump(1, ' ', false, replace_bad_bytes);
}

std::string words(Status status) {
  std::string text(to_string(status));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

} // namespace talus::cli
