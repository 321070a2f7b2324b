#include "talus/solve/rank_bodies.h"

#include "talus/core/division.h"
#include "talus/core/error.h"
#include "talus/core/ranks.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/delassus/body_factor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace talus {
namespace {

/// Rigid motions of all bodies of this rank in the variables of A, M^½ v. Positions are relative to
/// an origin of this rank: on the aggregates of a rank that spans the same motions.
std::vector<Vector> mass_scaled_modes(const BodyFactor& factor) {
  const int width = factor.body_dofs;
  std::vector<Vector> modes = rigid_modes(factor);
  for (Vector& mode : modes)
    for (Index body = 0; body < factor.bodies; ++body) {
      const double* root = &factor.root[static_cast<std::size_t>(body) * width * width];
      double* v = &mode[static_cast<std::size_t>(body) * width];
      for (int i = 0; i < width; ++i) { // L y = v
        for (int k = 0; k < i; ++k) v[i] -= root[width * i + k] * v[k];
        v[i] = root[(width + 1) * i] > 0 ? v[i] / root[(width + 1) * i] : 0.0;
      }
    }
  return modes;
}

} // namespace

std::string engine_refusal(LinearEngine engine) {
  return engine == LinearEngine::own ? "with its own factorisations; linear = mumps, gamg or hypre "
                                       "does"
                                     : "";
}

std::string RankBodies::refusal(const ScaledProblem& problem, LinearEngine engine) {
  if (engine == LinearEngine::own) return "";
  const std::string option = "linear = " + to_string(engine);
  if (!problem.division())
    return "problems of one process with " + option +
           ": these systems are solved over ranks, by talus-mpi";
  if (!problem.division()->ranks->has_block_systems())
    return "anything with " + option + " where ranks are not processes of talus-mpi";
  return "";
}

RankBodies::RankBodies(const ScaledProblem& problem, LinearEngine engine, bool symmetric)
    : problem_(problem), is_first_(problem.division()->ranks->rank() == 0) {
  Ranks& ranks = *problem.division()->ranks;
  plan_.bodies = problem.delassus().number_bodies();
  plan_.engine = engine;
  plan_.symmetric = symmetric;
  ranks.together([&] {
    const auto pieces = problem.delassus().primal();
    if (!pieces) throw InvalidProblem("linear systems over bodies need symmetric masses");
    build_panels(pieces->rows);
    if (engine == LinearEngine::gamg) plan_.slow_modes = slow_modes();
  });
  const std::size_t width = plan_.bodies.width, bodies = plan_.bodies.number.size();
  blocks_.resize(plan_.pattern.size() * width * width);
  wrench_.resize(width * bodies);
  velocity_.resize(width * bodies);
  system_ = ranks.make_block_system(plan_);
}

RankBodies::~RankBodies() = default;

std::vector<Vector> RankBodies::slow_modes() const {
  // With moments, contacts do not tell where bodies are.
  if (problem_.dimension() > 3) return {};
  const auto factor = body_factor(problem_.delassus());
  return factor ? mass_scaled_modes(*factor) : std::vector<Vector>();
}

std::size_t RankBodies::entry(Index block) const {
  const auto squared = static_cast<std::size_t>(problem_.dimension()) * problem_.dimension();
  const Index contacts = problem_.contacts();
  return block < contacts ? squared * block : squared * contacts + (block - contacts);
}

Index RankBodies::row(Index block) const {
  const Index contacts = problem_.contacts();
  return block < contacts ? problem_.dimension() * block
                          : problem_.dimension() * contacts + (block - contacts);
}

