#include "talus/linalg/elimination_order.h"

#include "talus/linalg/eigen_sparse.h"
#include "talus/linalg/metis_lock.h"

#include <Eigen/OrderingMethods>

#include <cholmod.h>
#include <numeric>

namespace talus {
namespace {

constexpr Index large = 1000; ///< Rows from which dissection pays.

std::vector<Index> minimum_degree(const BlockPattern& pattern) {
  const Index n = pattern.size(), stored = static_cast<Index>(pattern.column.size());
  const Vector ones(stored, 1.0);
  const EigenSparse matrix = Eigen::Map<const EigenSparse>(n, n, stored, pattern.row_start.data(),
                                                           pattern.column.data(), ones.data());
  Eigen::AMDOrdering<Index>::PermutationType permutation;
  Eigen::AMDOrdering<Index>()(matrix.selfadjointView<Eigen::Upper>(), permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

/// Empty where it fails.
std::vector<Index> nested_dissection(const BlockPattern& pattern) {
  const Index n = pattern.size();
  std::vector<Index> start = {0}, row; // of the lower triangle, column by column
  for (Index i = 0; i < n; ++i) {
    for (Index k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      if (pattern.column[k] >= i) row.push_back(pattern.column[k]);
    start.push_back(static_cast<Index>(row.size()));
  }
  cholmod_sparse lower{};
  lower.nrow = lower.ncol = static_cast<std::size_t>(n);
  lower.nzmax = row.size();
  lower.p = start.data();
  lower.i = row.data();
  lower.stype = -1;
  lower.itype = CHOLMOD_INT;
  lower.xtype = CHOLMOD_PATTERN;
  lower.dtype = CHOLMOD_DOUBLE;
  lower.sorted = lower.packed = 1;
  std::vector<Index> order(n), parent(n), member(n);
  const MetisLock turn;
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  const auto parts = cholmod_nested_dissection(&lower, nullptr, 0, order.data(), parent.data(),
                                               member.data(), &common);
  cholmod_finish(&common);
  if (parts < 0) order.clear();
  return order;
}

} // namespace

std::vector<Index> elimination_order(const BlockPattern& pattern) {
  const Index n = pattern.size();
  if (static_cast<long>(pattern.column.size()) == static_cast<long>(n) * n) {
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  if (n >= large)
    if (std::vector<Index> order = nested_dissection(pattern); !order.empty()) return order;
  return minimum_degree(pattern);
}

} // namespace talus
