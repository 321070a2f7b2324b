#include "talus/problem/files/problem_file.h"

#include "talus/core/files/hdf5_file.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/problem/files/lcp_file.h"

namespace talus {

ContactProblem read_problem(const std::string& path) {
  return is_hdf5(path) ? read_fclib(path).problem : read_lcp(path);
}

} // namespace talus
