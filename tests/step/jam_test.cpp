// A ball between a floor and a press that comes down: no motion satisfies both contacts.

#include "io/scene_text.h"
#include "step/step_test_support.h"
#include "talus/step/simulation.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

constexpr const char* press = R"(
step: 1/200
duration: 2
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: press, motion: kinematic, shape: {type: box, size: [4, 4, 1]}, position: [0, 0, 1.52],
     drive: {amplitude: [0, 0, -0.05], frequency: 1}}
  - {name: ball, shape: {type: sphere, radius: 0.5}, position: [0, 0, 0.5]}
)";

TEST(Jam, NoStepClaimsWhatIsNotSo) {
  for (const char* solver : {"auto", "gpminres", "gpminres-p", "kucera", "cpg"}) {
    SCOPED_TRACE(solver);
    Scene scene = test::scene_from(press);
    scene.options.solver = solver;
    scene.options.max_iterations = 3000;
    Simulation simulation(std::move(scene.world), rigid(scene.options));
    int infeasible = 0;
    for (int step = 0; step < 400; ++step) {
      const StepReport& report = simulation.step();
      infeasible += report.status == Status::infeasible;
      if (report.status == Status::infeasible) {
        for (const char* body : {"'floor'", "'press'", "'ball'"})
          EXPECT_NE(std::string::npos, report.message.find(body)) << report.message;
      }
      // A converged step moves the contact points as it claims: none gets deeper.
      if (report.converged()) {
        EXPECT_LE(report.violation, 1e-6);
      }
      for (const Vec3& impulse : simulation.contact_impulses()) EXPECT_LT(norm(impulse), 1e7);
      // The violation is shared: the ball is squeezed by 0.03 m in all.
      EXPECT_LT(report.max_penetration, 0.031);
    }
    EXPECT_GT(infeasible, 100);
  }
}

} // namespace
} // namespace talus
