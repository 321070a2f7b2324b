#include "talus/linalg/block_matrix.h"

#include <algorithm>

namespace talus {

template <int D>
BlockMatrix<D> to_blocks(const SparseMatrix& a) {
  BlockMatrix<D> blocks;
  const Index contacts = a.rows / D;
  blocks.row_start.assign(static_cast<std::size_t>(contacts) + 1, 0);
  std::vector<Index> slot_of(contacts, -1), touched;
  for (Index c = 0; c < contacts; ++c) {
    touched.clear();
    for (Index k = a.row_start[D * c]; k < a.row_start[D * (c + 1)]; ++k) {
      const Index neighbour = a.column[k] / D;
      if (slot_of[neighbour] >= 0) continue;
      slot_of[neighbour] = 0;
      touched.push_back(neighbour);
    }
    std::sort(touched.begin(), touched.end());
    for (Index neighbour : touched) {
      slot_of[neighbour] = static_cast<Index>(blocks.column.size());
      blocks.column.push_back(neighbour);
    }
    blocks.value.resize(blocks.column.size() * D * D, 0.0);
    for (int i = 0; i < D; ++i)
      for (Index k = a.row_start[D * c + i]; k < a.row_start[D * c + i + 1]; ++k) {
        const std::size_t slot = slot_of[a.column[k] / D];
        blocks.value[slot * D * D + D * i + a.column[k] % D] = a.value[k];
      }
    for (Index neighbour : touched) slot_of[neighbour] = -1;
    blocks.row_start[c + 1] = static_cast<Index>(blocks.column.size());
  }
  return blocks;
}

template BlockMatrix<1> to_blocks<1>(const SparseMatrix&);
template BlockMatrix<2> to_blocks<2>(const SparseMatrix&);
template BlockMatrix<3> to_blocks<3>(const SparseMatrix&);
template BlockMatrix<5> to_blocks<5>(const SparseMatrix&);
template BlockMatrix<6> to_blocks<6>(const SparseMatrix&);

} // namespace talus
