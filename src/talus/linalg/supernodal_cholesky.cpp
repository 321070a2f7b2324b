#include "talus/linalg/supernodal_cholesky.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus {
namespace {

namespace simd = hwy::HWY_NAMESPACE;
using Lanes = simd::CappedTag<double, 4>;
using Values = simd::VFromD<Lanes>;

// Twelve sums of four numbers fill the registers of AVX2; six columns are those of a body.
constexpr Index tile_rows = 8, tile_columns = 6;
constexpr Index lane_count = static_cast<Index>(simd::MaxLanes(Lanes()));
/// Tiles may read so many entries past the end of a panel, without using them.
constexpr std::size_t padding = tile_rows;
/// Columns that are factorised one by one.
constexpr Index block_columns = 8;
/// Wide panels ask the stop test this often.
constexpr Index columns_between_looks = 256;

/// Vectors with a distance from one to the next.
struct Strided {
  const double* first;
  std::size_t stride;
};

/// tile = Σ_k a_k b_kᵀ, column by column.
void multiply_tile(Strided a, Strided b, Index count, double* tile) {
  const Lanes d;
  for (Index row = 0; row < tile_rows; row += 2 * lane_count) {
    Values sum[tile_columns][2];
    for (auto& column : sum) column[0] = column[1] = simd::Zero(d);
    const double *rows = a.first + row, *columns = b.first;
    for (Index k = 0; k < count; ++k, rows += a.stride, columns += b.stride) {
      const Values upper = simd::LoadU(d, rows), lower = simd::LoadU(d, rows + lane_count);
      for (Index j = 0; j < tile_columns; ++j) {
        const Values factor = simd::Set(d, columns[j]);
        sum[j][0] = simd::MulAdd(upper, factor, sum[j][0]);
        sum[j][1] = simd::MulAdd(lower, factor, sum[j][1]);
      }
    }
    for (Index j = 0; j < tile_columns; ++j) {
      simd::StoreU(sum[j][0], d, tile + j * tile_rows + row);
      simd::StoreU(sum[j][1], d, tile + j * tile_rows + row + lane_count);
    }
  }
}

/// column[row_i] -= tile_i for the rows of a tile. `relative` increases, and most of its rows are
/// neighbours.
void subtract_column(const double* tile, const Index* relative, double* column) {
  const Lanes d;
  for (Index i = 0; i < tile_rows; i += lane_count) {
    double* const at = column + relative[i];
    if (relative[i + lane_count - 1] - relative[i] == lane_count - 1) {
      simd::StoreU(simd::Sub(simd::LoadU(d, at), simd::LoadU(d, tile + i)), d, at);
    } else {
      for (Index k = i; k < i + lane_count; ++k) column[relative[k]] -= tile[k];
    }
  }
}

/// Subtracts Σ_k a_k a_kᵀ from a panel: for the rows i and the columns j <= i of a_k, entry (i, j)
/// at relative[j] * stride_of_target + relative[i]. The first `columns` rows of a_k are columns of
/// the target.
struct Subtraction {
  const double* a;
  std::size_t stride;
  Index count;         ///< Vectors a_k.
  Index rows, columns; ///< Of a_k.
  const Index* relative;
  double* target;
  std::size_t stride_of_target;

  void run(Vector& memory) const {
    if (count >= packed_count && columns > tile_columns) return run_packed(memory);
    for (Index j = 0; j < columns; j += tile_columns)
      for (Index i = j / tile_rows * tile_rows; i < rows; i += tile_rows) {
        alignas(32) double tile[tile_rows * tile_columns];
        multiply_tile({a + i, stride}, {a + j, stride}, count, tile);
        subtract_tile(tile, i, j);
      }
  }

private:
  static constexpr Index packed_count = 48; ///< Vectors from which copies pay.
  static constexpr Index most_packed = 256; ///< Vectors whose tiles the first cache holds.

