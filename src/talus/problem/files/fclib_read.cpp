// Reading FCLIB files: the vectors first, since their lengths say how large each matrix must be.

#include "talus/contact/set_traits.h"
#include "talus/core/error.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/problem/files/fclib_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

// Values of the field nz that are not a number of triplets.
constexpr Index compressed_columns = -1, compressed_rows = -2;

std::int64_t length(const auto& x) {
  return static_cast<std::int64_t>(x.size());
}

Vector read_vector(const Hdf5File& file, const std::string& name) {
  Vector x = file.read<double>(name);
  const auto bad = std::find_if(x.begin(), x.end(), [](double v) { return !std::isfinite(v); });
  if (bad != x.end())
    throw FileError(file.path(),
                    fmt::format("{}[{}] is {}; it must be finite", name, bad - x.begin(), *bad));
  return x;
}

Vector read_vector(const Hdf5File& file, const std::string& name, std::int64_t entries) {
  const Hdf5Shape shape = file.shape(name);
  const std::int64_t stored = shape.empty() ? 1 : static_cast<std::int64_t>(shape[0]);
  if (shape.size() > 1 || stored != entries)
    throw FileError(file.path(), fmt::format("{} must be a vector of {} entries", name, entries));
  return read_vector(file, name);
}

/// The arrays of a stored matrix, whose shape and lengths have been checked.
struct StoredMatrix {
  Index rows, columns, nz;
  std::vector<Index> p, i;
  Vector x;
};

/// Expands compressed rows or columns to one index per entry, checking the pointers on the way.
std::vector<Index> expand_pointers(const Hdf5File& file, const std::string& group,
                                   const StoredMatrix& a, Index lines) {
  const auto reject = [&](const std::string& what) {
    throw FileError(file.path(), group + "/p " + what);
  };
  if (length(a.p) != std::int64_t{lines} + 1)
    reject(fmt::format("has {} entries; {} are needed", a.p.size(), std::int64_t{lines} + 1));
  if (a.p.front() != 0) reject(fmt::format("starts with {}, not 0", a.p.front()));
  if (!std::is_sorted(a.p.begin(), a.p.end())) reject("decreases; pointers must not");
  if (a.p.back() > length(a.i))
    reject(fmt::format("ends with {}, but only {} entries are stored", a.p.back(), a.i.size()));
  std::vector<Index> line(a.p.back());
  for (Index k = 0; k < lines; ++k) std::fill(line.begin() + a.p[k], line.begin() + a.p[k + 1], k);
  return line;
}

void check_indices(const Hdf5File& file, const std::string& name, std::span<const Index> index,
                   Index limit) {
  const auto bad =
      std::find_if(index.begin(), index.end(), [&](Index k) { return k < 0 || k >= limit; });
  if (bad != index.end())
    throw FileError(file.path(), fmt::format("{}[{}] is {}; it must be between 0 and {}", name,
                                             bad - index.begin(), *bad, limit - 1));
}

StoredMatrix read_arrays(const Hdf5File& file, const std::string& group, std::int64_t rows,
                         std::int64_t columns) {
  StoredMatrix a;
  a.rows = file.read_value<Index>(group + "/m");
  a.columns = file.read_value<Index>(group + "/n");
  if (a.rows != rows || a.columns != columns)
    throw FileError(file.path(), fmt::format("{} is {} x {}; the vectors of the file need {} x {}",
                                             group, a.rows, a.columns, rows, columns));
  a.nz = file.read_value<Index>(group + "/nz");
  if (a.nz < compressed_rows)
    throw FileError(file.path(),
                    fmt::format("{}/nz is {}; it must be -2 (compressed rows), -1 (compressed "
                                "columns) or a number of triplets",
                                group, a.nz));
  a.p = file.read<Index>(group + "/p");
  a.i = file.read<Index>(group + "/i");
  a.x = read_vector(file, group + "/x");
  if (a.i.size() != a.x.size())
    throw FileError(file.path(), fmt::format("{0}/i has {1} entries and {0}/x has {2}; they must "
                                             "be as many",
                                             group, a.i.size(), a.x.size()));
  return a;
}

