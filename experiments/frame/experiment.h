#pragma once
// What an experiment is: one published table or figure, repeated from nothing.
//
// An experiment is a function from a Context (how large, where to keep things) to a Report:
// findings that stand beside the published numbers, tables, and plots drawn from these tables. It
// prints nothing and draws nothing; `talus reproduce` turns reports into a page and files for
// machines.
//
// To add one: write its file, with a namespace of its own that holds `run` (files are compiled
// several at a time), declare `run` in catalogue.cpp and add it to the list there.

#include "context.h"

#include <limits>
#include <string>
#include <vector>

namespace talus::experiments {

enum class Verdict {
  reproduced, ///< The measured value lies where the paper's does.
  differs,    ///< It does not; the reason says why, as far as known.
  beyond,     ///< Nothing was published to compare with: an open question, answered.
};
std::string_view to_string(Verdict verdict);

/// One number (or statement) of the paper beside ours.
struct Finding {
  std::string what;
  std::string published; ///< As the paper has it; empty for `beyond`.
  std::string measured;
  double ratio = std::numeric_limits<double>::quiet_NaN(); ///< Measured over published, if numbers.
  Verdict verdict = Verdict::beyond;
  std::string reason; ///< Why it differs, or what to note.
};

/// Why something differs. A text alone is what the author of the experiment thinks, and is told as
/// likely; what the experiment itself shows, or a proof, is `shown`.
struct Reason {
  Reason(std::string likely) : text("Likely: " + likely) {}
  Reason(const char* likely) : Reason(std::string(likely)) {}
  std::string text;
};
Reason shown(std::string text);

/// Compares two positive numbers: reproduced if their ratio lies within [1/factor, factor].
/// `reason` is kept only if it differs.
Finding compare_numbers(std::string what, double published, double measured, double factor,
                        const Reason& reason);
/// A statement of the paper that holds here or not.
Finding check_statement(std::string what, std::string published, std::string measured, bool holds,
                        const Reason& reason);
/// What no paper says.
Finding answer(std::string what, std::string measured, std::string note = {});

/// Rows of numbers and words; also a CSV file and the source of plots.
struct DataTable {
  std::string name; ///< Of the CSV file: letters, digits, '-', '_'.
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
  bool on_page = true; ///< False for long series that are drawn, not read.
};

/// Curves of a table: rows with the same `curve` make one line, rows with the same `panel` one pair
/// of axes. A curve named after a solver takes the solver's colour.
struct Plot {
  std::string name, title, caption; ///< The caption says what to see.
  std::string table, x, y, curve;
  std::string panel; ///< Column; empty: one panel.
  std::string x_label, y_label;
  bool log_x = false, log_y = false;
  bool markers = false; ///< Points joined by lines rather than lines alone.
};

struct Report {
  std::string summary; ///< A few sentences: what was run and what came out.
  std::vector<Finding> findings;
  std::vector<DataTable> tables;
  std::vector<Plot> plots;
};

Json to_json(const Report& report);
/// Throws std::exception for anything that to_json did not write.
Report report_from_json(const Json& json);

struct Experiment {
  std::string name;  ///< paper-figure, e.g. "heyn2013-table1"; "beyond-..." for open questions.
  std::string title; ///< One line for the list and the page.
  std::string quick_cost, full_cost; ///< About how long it takes on two cores, in words.
  Report (*run)(Context& context) = nullptr;
};

} // namespace talus::experiments
