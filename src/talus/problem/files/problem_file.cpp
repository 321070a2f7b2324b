#include "talus/problem/files/problem_file.h"

#include "talus/core/files/hdf5_file.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/problem/files/lcp_file.h"
#include "talus/problem/files/rolling_file.h"

namespace talus {

ContactProblem read_problem(const std::string& path) {
  if (is_hdf5(path)) return read_fclib(path).problem;
  return is_rolling_text(path) ? read_rolling_text(path) : read_lcp(path);
}

} // namespace talus
