#pragma once
// A simulation that somebody plays with: a thread steps it, no faster than real time, and does what
// is asked between two steps. The page gets the newest state.

#include "data_package.h"
#include "talus/io/scene.h"
#include "talus/io/sensor.h"
#include "talus/step/simulation.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace talus::cli {

/// What one may ask for.
namespace asked {
struct Pause {
  bool on = true;
};
struct Step {}; ///< One step, then pause.
struct Reset {};
struct Speed {
  double factor = 1; ///< Of real time.
};
/// A spring pulls the point of a body to a place.
struct Drag {
  Index body = 0;
  Vec3 point, target; ///< In the body frame; in the world.
};
struct Release {};
struct Drop {
  bool ball = true; ///< Or a cube.
  double size = 0;  ///< Radius, or half the edge, m.
  Vec3 place, velocity;
};
struct Friction {
  Index material = 0;
  double value = 0;
};
} // namespace asked
using PlayRequest = std::variant<asked::Pause, asked::Step, asked::Reset, asked::Speed, asked::Drag,
                                 asked::Release, asked::Drop, asked::Friction>;

class PlaySession {
public:
  /// The scene with its world; `options` as it is to be stepped.
  PlaySession(Scene scene, StepOptions options);
  /// Ends a step that is under way.
  ~PlaySession();

  /// Done before the next step. Throws BadRequest (local_server.h) for what cannot be done.
  void ask(const PlayRequest& request);

  /// What does not move, of the world as it is now, and its number: it grows when bodies come.
  std::pair<long, std::string> model();
  /// The newest state as a package, waiting up to `patience` for one after number `seen`.
  std::string state(long seen, std::chrono::milliseconds patience);

private:
  void start();
  void run();
  bool step();
  void carry_out(const PlayRequest& request);
  void pull();
  void let_go();
  void publish();
  std::string described() const;

  Scene scene_; ///< Without its world.
  World initial_;
  StepOptions options_;
  std::vector<Sensor> sensors_;
  std::optional<Simulation> simulation_;

  std::mutex mutex_; ///< Of all below.
  std::condition_variable asked_, published_;
  std::vector<PlayRequest> requests_;
  std::string state_, model_;
  long number_ = 0, revision_ = 0;
  Index bodies_ = 0, materials_ = 0; ///< As of the newest state.
  std::size_t dropped_ = 0;
  std::atomic<bool> ending_ = false;

  // Of the stepping thread alone.
  bool paused_ = false, single_ = false;
  double speed_ = 1, achieved_ = 0;
  std::string trouble_;
  struct GripState {
    Index body = 0;
    Vec3 point, target;
    Wrench load; ///< That the body had before.
  };
  std::optional<GripState> grip_;
  std::thread thread_;
};

} // namespace talus::cli
