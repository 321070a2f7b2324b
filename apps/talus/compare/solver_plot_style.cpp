#include "solver_plot_style.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace talus::cli {
namespace {

constexpr const char *grey = "#8a929c", *brown = "#b07d4a", *blue = "#2f7ed8", *orange = "#e0782f",
                     *purple = "#a05cc5", *green = "#1f9e77", *red = "#d6455d", *gold = "#c29a0c",
                     *cyan = "#17a2b8", *pink = "#d65fa8", *olive = "#6b8e23", *indigo = "#7467d6";

struct Named {
  std::string_view solver;
  const char* colour;
  int dashes;
};

constexpr std::array known_looks = {
    Named{"auto", grey, 0},       Named{"nsgs", orange, 0},       Named{"nncg", gold, 1},
    Named{"apgd", purple, 0},     Named{"coulomb-apgd", red, 1},  Named{"spg", brown, 2},
    Named{"admm", cyan, 3},       Named{"prox-newton", blue, 1},  Named{"hybrid-newton", indigo, 2},
    Named{"ip-newton", green, 1}, Named{"coulomb-ip", olive, 2},  Named{"conic-ip", pink, 3},
    Named{"jacobi", grey, 1},     Named{"gpminres", blue, 0},     Named{"gpminres-p", cyan, 1},
    Named{"kucera", green, 3},    Named{"pgs", gold, 0},          Named{"cpg", green, 0},
    Named{"newton", red, 2},      Named{"amg", blue, 2},          Named{"pgd", olive, 1},
    Named{"bgs", brown, 1},       Named{"nlgs", cyan, 0},         Named{"bb", pink, 1},
    Named{"pdip", blue, 3},       Named{"path", cyan, 2},         Named{"lemke", indigo, 0},
    Named{"keller", pink, 2},     Named{"enumeration", olive, 0}, Named{"p1", red, 3},
    Named{"p1-p2", brown, 0},     Named{"fold-ip", purple, 1},    Named{"ansgs", pink, 0},
};

} // namespace

SolverPlotStyle solver_look(const std::string& solver) {
  const auto found = std::find_if(known_looks.begin(), known_looks.end(),
                                  [&](const Named& named) { return named.solver == solver; });
  return found == known_looks.end() ? SolverPlotStyle{grey, 3}
                                    : SolverPlotStyle{found->colour, found->dashes};
}

} // namespace talus::cli
