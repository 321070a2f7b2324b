#pragma once
// Gauss-Seidel sweeps over contacts that are divided over ranks, cell by cell (core/division.h).
//
// Cells of one colour change no body together. All ranks sweep their cells of a colour at once,
// with all threads, then tell each other the velocities that changed, and go on with the next
// colour. A contact therefore sees the same velocities whatever the number of ranks and threads.
// Velocities are replaced, never added to.
//
// Bodies that all ranks share are the exception: several cells of a colour may change one. Each
// cell has a copy of its own then. With k such cells the copies have 1/k of the body's mass, and
// the body's velocity becomes the mean of theirs (mass splitting: Tonge, Benevolenski, Voroshilov,
// "Mass splitting for jitter-free parallel rigid body simulation", SIGGRAPH 2012). The k sweeps
// then minimise a function that is nowhere below the true one and touches it where they begin.
// Bodies that no impulse moves have copies as well, so that no two threads write one.

#include "talus/core/division.h"
#include "talus/core/exact_sum.h"
#include "talus/core/parallel.h"
#include "talus/core/ranks.h"

#include <span>

namespace talus {

/// Velocities of bodies in memory: body k has the first numbers from first + k stride on.
struct BodyVelocities {
  double* first = nullptr;
  std::size_t stride = 0;
  double* of(Index body) const { return first + stride * static_cast<std::size_t>(body); }
};

class CellSweeps {
public:
  virtual ~CellSweeps() = default;
  CellSweeps(const CellSweeps&) = delete;
  CellSweeps& operator=(const CellSweeps&) = delete;

  Index colours() const { return static_cast<Index>(colour_start_.size()) - 1; }
  /// This rank's cells of a colour.
  std::span<const Index> cells(Index colour) const {
    return {cells_.data() + colour_start_[colour], cells_.data() + colour_start_[colour + 1]};
  }
  const Division& division() const { return *division_; }

  /// Between begin_colour(k) and end_colour(k) each of these cells may change its bodies in v. All
  /// ranks together.
  virtual void begin_colour(Index colour, BodyVelocities v) = 0;
  virtual void end_colour(Index colour, BodyVelocities v) = 0;
  /// v = M⁻¹ (D x + f) of all bodies and copies, made anew. All ranks together.
  virtual void make_velocities(ConstSpan x, Span v) = 0;
  /// Gives the copies of shared bodies their velocities, after these have changed.
  virtual void refresh_copies(BodyVelocities v) const = 0;

  /// Calls visit_cell(cell) for all cells of this rank, colour by colour; the reverse if
  /// `backward`.
  template <class VisitCell>
  void for_each_cell(bool backward, BodyVelocities v, VisitCell&& visit_cell) {
    for (Index k = 0; k < colours(); ++k) {
      const Index colour = backward ? colours() - 1 - k : k;
      const std::span<const Index> now = cells(colour);
      begin_colour(colour, v);
      parallel_for(
          static_cast<Index>(now.size()),
          [&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i) visit_cell(now[i]);
          },
          1);
      end_colour(colour, v);
    }
  }

  /// Calls visit(c) for all contacts of this rank.
  template <class Visit>
  void for_each(bool backward, BodyVelocities v, Visit&& visit) {
    for_each_cell(backward, v, [&](Index cell) { visit_contacts(cell, backward, visit); });
  }

  /// The same, and the sum of what visit(c) returns over the contacts of all ranks.
  template <class Visit>
  double sum(bool backward, BodyVelocities v, Visit&& visit) {
    sums_.assign(division_->cells(), 0.0);
    for_each_cell(backward, v, [&](Index cell) {
      double sum = 0;
      visit_contacts(cell, backward, [&](Index c) { sum += visit(c); });
      sums_[cell] = sum;
    });
    ExactSum total;
    for (const double sum : sums_) total.add(sum);
    division_->ranks->sum(std::span(&total, 1));
    return total.value();
  }

protected:
  explicit CellSweeps(const Division& division) : division_(&division) {
    colour_start_.assign(division.colours + 1, 0);
    for (const Index colour : division.cell_colour) ++colour_start_[colour + 1];
    for (Index k = 0; k < division.colours; ++k) colour_start_[k + 1] += colour_start_[k];
    std::vector<Index> next(colour_start_.begin(), colour_start_.end() - 1);
    cells_.resize(division.cell_colour.size());
    for (Index cell = 0; cell < division.cells(); ++cell)
      cells_[next[division.cell_colour[cell]]++] = cell;
  }

private:
  template <class Visit>
  void visit_contacts(Index cell, bool backward, Visit&& visit) const {
    const Index first = division_->cell_start[cell], last = division_->cell_start[cell + 1];
    if (backward)
      for (Index c = last; c-- > first;) visit(c);
    else
      for (Index c = first; c < last; ++c) visit(c);
  }

  const Division* division_;
  std::vector<Index> cells_, colour_start_; ///< Own cells by colour.
  Vector sums_;
};

} // namespace talus
