#pragma once
// Sparse matrices of Talus as scipy.sparse.csr_matrix, and back from anything SciPy takes.

#include "arrays.h"
#include "talus/core/sparse_matrix.h"

namespace talus::python {

using IndexArray = py::array_t<Index, py::array::c_style | py::array::forcecast>;

inline py::object to_scipy(const SparseMatrix& a) {
  const py::object make = py::module_::import("scipy.sparse").attr("csr_matrix");
  const auto indices = [](const std::vector<Index>& list) {
    return IndexArray(static_cast<py::ssize_t>(list.size()), list.data());
  };
  const Array values(static_cast<py::ssize_t>(a.value.size()), a.value.data());
  return make(py::make_tuple(values, indices(a.column), indices(a.row_start)),
              py::arg("shape") = py::make_tuple(a.rows, a.columns));
}

/// Throws InvalidArgument for what is no matrix.
inline SparseMatrix from_scipy(const py::object& matrix, const char* name) {
  if (matrix.is_none()) return {};
  py::object csr;
  try {
    csr = py::module_::import("scipy.sparse").attr("csr_matrix")(matrix);
    csr.attr("sum_duplicates")();
  } catch (const py::error_already_set& error) {
    throw InvalidArgument(fmt::format("{} is not a matrix: {}", name, error.what()));
  }
  const auto [rows, columns] = csr.attr("shape").cast<std::pair<Index, Index>>();
  const auto starts = csr.attr("indptr").cast<IndexArray>();
  const auto indices = csr.attr("indices").cast<IndexArray>();
  SparseMatrix result;
  result.rows = rows;
  result.columns = columns;
  result.row_start.assign(starts.data(), starts.data() + starts.size());
  result.column.assign(indices.data(), indices.data() + indices.size());
  result.value = vector_from(csr.attr("data").cast<Array>());
  return result;
}

} // namespace talus::python