/// A matrix of the given size in any of FCLIB's three storages. The size is known from the vectors:
/// a damaged m or n is noticed before memory is taken for it.
SparseMatrix read_matrix(const Hdf5File& file, const std::string& group, std::int64_t rows,
                         std::int64_t columns) {
  StoredMatrix a = read_arrays(file, group, rows, columns);
  std::vector<Index> row, column;
  if (a.nz == compressed_rows) {
    row = expand_pointers(file, group, a, a.rows);
    column = std::move(a.i);
  } else if (a.nz == compressed_columns) {
    column = expand_pointers(file, group, a, a.columns);
    row = std::move(a.i);
  } else { // CSparse's order: p is the column. The comment in fclib.h says the opposite.
    if (a.nz > length(a.p) || a.nz > length(a.i))
      throw FileError(file.path(), fmt::format("{}/nz promises {} triplets; {} and {} indices are "
                                               "stored",
                                               group, a.nz, a.p.size(), a.i.size()));
    column = std::move(a.p);
    row = std::move(a.i);
  }
  const std::size_t entries = a.nz >= 0 ? a.nz : a.p.back();
  // Compressed arrays may have room for more entries than the pointers use.
  row.resize(entries);
  column.resize(entries);
  check_indices(file, group + (a.nz == compressed_columns || a.nz >= 0 ? "/i" : "/p"), row, a.rows);
  check_indices(file, group + (a.nz == compressed_rows ? "/i" : "/p"), column, a.columns);

  std::vector<Triplet> triplets(entries);
  for (std::size_t k = 0; k < entries; ++k) triplets[k] = {row[k], column[k], a.x[k]};
  return from_triplets(a.rows, a.columns, std::move(triplets));
}

/// True when both names exist; one without the other is an error.
bool has_both(const Hdf5File& file, const std::string& a, const std::string& b) {
  if (file.has(a) != file.has(b))
    throw FileError(file.path(), file.has(a) ? a + " needs " + b + ", which is missing"
                                             : b + " needs " + a + ", which is missing");
  return file.has(a);
}

LocalModel read_local(const Hdf5File& file, const std::string& root) {
  LocalModel model;
  model.q = read_vector(file, root + "/vectors/q");
  model.W = read_matrix(file, root + "/W", length(model.q), length(model.q));
  if (has_both(file, root + "/V", root + "/R")) {
    model.s = read_vector(file, root + "/vectors/s");
    model.V = read_matrix(file, root + "/V", length(model.q), length(model.s));
    model.R = read_matrix(file, root + "/R", length(model.s), length(model.s));
  }
  return model;
}

GlobalModel read_global(const Hdf5File& file, const std::string& root) {
  GlobalModel model;
  model.f = read_vector(file, root + "/vectors/f");
  model.w = read_vector(file, root + "/vectors/w");
  model.M = read_matrix(file, root + "/M", length(model.f), length(model.f));
  model.H = read_matrix(file, root + "/H", length(model.f), length(model.w));
  if (has_both(file, root + "/G", root + "/vectors/b")) {
    model.b = read_vector(file, root + "/vectors/b");
    model.G = read_matrix(file, root + "/G", length(model.f), length(model.b));
  }
  return model;
}

bool is_local(const std::string& root) {
  return root.starts_with("/fclib_local");
}
bool is_rolling(const std::string& root) {
  return root.ends_with("_rolling");
}

/// "/fclib_local" or "/fclib_global", with "_rolling" behind where contacts have moments.
std::string find_root(const Hdf5File& file) {
  std::string found;
  for (const char* root :
       {"/fclib_local", "/fclib_global", "/fclib_local_rolling", "/fclib_global_rolling"}) {
    if (!file.is_group(root)) continue;
    if (!found.empty())
      throw FileError(file.path(), fmt::format("holds both {} and {}; one is needed", found, root));
    found = root;
  }
  if (found.empty())
    throw FileError(file.path(), "is not an FCLIB file: it has neither /fclib_local nor "
                                 "/fclib_global, with or without _rolling behind");
  return found;
}

