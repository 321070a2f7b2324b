#include "talus/linalg/elimination_order.h"

#include "talus/linalg/eigen_sparse.h"

#include <Eigen/OrderingMethods>

#include <array>
#include <cstdlib>
#include <metis.h>
#include <mutex>
#include <numeric>

namespace talus {
namespace {

constexpr Index large = 1000;   ///< Rows from which dissection pays.
constexpr Index separators = 3; ///< Tried at each level; the best one is kept.

/// Lets one thread at a time into METIS while an object of this class lives. METIS seeds rand() at
/// each call and draws from it, the one generator of the process: two calls at once would draw from
/// one sequence, and orders would depend on chance. While an object lives rand() has a state of its
/// own, and afterwards that of before, so that a program's own sequence goes on.
class MetisLock {
public:
  MetisLock() : lock_(mutex()), before_(initstate(1, state_.data(), state_.size())) {}
  ~MetisLock() { setstate(before_); }
  MetisLock(const MetisLock&) = delete;
  MetisLock& operator=(const MetisLock&) = delete;

private:
  static std::mutex& mutex() {
    static std::mutex only;
    return only;
  }
  std::lock_guard<std::mutex> lock_;
  std::array<char, 128> state_{}; ///< As many bytes as glibc starts with.
  char* before_;
};

} // namespace

std::vector<Index> minimum_degree_order(const BlockPattern& pattern) {
  const Index n = pattern.size(), stored = static_cast<Index>(pattern.column.size());
  if (n == 0) return {};
  const Vector ones(stored, 1.0);
  const EigenSparse matrix = Eigen::Map<const EigenSparse>(n, n, stored, pattern.row_start.data(),
                                                           pattern.column.data(), ones.data());
  Eigen::AMDOrdering<Index>::PermutationType permutation;
  Eigen::AMDOrdering<Index>()(matrix.selfadjointView<Eigen::Upper>(), permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

std::vector<Index> dissection_order(const BlockPattern& pattern, std::vector<Index> weight) {
  static_assert(sizeof(idx_t) == sizeof(Index));
  Index n = pattern.size();
  std::vector<Index> start = {0}, neighbour;
  neighbour.reserve(pattern.column.size());
  for (Index i = 0; i < n; ++i) {
    for (Index k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      if (pattern.column[k] != i) neighbour.push_back(pattern.column[k]);
    start.push_back(static_cast<Index>(neighbour.size()));
  }
  if (neighbour.empty()) return {};
  std::vector<Index> order(n), place(n), options(METIS_NOPTIONS);
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_NSEPS] = separators;
  const MetisLock turn;
  if (METIS_NodeND(&n, start.data(), neighbour.data(), weight.empty() ? nullptr : weight.data(),
                   options.data(), order.data(), place.data()) != METIS_OK)
    return {};
  return order;
}

std::vector<Index> elimination_order(const BlockPattern& pattern) {
  const Index n = pattern.size();
  if (static_cast<long>(pattern.column.size()) == static_cast<long>(n) * n) {
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  if (n >= large)
    if (std::vector<Index> order = dissection_order(pattern); !order.empty()) return order;
  return minimum_degree_order(pattern);
}

BlockPattern mirror_triangle(const std::vector<Index>& start, const std::vector<Index>& index) {
  const Index n = static_cast<Index>(start.size()) - 1;
  BlockPattern whole;
  whole.row_start.assign(n + 1, 0);
  std::vector<Index>& first = whole.row_start;
  for (Index j = 0; j < n; ++j) {
    ++first[j + 1];
    for (Index k = start[j]; k < start[j + 1]; ++k)
      if (index[k] != j) ++first[j + 1], ++first[index[k] + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  whole.column.resize(first.back());
  // In the order of j both halves of a row come out sorted: mirrored entries first, for a lower
  // triangle by columns, because those are of earlier columns.
  std::vector<Index> next(first.begin(), first.end() - 1);
  for (Index j = 0; j < n; ++j) {
    whole.column[next[j]++] = j;
    for (Index k = start[j]; k < start[j + 1]; ++k)
      if (index[k] != j) {
        whole.column[next[j]++] = index[k];
        whole.column[next[index[k]]++] = j;
      }
  }
  return whole;
}

} // namespace talus