  /// Long vectors lie pages apart: tiles are copied to where caches and prefetching serve them,
  /// those of the columns once, those of the rows one after the other (Goto & van de Geijn 2008).
  void run_packed(Vector& memory) const {
    const Index tiles = (columns + tile_columns - 1) / tile_columns;
    memory.resize(static_cast<std::size_t>(most_packed) * (tile_rows + tiles * tile_columns));
    double *const of_rows = memory.data(), *const of_columns = of_rows + most_packed * tile_rows;
    for (Index first = 0; first < count; first += most_packed) {
      const Index some = std::min(most_packed, count - first);
      const double* const vectors = a + first * stride;
      const auto columns_of = [&](Index j) {
        return of_columns + static_cast<std::size_t>(j) * some;
      };
      for (Index j = 0; j < columns; j += tile_columns)
        pack({vectors + j, stride}, tile_columns, some, columns_of(j));
      for (Index i = 0; i < rows; i += tile_rows) {
        pack({vectors + i, stride}, tile_rows, some, of_rows);
        for (Index j = 0; j < std::min(columns, i + tile_rows); j += tile_columns) {
          alignas(32) double tile[tile_rows * tile_columns];
          multiply_tile({of_rows, tile_rows}, {columns_of(j), tile_columns}, some, tile);
          subtract_tile(tile, i, j);
        }
      }
    }
  }
  static void pack(Strided from, Index height, Index count, double* to) {
    for (Index k = 0; k < count; ++k, to += height)
      std::copy_n(from.first + k * from.stride, height, to);
  }

