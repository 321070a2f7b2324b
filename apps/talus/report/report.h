#pragma once
// How results of solves are told: the JSON fields other tools rely on, and words for people.

#include "support/loaded_problem.h"
#include "talus/solve/solver.h"

#include <nlohmann/json.hpp>

#include <string>

namespace talus::cli {

/// One solve as JSON: problem, contacts, dofs, dimension, solver, law, friction, status,
/// iterations, outer_iterations, products, error, error_fclib, violation, primal, dual,
/// complementarity, objective, seconds, threads, in this order. Measures of an answer that does not
/// exist (unsupported, invalid_problem) are NaN, which JSON shows as null.
nlohmann::ordered_json to_json(const LoadedProblem& loaded, const std::string& solver,
                               const SolveResult& result, int threads);

/// On one line; text that is not UTF-8 (file names can be anything) has its bad bytes replaced.
std::string one_line(const nlohmann::ordered_json& json);
/// The same over many lines, for files.
std::string indented(const nlohmann::ordered_json& json);

/// False when the solver never ran: then there is no answer to judge or to write.
bool has_answer(const SolveResult& result);

/// "converged", "time limit", ... for tables.
std::string words(Status status);

} // namespace talus::cli
