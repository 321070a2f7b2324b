#include "catalogue.h"

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"

#include <algorithm>
#include <array>

namespace talus::experiments {

namespace heyn2013_table1 {
Report run(Context& context);
}
namespace heyn2013_tp2 {
Report run(Context& context);
}
namespace heyn2013_tp3 {
Report run(Context& context);
}
namespace mazhar2014_ball {
Report run(Context& context);
}
namespace mazhar2014_box {
Report run(Context& context);
}
namespace mazhar2014_convergence {
Report run(Context& context);
}
namespace mazhar2014_incline_from_rest {
Report run(Context& context);
}
namespace mazhar2014_incline_to_rest {
Report run(Context& context);
}
namespace mazhar2014_scaling {
Report run(Context& context);
}
namespace mangoni2015_fig1 {
Report run(Context& context);
}
namespace mangoni2015_table1 {
Report run(Context& context);
}
namespace mangoni2015_table2 {
Report run(Context& context);
}
namespace mangoni2015_mass_ratio {
Report run(Context& context);
}
namespace mangoni2015_redundant {
Report run(Context& context);
}
namespace preclik2009_fig2 {
Report run(Context& context);
}
namespace preclik2009_fig3 {
Report run(Context& context);
}
namespace preclik2009_amg {
Report run(Context& context);
}
namespace anitescu2002_stack {
Report run(Context& context);
}
namespace anitescu2002_nonconvex {
Report run(Context& context);
}
namespace anitescu2002_fixed_point {
Report run(Context& context);
}
namespace anitescu2002_relaxation_error {
Report run(Context& context);
}
namespace beyond_cpg {
Report run(Context& context);
}
namespace beyond_heyn_coulomb {
Report run(Context& context);
}
namespace beyond_amg {
Report run(Context& context);
}
namespace beyond_newton_after_splitting {
Report run(Context& context);
}
namespace beyond_interior_warm_start {
Report run(Context& context);
}
namespace beyond_associated_law {
Report run(Context& context);
}
namespace beyond_winners {
Report run(Context& context);
}

namespace closed_impacts {
Report run(Context& context);
}
namespace closed_contacts {
Report run(Context& context);
}
namespace closed_springs {
Report run(Context& context);
}
namespace closed_piles {
Report run(Context& context);
}
namespace nature_bodies {
Report run(Context& context);
}
namespace nature_grains {
Report run(Context& context);
}
namespace nature_structures {
Report run(Context& context);
}

std::span<const Experiment> catalogue() {
  static const std::array all = {
      Experiment{"heyn2013-table1", "Table I, figs. 4 and 5: Jacobi against GPMINRES, 1000 spheres",
                 "20 s", "3 min", heyn2013_table1::run},
      Experiment{"heyn2013-tp2", "Figs. 6 to 10: four methods on 1000, 2000 and 4000 spheres",
                 "60 s", "10 min", heyn2013_tp2::run},
      Experiment{"heyn2013-tp3", "Figs. 12 and 13: 1000 to 16000 kg on light spheres", "20 s",
                 "2 min", heyn2013_tp3::run},
      Experiment{"mazhar2014-convergence",
                 "Figs. 1 to 4: interior point against APGD, 320 spheres settled well and badly",
                 "5 s", "2 min", mazhar2014_convergence::run},
      Experiment{"mazhar2014-scaling",
                 "Figs. 5 and 6: interior point and APGD on 64 to 2560 spheres", "15 s", "5 min",
                 mazhar2014_scaling::run},
      Experiment{"mazhar2014-ball", "Figs. 8 to 11: a ball slides, then rolls; six formulations",
                 "3 s", "3 s", mazhar2014_ball::run},
      Experiment{"mazhar2014-box", "Figs. 13 and 14: a box slides to rest; six formulations", "3 s",
                 "3 s", mazhar2014_box::run},
      Experiment{"mazhar2014-incline-from-rest",
                 "Figs. 16 and 17: a box slides down a steep incline; six formulations", "3 s",
                 "3 s", mazhar2014_incline_from_rest::run},
      Experiment{"mazhar2014-incline-to-rest",
                 "Figs. 19 and 20: a box comes to rest on an incline; six formulations", "3 s",
                 "3 s", mazhar2014_incline_to_rest::run},
      Experiment{"mangoni2015-fig1", "Fig. 1: residuals of one interior-point solve", "2 s", "15 s",
                 mangoni2015_fig1::run},
      Experiment{"mangoni2015-table1", "Table 1: iterations against matrix size", "30 s", "2 min",
                 mangoni2015_table1::run},
      Experiment{"mangoni2015-table2", "Table 2: none, partial and full warm start", "15 s", "15 s",
                 mangoni2015_table2::run},
      Experiment{"mangoni2015-mass-ratio", "Odd mass ratios: interior points against sweeps", "5 s",
                 "30 s", mangoni2015_mass_ratio::run},
      Experiment{"mangoni2015-redundant", "Sec. 4.3: redundant contacts, compliance", "1 s", "2 s",
                 mangoni2015_redundant::run},
      Experiment{"preclik2009-fig2", "Fig. 2: PGS and CPG on four friction models", "20 s",
                 "10 min", preclik2009_fig2::run},
      Experiment{"preclik2009-fig3",
                 "Figs. 3 and 4: velocity errors and active sets of PGS, CPG, Newton", "20 s",
                 "10 min", preclik2009_fig3::run},
      Experiment{"preclik2009-amg", "Sec. 3.4: algebraic multigrid over Gauss-Seidel", "10 s",
                 "40 s", preclik2009_amg::run},
      Experiment{"anitescu2002-stack", "136 discs by Algorithm 3 against the nonconvex problem",
                 "5 s", "40 s", anitescu2002_stack::run},
      Experiment{"anitescu2002-nonconvex", "Two solutions of a step whose mean is none", "1 s",
                 "1 s", anitescu2002_nonconvex::run},
      Experiment{"anitescu2002-fixed-point", "Algorithms 1 and 2: convergence against friction",
                 "15 s", "90 s", anitescu2002_fixed_point::run},
      Experiment{"anitescu2002-relaxation-error", "Algorithm 3: error against μ λ", "3 s", "3 s",
                 anitescu2002_relaxation_error::run},
      Experiment{"beyond-cpg", "CPG with one product per iteration, and on the circular cone",
                 "5 s", "1 min", beyond_cpg::run},
      Experiment{"beyond-heyn-coulomb", "Heyn's methods under Coulomb's law", "5 s", "2 min",
                 beyond_heyn_coulomb::run},
      Experiment{"beyond-amg", "Multigrid by transfer of velocities, as piles grow", "2 s", "2 min",
                 beyond_amg::run},
      Experiment{"beyond-newton-after-splitting", "When to switch from splitting to Newton", "6 s",
                 "30 s", beyond_newton_after_splitting::run},
      Experiment{"beyond-interior-warm-start", "Interior points: what a warm start saves", "8 s",
                 "5 min", beyond_interior_warm_start::run},
      Experiment{"beyond-associated-law", "How far the associated law is from Coulomb's", "3 s",
                 "90 s", beyond_associated_law::run},
      Experiment{"beyond-winners", "Who wins at 1e-3, 1e-6 and 1e-8, from 10² to 10⁵ contacts",
                 "30 s", "20 min", beyond_winners::run},
      Experiment{"closed-impacts", "Oblique impacts and bouncing balls under two laws of impact",
                 "2 s", "10 s", closed_impacts::run},
      Experiment{
          "closed-contacts",
          "Chain over a drum, pinched capsule, rolling friction, cohesion: limits and motion",
          "10 s", "1 min", closed_contacts::run},
      Experiment{"closed-springs", "Springs and dampers in joints, k h²/m from 1e-4 to 1e8", "1 s",
                 "3 s", closed_springs::run},
      Experiment{"closed-piles", "Random piles with cohesion, rolling, restitution and springs",
                 "10 s", "5 min", closed_piles::run},
      Experiment{"nature-bodies", "Rocking block, Painlevé's rod, tippe top", "5 s", "30 s",
                 nature_bodies::run},
      Experiment{"nature-grains", "Contacts of a pile without friction, flow out of a silo", "15 s",
                 "1 min", nature_grains::run},
      Experiment{"nature-structures",
                 "Overhanging bricks and round arches on the point of collapse", "10 s", "1 min",
                 nature_structures::run},
  };
  return all;
}

std::span<const Paper> papers() {
  static constexpr std::array all = {
      Paper{"heyn2013",
            "Heyn, Anitescu, Tasora, Negrut 2013: Krylov and spectral methods for contact"},
      Paper{"mazhar2014", "Mazhar, Melanz, Ferris, Negrut 2014: interior point against gradients"},
      Paper{"mangoni2015", "Mangoni, Tasora 2015: a primal-dual interior point method"},
      Paper{"preclik2009", "Preclik, Iglberger, Rüde 2009: iterative rigid multibody dynamics"},
      Paper{"anitescu2002", "Anitescu, Hart 2002: fixed points of convex relaxations"},
      Paper{"beyond", "Beyond the papers"},
      Paper{"closed", "Closed forms of contacts and joints"},
      Paper{"nature", "Laws of mechanics and of granular matter"},
  };
  return all;
}

std::string paper_of(const std::string& name) {
  return name.substr(0, name.find('-'));
}

std::vector<Experiment> chosen(const std::vector<std::string>& names) {
  const auto means = [](const std::string& wanted, const Experiment& experiment) {
    return wanted == experiment.name || wanted == paper_of(experiment.name);
  };
  for (const std::string& wanted : names)
    if (std::none_of(catalogue().begin(), catalogue().end(),
                     [&](const Experiment& experiment) { return means(wanted, experiment); })) {
      std::vector<std::string> known;
      for (const Experiment& experiment : catalogue()) known.push_back(experiment.name);
      throw InvalidArgument("unknown experiment " + unknown_name(wanted, known));
    }
  std::vector<Experiment> found;
  for (const Experiment& experiment : catalogue())
    if (names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& wanted) {
          return means(wanted, experiment);
        }))
      found.push_back(experiment);
  return found;
}

} // namespace talus::experiments