int read_dimension(const Hdf5File& file, const std::string& root) {
  const std::string name = root + "/spacedim";
  const int dimension = file.read_value<Index>(name);
  const bool known = is_rolling(root) ? exists_in(FrictionKind::rolling, dimension)
                                      : dimension == 2 || dimension == 3;
  if (!known)
    throw FileError(file.path(), fmt::format("{} is {}; contacts of {} components are read", name,
                                             dimension, is_rolling(root) ? "3, 5 or 6" : "2 or 3"));
  return dimension;
}

Vector read_friction(const Hdf5File& file, const std::string& name, int dimension,
                     std::int64_t impulses) {
  if (impulses % dimension != 0)
    throw FileError(file.path(), fmt::format("{} impulses are not a whole number of contacts of "
                                             "{} components",
                                             impulses, dimension));
  Vector mu = read_vector(file, name, impulses / dimension);
  const auto bad = std::find_if(mu.begin(), mu.end(), [](double v) { return v < 0; });
  if (bad != mu.end())
    throw FileError(file.path(), fmt::format("{}[{}] is {}; friction must not be negative", name,
                                             bad - mu.begin(), *bad));
  return mu;
}

FclibSolution read_solution(const Hdf5File& file, const std::string& group,
                            const ContactProblem& problem) {
  const auto read = [&](const char* name, Index entries) {
    const std::string dataset = group + "/" + name;
    // Siconos creates these datasets and may leave them unfilled: that is no answer of zeros.
    return file.has(dataset) && file.is_written(dataset) ? read_vector(file, dataset, entries)
                                                         : Vector{};
  };
  return {read("v", problem.dofs()), read("u", problem.impulses()), read("r", problem.impulses()),
          read("l", problem.equalities())};
}

std::vector<FclibSolution> read_guesses(const Hdf5File& file, const ContactProblem& problem) {
  std::vector<FclibSolution> guesses;
  if (!file.has("/guesses")) return guesses;
  const Index count = file.read_value<Index>("/guesses/number_of_guesses");
  for (Index k = 1; k <= count; ++k) {
    const std::string group = fmt::format("/guesses/{}", k);
    if (!file.is_group(group))
      throw FileError(file.path(),
                      fmt::format("{} is missing; {} guesses were promised", group, count));
    guesses.push_back(read_solution(file, group, problem));
  }
  return guesses;
}

std::string read_note(const Hdf5File& file, const std::string& name) {
  return file.has(name) ? file.read_string(name) : std::string();
}

} // namespace

FclibFile read_fclib(const std::string& path) {
  const Hdf5File file = Hdf5File::open(path);
  const std::string root = find_root(file);
  FclibFile result;
  ContactProblem& problem = result.problem;
  problem.dimension = read_dimension(file, root);
  std::int64_t impulses = 0;
  if (is_local(root)) {
    LocalModel model = read_local(file, root);
    impulses = length(model.q);
    problem.model = std::move(model);
  } else {
    GlobalModel model = read_global(file, root);
    impulses = length(model.w);
    problem.model = std::move(model);
  }
  problem.mu = read_friction(file, root + "/vectors/mu", problem.dimension, impulses);
  if (is_rolling(root)) {
    problem.friction.kind = FrictionKind::rolling;
    problem.rolling = read_friction(file, root + "/vectors/mu_r", problem.dimension, impulses);
    if (problem.dimension == 6)
      problem.spinning = read_friction(file, root + "/vectors/mu_s", problem.dimension, impulses);
  }
  problem.title = read_note(file, root + "/info/title");
  problem.description = read_note(file, root + "/info/description");
  problem.math_info = read_note(file, root + "/info/math_info");
  try {
    validate(problem);
  } catch (const InvalidProblem& error) {
    throw FileError(path, error.what());
  }
  if (file.has("/solution")) result.solution = read_solution(file, "/solution", problem);
  result.guesses = read_guesses(file, problem);
  return result;
}

} // namespace talus
