#include "talus/solve/multigrid/smoothed_aggregation.h"

#include "talus/core/elementary.h"
#include "talus/linalg/dense_factor.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

std::vector<Index> node_of_row(const std::vector<Index>& node_start) {
  std::vector<Index> node(node_start.back());
  for (std::size_t k = 0; k + 1 < node_start.size(); ++k)
    for (Index row = node_start[k]; row < node_start[k + 1]; ++row)
      node[row] = static_cast<Index>(k);
  return node;
}

std::vector<std::vector<Index>> neighbours(const SparseRows& A,
                                           const std::vector<Index>& node_start) {
  const std::vector<Index> node = node_of_row(node_start);
  std::vector<std::vector<Index>> result(node_start.size() - 1);
  for (Index row = 0; row < A.rows(); ++row)
    for (SparseRows::InnerIterator e(A, row); e; ++e)
      if (e.value() != 0 && node[e.col()] != node[row]) result[node[row]].push_back(node[e.col()]);
  for (auto& list : result) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return result;
}

/// The aggregate of each node, -1 for nodes without neighbours: a node with all its neighbours
/// where none of them is taken; then what is left joins a neighbour.
std::vector<Index> aggregate(const std::vector<std::vector<Index>>& graph, Index& count) {
  const Index nodes = static_cast<Index>(graph.size());
  std::vector<Index> group(nodes, -1);
  count = 0;
  for (Index i = 0; i < nodes; ++i) {
    if (group[i] >= 0 || graph[i].empty()) continue;
    if (std::any_of(graph[i].begin(), graph[i].end(), [&](Index j) { return group[j] >= 0; }))
      continue;
    group[i] = count;
    for (Index j : graph[i]) group[j] = count;
    ++count;
  }
  std::vector<Index> joined = group;
  for (Index i = 0; i < nodes; ++i) {
    if (group[i] >= 0) continue;
    for (Index j : graph[i])
      if (group[j] >= 0) {
        joined[i] = group[j];
        break;
      }
  }
  return joined;
}

struct Tentative {
  SparseRows T;
  Eigen::MatrixXd modes;         ///< Of the coarse level.
  std::vector<Index> node_start; ///< Of the coarse level: a node per aggregate.
};

/// Per aggregate an orthonormal basis of the modes restricted to it.
Tentative tentative_prolongator(const Eigen::MatrixXd& modes, const std::vector<Index>& node_start,
                                const std::vector<Index>& group, Index count) {
  std::vector<std::vector<Index>> rows(count);
  for (std::size_t node = 0; node < group.size(); ++node)
    for (Index row = node_start[node]; group[node] >= 0 && row < node_start[node + 1]; ++row)
      rows[group[node]].push_back(row);
  Tentative result;
  result.node_start = {0};
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<Eigen::MatrixXd> blocks;
  for (const auto& list : rows) {
    Eigen::MatrixXd local(list.size(), modes.cols());
    for (std::size_t k = 0; k < list.size(); ++k) local.row(k) = modes.row(list[k]);
    const Eigen::MatrixXd basis = column_basis(local, 1e-8);
    const Index rank = static_cast<Index>(basis.cols()), first = result.node_start.back();
    for (std::size_t k = 0; k < list.size(); ++k)
      for (Index j = 0; j < rank; ++j) entries.emplace_back(list[k], first + j, basis(k, j));
    blocks.push_back(basis.transpose() * local);
    result.node_start.push_back(first + rank);
  }
  result.T.resize(modes.rows(), result.node_start.back());
  result.T.setFromTriplets(entries.begin(), entries.end());
  result.modes.resize(result.node_start.back(), modes.cols());
  for (std::size_t k = 0; k < blocks.size(); ++k)
    result.modes.middleRows(result.node_start[k], blocks[k].rows()) = blocks[k];
  return result;
}

/// Largest eigenvalue of diag(A)⁻¹ A, by power iteration.
double scaled_radius(const SparseRows& A, const Dense& inverse_diagonal) {
  Dense x(A.rows());
  for (Index i = 0; i < A.rows(); ++i) x[i] = 1 + 0.5 * sine(1.0 + 12.9898 * i);
  double radius = 1;
  for (int k = 0; k < 10; ++k) {
    x /= std::max(x.norm(), 1e-300);
    x = inverse_diagonal.cwiseProduct(A * x);
    radius = x.norm();
  }
  return std::max(radius, 1e-300);
}

} // namespace

SparseRows aggregate_prolongator(const SparseRows& matrix, Eigen::MatrixXd modes,
                                 std::vector<Index> node_start, Index most_columns) {
  SparseRows A = matrix, Q(matrix.rows(), matrix.rows());
  Q.setIdentity();
  do {
    Index count = 0;
    const std::vector<Index> group = aggregate(neighbours(A, node_start), count);
    Tentative coarse = tentative_prolongator(modes, node_start, group, count);
    if (coarse.T.cols() >= A.cols()) break;
    const Dense inverse =
        A.diagonal().unaryExpr([](double value) { return value > 0 ? 1 / value : 0.0; });
    const double omega = (4.0 / 3.0) / scaled_radius(A, inverse);
    const SparseRows P =
        coarse.T - SparseRows((omega * inverse).asDiagonal() * SparseRows(A * coarse.T));
    A = SparseRows(P.transpose()) * SparseRows(A * P);
    Q = SparseRows(Q * P);
    modes = std::move(coarse.modes);
    node_start = std::move(coarse.node_start);
  } while (A.cols() > most_columns);
  return Q;
}

} // namespace talus
