#include "talus/problem/delassus/body_structure.h"

#include "talus/core/error.h"

#include <Eigen/Dense>

#include <cmath>

namespace talus {
namespace {

template <int B>
bool is_block_diagonal(const SparseMatrix& m) {
  if (m.rows % B != 0) return false;
  for (Index i = 0; i < m.rows; ++i)
    for (Index k = m.row_start[i]; k < m.row_start[i + 1]; ++k)
      if (m.column[k] / B != i / B && m.value[k] != 0) return false;
  return true;
}

/// The bodies whose degrees of freedom appear in rows [first, last) of the transposed Jacobian;
/// false if more than two.
template <int B>
bool find_bodies(const SparseMatrix& transposed, Index first, Index last, BodyPair& pair) {
  for (Index row = first; row < last; ++row)
    for (Index k = transposed.row_start[row]; k < transposed.row_start[row + 1]; ++k) {
      const Index body = transposed.column[k] / B;
      if (transposed.value[k] == 0 || body == pair.a || body == pair.b) continue;
      if (pair.a < 0)
        pair.a = body;
      else if (pair.b < 0)
        pair.b = body;
      else
        return false;
    }
  return true;
}

/// Copies rows [first, first + columns) of the transposed Jacobian into the blocks of `pair`: two
/// blocks, each a column of B per impulse, one column after the other.
template <int B>
void fill_blocks(const SparseMatrix& transposed, Index first, int columns, BodyPair pair,
                 double* blocks) {
  for (int j = 0; j < columns; ++j)
    for (Index k = transposed.row_start[first + j]; k < transposed.row_start[first + j + 1]; ++k) {
      const Index body = transposed.column[k] / B;
      if (body != pair.a && body != pair.b) continue; // an explicit zero
      double* block = blocks + (body == pair.a ? 0 : B * columns);
      block[B * j + transposed.column[k] % B] += transposed.value[k];
    }
}

template <int B>
Vector invert_blocks(const SparseMatrix& m) {
  const Index bodies = m.rows / B;
  Vector inverse(static_cast<std::size_t>(m.rows) * B);
  for (Index body = 0; body < bodies; ++body) {
    Eigen::Matrix<double, B, B, Eigen::RowMajor> block =
        Eigen::Matrix<double, B, B, Eigen::RowMajor>::Zero();
    for (int i = 0; i < B; ++i)
      for (Index k = m.row_start[B * body + i]; k < m.row_start[B * body + i + 1]; ++k)
        if (m.column[k] / B == body) block(i, m.column[k] % B) = m.value[k];
    const Eigen::FullPivLU<Eigen::Matrix<double, B, B, Eigen::RowMajor>> lu(block);
    if (!lu.isInvertible())
      throw InvalidProblem("the mass matrix of body " + std::to_string(body) + " is singular");
    const Eigen::Matrix<double, B, B, Eigen::RowMajor> inverted = lu.inverse();
    std::copy_n(inverted.data(), B * B, &inverse[static_cast<std::size_t>(body) * B * B]);
  }
  return inverse;
}

/// The diagonals alone if nothing else is in the blocks, else the blocks.
template <int B>
Vector diagonals_or_blocks(Vector blocks) {
  Vector diagonal;
  diagonal.reserve(blocks.size() / B);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const std::size_t row = k / B % B, column = k % B;
    if (row == column)
      diagonal.push_back(blocks[k]);
    else if (blocks[k] != 0)
      return blocks;
  }
  return diagonal;
}

} // namespace

template <int B, int D>
std::optional<BlockLayout<B, D>> recognise_bodies(const GlobalModel& model) {
  if (model.M.rows == 0 || !is_block_diagonal<B>(model.M)) return std::nullopt;
  const SparseMatrix contacts = transpose(model.H), rows = transpose(model.G);
  const Index contact_count = contacts.rows / D;
  BlockLayout<B, D> layout;
  layout.contact_bodies.resize(contact_count);
  layout.row_bodies.resize(rows.rows);
  for (Index c = 0; c < contact_count; ++c)
    if (!find_bodies<B>(contacts, D * c, D * (c + 1), layout.contact_bodies[c]))
      return std::nullopt;
  for (Index j = 0; j < rows.rows; ++j)
    if (!find_bodies<B>(rows, j, j + 1, layout.row_bodies[j])) return std::nullopt;

  layout.jacobian.assign(static_cast<std::size_t>(contact_count) * 2 * B * D, 0.0);
  for (Index c = 0; c < contact_count; ++c)
    fill_blocks<B>(contacts, D * c, D, layout.contact_bodies[c],
                   &layout.jacobian[static_cast<std::size_t>(c) * 2 * B * D]);
  layout.row_jacobian.assign(static_cast<std::size_t>(rows.rows) * 2 * B, 0.0);
  for (Index j = 0; j < rows.rows; ++j)
    fill_blocks<B>(rows, j, 1, layout.row_bodies[j],
                   &layout.row_jacobian[static_cast<std::size_t>(j) * 2 * B]);

  layout.free_velocities.assign(model.M.rows, 0.0);
  layout.inverse_mass = diagonals_or_blocks<B>(invert_blocks<B>(model.M));
  for (Index body = 0; body < layout.bodies(); ++body)
    layout.add_acceleration(body, &model.f[static_cast<std::size_t>(body) * B],
                            &layout.free_velocities[static_cast<std::size_t>(body) * B]);
  layout.biases = model.w;
  layout.biases.insert(layout.biases.end(), model.b.begin(), model.b.end());
  return layout;
}

template std::optional<BlockLayout<6, 3>> recognise_bodies<6, 3>(const GlobalModel&);
template std::optional<BlockLayout<3, 2>> recognise_bodies<3, 2>(const GlobalModel&);

} // namespace talus