void RankBodies::build_panels(const SparseMatrix& rows) {
  const BodyNumbers& bodies = plan_.bodies;
  const int width = bodies.width;
  diagonal_slot_.assign(bodies.number.size(), -1);
  std::map<std::pair<Index, Index>, Index> slots;
  const auto slot_of = [&](Index a, Index b) {
    const auto [place, is_new] =
        slots.try_emplace({a, b}, static_cast<Index>(plan_.pattern.size()));
    if (is_new) plan_.pattern.emplace_back(a, b);
    return place->second;
  };
  for (std::size_t body = 0; body < bodies.number.size(); ++body)
    if (bodies.is_own[body])
      diagonal_slot_[body] = slot_of(static_cast<Index>(body), static_cast<Index>(body));
  panels_.resize(problem_.contacts() + problem_.equalities());
  for (Index block = 0; block < static_cast<Index>(panels_.size()); ++block) {
    Panel& panel = panels_[block];
    const Index first_row = row(block);
    const int n = size(block);
    for (Index k = rows.row_start[first_row]; k < rows.row_start[first_row + 1]; k += width)
      if (const Index body = rows.column[k] / width; bodies.number[body] >= 0)
        panel.body[panel.bodies++] = body;
    panel.first = value_.size();
    for (int i = 0; i < n; ++i)
      for (Index k = rows.row_start[first_row + i]; k < rows.row_start[first_row + i + 1]; ++k)
        if (bodies.number[rows.column[k] / width] >= 0)
          value_.push_back(problem_.scale()[block] * rows.value[k]);
    for (int a = 0; adds(block) && a < panel.bodies; ++a)
      for (int b = 0; b < panel.bodies; ++b)
        panel.slot[2 * a + b] = slot_of(panel.body[a], panel.body[b]);
  }
}

/// D̃_c Θ_c D̃_cᵀ.
void RankBodies::add_panel(Index block, ConstSpan theta) {
  const Panel& panel = panels_[block];
  const int n = size(block), width = plan_.bodies.width, columns = width * panel.bodies;
  const double* d = &value_[panel.first];
  const double* t = &theta[entry(block)];
  std::array<double, std::size_t{max_dimension} * 12> weighted{}; // Θ D̃ᵀ
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < columns; ++k)
        weighted[i * columns + k] += t[n * i + j] * d[j * columns + k];
  for (int a = 0; a < panel.bodies; ++a)
    for (int b = 0; b < panel.bodies; ++b) {
      double* out = &blocks_[static_cast<std::size_t>(panel.slot[2 * a + b]) * width * width];
      for (int p = 0; p < width; ++p)
        for (int q = 0; q < width; ++q)
          for (int i = 0; i < n; ++i)
            out[width * p + q] +=
                d[i * columns + width * a + p] * weighted[i * columns + width * b + q];
    }
}

bool RankBodies::factorise(ConstSpan theta) {
  const std::size_t width = plan_.bodies.width;
  fill(blocks_, 0.0);
  for (const Index slot : diagonal_slot_)
    for (std::size_t i = 0; slot >= 0 && i < width; ++i)
      blocks_[slot * width * width + (width + 1) * i] = 1; // M̃
  for (Index block = 0; block < static_cast<Index>(panels_.size()); ++block)
    if (adds(block)) add_panel(block, theta);
  return system_->factorise(blocks_);
}

bool RankBodies::solve(ConstSpan x, double tolerance, Span y) {
  const int width = plan_.bodies.width;
  if (!std::isfinite(tolerance)) return false; // of a right-hand side that is not finite
  fill(wrench_, 0.0);
  for (Index block = 0; block < static_cast<Index>(panels_.size()); ++block) {
    const Panel& panel = panels_[block];
    const double* d = &value_[panel.first];
    for (int i = 0; adds(block) && i < size(block); ++i)
      for (int a = 0; a < panel.bodies; ++a)
        for (int k = 0; k < width; ++k)
          wrench_[static_cast<std::size_t>(width) * panel.body[a] + k] +=
              x[row(block) + i] * d[(i * panel.bodies + a) * width + k];
  }
  const long before = system_->iterations();
  const bool solved = system_->solve(wrench_, tolerance, velocity_);
  problem_.count_products(system_->iterations() - before);
  for (Index block = 0; block < static_cast<Index>(panels_.size()); ++block) {
    const Panel& panel = panels_[block];
    const double* d = &value_[panel.first];
    for (int i = 0; i < size(block); ++i) {
      double sum = 0;
      for (int a = 0; a < panel.bodies; ++a)
        for (int k = 0; k < width; ++k)
          sum += velocity_[static_cast<std::size_t>(width) * panel.body[a] + k] *
                 d[(i * panel.bodies + a) * width + k];
      y[row(block) + i] = sum;
    }
  }
  return solved;
}

} // namespace talus