  void subtract_tile(const double* tile, Index i, Index j) const {
    const Index last = std::min(j + tile_columns, columns);
    if (i + tile_rows <= rows && i + 1 >= last) {
      for (Index c = j; c < last; ++c)
        subtract_column(tile + (c - j) * tile_rows, relative + i, column(c));
      return;
    }
    for (Index c = j; c < last; ++c)
      for (Index r = std::max(i, c); r < std::min(i + tile_rows, rows); ++r)
        column(c)[relative[r]] -= tile[(c - j) * tile_rows + r - i];
  }
  double* column(Index c) const {
    return target + static_cast<std::size_t>(relative[c]) * stride_of_target;
  }
};

/// y -= x s.
void subtract_multiple(const double* x, double s, Index size, double* y) {
  const Lanes d;
  const Values factor = simd::Set(d, s);
  Index i = 0;
  for (; i + lane_count <= size; i += lane_count)
    simd::StoreU(simd::NegMulAdd(simd::LoadU(d, x + i), factor, simd::LoadU(d, y + i)), d, y + i);
  for (; i < size; ++i) y[i] = std::fma(-x[i], s, y[i]);
}

/// x·y as the sum of four sums, however wide registers are.
double dot(const double* x, const double* y, Index size) {
  double sums[4] = {};
  Index i = 0;
  for (; i + 4 <= size; i += 4)
    for (Index k = 0; k < 4; ++k) sums[k] += x[i + k] * y[i + k];
  for (Index k = 0; i < size; ++i, ++k) sums[k] += x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

} // namespace

void SupernodalCholesky::analyse(const std::vector<Index>& column_start,
                                 const std::vector<Index>& row) {
  analysis_ = analyse_panels(column_start, row);
  const Index n = size();
  const std::size_t panels = analysis_.panels.size();
  target_.resize(row.size());
  for (Index j = 0; j < n; ++j)
    for (Index k = column_start[j]; k < column_start[j + 1]; ++k) {
      const auto [column, i] = std::minmax(analysis_.place[j], analysis_.place[row[k]]);
      const Panel& panel = analysis_.panels[analysis_.panel_of[column]];
      const auto rows = rows_of(panel);
      const std::size_t at = static_cast<std::size_t>(column - panel.first_column) * panel.height;
      target_[k] = panel.values + at + (std::ranges::lower_bound(rows, i) - rows.begin());
    }
  values_.assign(analysis_.fill + padding, 0.0);
  position_.resize(n);
  permuted_.resize(n);
  head_.resize(panels);
  next_.resize(panels);
  next_row_.resize(panels);
  Index highest = 0;
  for (const Panel& panel : analysis_.panels) highest = std::max(highest, panel.height);
  relative_.resize(highest);
  gathered_.resize(highest);
}

bool SupernodalCholesky::factorise(ConstSpan value, const StopTest& stop) {
  std::ranges::fill(values_, 0.0);
  for (std::size_t k = 0; k < value.size(); ++k) values_[target_[k]] = value[k];
  std::ranges::fill(head_, -1);
  for (Index target = 0; target < static_cast<Index>(analysis_.panels.size()); ++target) {
    if (is_met(stop)) return false;
    subtract_earlier_panels(target);
    const Panel& panel = analysis_.panels[target];
    if (!factorise_columns(panel, 0, panel.width, stop)) return false;
    if (panel.height > panel.width) queue(target, panel.width);
  }
  return true;
}

void SupernodalCholesky::queue(Index source, Index from) {
  const Index row = analysis_.rows[analysis_.panels[source].first_row + from];
  Index& head = head_[analysis_.panel_of[row]];
  next_row_[source] = from;
  next_[source] = head;
  head = source;
}

void SupernodalCholesky::subtract_earlier_panels(Index target) {
  const Panel& panel = analysis_.panels[target];
  const auto rows = rows_of(panel);
  for (Index i = 0; i < panel.height; ++i) position_[rows[i]] = i;
  for (Index source = head_[target]; source >= 0;) {
    const Index after = next_[source];
    const Panel& earlier = analysis_.panels[source];
    const auto of_source = rows_of(earlier);
    const Index from = next_row_[source];
    Index until = from;
    while (until < earlier.height && of_source[until] < panel.first_column + panel.width) ++until;
    subtract(earlier, from, until, panel);
    if (until < earlier.height) queue(source, until);
    source = after;
  }
}

/// The rows from..until of the source are columns of the target.
void SupernodalCholesky::subtract(const Panel& source, Index from, Index until,
                                  const Panel& target) {
  const auto rows = rows_of(source).subspan(from);
  for (std::size_t i = 0; i < rows.size(); ++i) relative_[i] = position_[rows[i]];
  Subtraction{.a = values_.data() + source.values + from,
              .stride = static_cast<std::size_t>(source.height),
              .count = source.width,
              .rows = source.height - from,
              .columns = until - from,
              .relative = relative_.data(),
              .target = values_.data() + target.values,
              .stride_of_target = static_cast<std::size_t>(target.height)}
      .run(packed_);
}

/// The left half, its product from the right half, and the right half; a few columns directly.
bool SupernodalCholesky::factorise_columns(const Panel& panel, Index first, Index last,
                                           const StopTest& stop) {
  const std::size_t stride = static_cast<std::size_t>(panel.height);
  double* const values = values_.data() + panel.values;
  if (last - first > block_columns) {
    const Index middle = first + (last - first + 1) / 2;
    if (!factorise_columns(panel, first, middle, stop)) return false;
    if (last - first > columns_between_looks && is_met(stop)) return false;
    std::iota(relative_.begin(), relative_.begin() + (panel.height - middle), middle);
    Subtraction{.a = values + first * stride + middle,
                .stride = stride,
                .count = middle - first,
                .rows = panel.height - middle,
                .columns = last - middle,
                .relative = relative_.data(),
                .target = values,
                .stride_of_target = stride}
        .run(packed_);
    return factorise_columns(panel, middle, last, stop);
  }
  for (Index j = first; j < last; ++j) {
    double* const column = values + j * stride;
    if (!(column[j] > 0) || !std::isfinite(column[j])) return false;
    const double root = std::sqrt(column[j]), inverse = 1 / root;
    column[j] = root;
    for (Index i = j + 1; i < panel.height; ++i) column[i] *= inverse;
    for (Index k = j + 1; k < last; ++k)
      subtract_multiple(column + k, column[k], panel.height - k, values + k * stride + k);
  }
  return true;
}

void SupernodalCholesky::solve(Span x) {
  const auto& place = analysis_.place;
  for (std::size_t i = 0; i < place.size(); ++i) permuted_[place[i]] = x[i];
  double* const y = gathered_.data();
  for (const Panel& panel : analysis_.panels) {
    const auto rows = rows_of(panel);
    for (Index i = 0; i < panel.height; ++i) y[i] = permuted_[rows[i]];
    for (Index j = 0; j < panel.width; ++j) {
      const double* const column =
          values_.data() + panel.values + static_cast<std::size_t>(j) * panel.height;
      y[j] /= column[j];
      subtract_multiple(column + j + 1, y[j], panel.height - j - 1, y + j + 1);
    }
    for (Index i = 0; i < panel.height; ++i) permuted_[rows[i]] = y[i];
  }
  for (auto at = analysis_.panels.rbegin(); at != analysis_.panels.rend(); ++at) {
    const Panel& panel = *at;
    const auto rows = rows_of(panel);
    for (Index i = 0; i < panel.height; ++i) y[i] = permuted_[rows[i]];
    for (Index j = panel.width - 1; j >= 0; --j) {
      const double* const column =
          values_.data() + panel.values + static_cast<std::size_t>(j) * panel.height;
      y[j] = (y[j] - dot(column + j + 1, y + j + 1, panel.height - j - 1)) / column[j];
    }
    for (Index j = 0; j < panel.width; ++j) permuted_[rows[j]] = y[j];
  }
  for (std::size_t i = 0; i < place.size(); ++i) x[i] = permuted_[place[i]];
}

} // namespace talus
