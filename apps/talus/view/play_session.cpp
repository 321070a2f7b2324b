#include "play_session.h"

#include "play_state.h"
#include "server/local_server.h"
#include "support/temporary_folder.h"
#include "talus/io/output/trajectory.h"
#include "talus/shape/shape.h"
#include "viewed_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double pictures_per_second = 60;
constexpr Index most_bodies = 20000;
constexpr std::size_t most_dropped = 2000, most_waiting = 10000;
constexpr double drag_rate = 14; ///< 1/s: ω of the spring that drags, damped critically.

void require(bool good, const char* what) {
  if (!good) throw BadRequest(what);
}

} // namespace

PlaySession::PlaySession(Scene scene, StepOptions options)
    : scene_(std::move(scene)), initial_(std::move(scene_.world)), options_(std::move(options)) {
  options_.stop = &ending_;
  for (const SensorDescription& each : scene_.description.sensors)
    sensors_.emplace_back(each, initial_);
  start();
  publish();
  thread_ = std::thread([this] { run(); });
}

PlaySession::~PlaySession() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  asked_.notify_all();
  published_.notify_all();
  thread_.join();
}

void PlaySession::start() {
  grip_.reset();
  simulation_.emplace(initial_, options_);
  std::string model = described();
  const std::lock_guard lock(mutex_);
  dropped_ = 0;
  model_ = std::move(model);
  bodies_ = initial_.size();
  materials_ = initial_.materials.size();
  ++revision_;
}

/// As `talus view` would tell it of a trajectory.
std::string PlaySession::described() const {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trajectory.h5";
  TrajectoryWriter(path, scene_, simulation_->world(), std::nullopt).close();
  return viewed_model(TrajectoryReader(path).file()).bytes();
}

void PlaySession::ask(const PlayRequest& request) {
  const std::lock_guard lock(mutex_);
  if (const auto* drag = std::get_if<asked::Drag>(&request)) {
    if (drag->body < 0 || drag->body >= bodies_)
      throw BadRequest(fmt::format("there is no body {}; there are {}", drag->body, bodies_));
    require(is_finite(drag->point) && is_finite(drag->target), "the points must be finite");
    require(norm(drag->target) < 1e6 && norm(drag->point) < 1e6, "the points are too far away");
  }
  if (const auto* drop = std::get_if<asked::Drop>(&request)) {
    require(drop->size >= 1e-4 && drop->size <= 1e3, "size must be from 1e-4 to 1e3 m");
    require(is_finite(drop->place) && norm(drop->place) < 1e6, "the place is too far away");
    require(is_finite(drop->velocity) && norm(drop->velocity) < 1e3, "the velocity is too large");
    require(dropped_ < most_dropped && bodies_ < most_bodies, "there are too many bodies already");
  }
  if (const auto* friction = std::get_if<asked::Friction>(&request)) {
    if (friction->material < 0 || friction->material >= materials_)
      throw BadRequest(
          fmt::format("there is no material {}; there are {}", friction->material, materials_));
    require(friction->value >= 0 && friction->value <= 10, "friction must be from 0 to 10");
  }
  if (const auto* speed = std::get_if<asked::Speed>(&request))
    require(speed->factor >= 0.01 && speed->factor <= 100, "speed must be from 0.01 to 100");
  require(requests_.size() < most_waiting, "too many requests wait for the step to end");
  // Only the newest place matters.
  if (std::holds_alternative<asked::Drag>(request) && !requests_.empty() &&
      std::holds_alternative<asked::Drag>(requests_.back()))
    requests_.back() = request;
  else
    requests_.push_back(request);
  asked_.notify_all();
}

std::pair<long, std::string> PlaySession::model() {
  const std::lock_guard lock(mutex_);
  return {revision_, model_};
}

std::string PlaySession::state(long seen, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  published_.wait_for(lock, patience, [&] { return number_ > seen || ending_; });
  return state_;
}

void PlaySession::run() {
  Clock::time_point shown = Clock::now(), since = shown; // `since`: real and simulated time agreed
  double simulated = simulation_->time();
  while (!ending_) {
    std::vector<PlayRequest> requests;
    {
      std::unique_lock lock(mutex_);
      if (paused_ && !single_)
        asked_.wait_for(lock, std::chrono::milliseconds(200),
                        [&] { return !requests_.empty() || ending_; });
      requests.swap(requests_);
    }
    for (const PlayRequest& request : requests) carry_out(request);
    if (!requests.empty() || paused_) since = Clock::now(), simulated = simulation_->time();
    const bool moved = (!paused_ || single_) && !ending_ && step();
    single_ = false;
    const auto now = Clock::now();
    const std::chrono::duration<double> since_shown = now - shown;
    if (!requests.empty() ||
        (moved && (paused_ || since_shown.count() > 1 / pictures_per_second))) {
      publish();
      shown = now;
    }
    if (!moved) continue;
    // As fast as asked for, or as fast as it can: what was missed is not made up for.
    const std::chrono::duration<double> real = now - since;
    const double due = (simulation_->time() - simulated) / speed_;
    achieved_ = real.count() > 0 ? (simulation_->time() - simulated) / real.count() : 0;
    std::unique_lock lock(mutex_);
    if (due > real.count())
      asked_.wait_for(lock, std::chrono::duration<double>(due - real.count()),
                      [&] { return !requests_.empty() || ending_; });
    if (real.count() > 1) since = Clock::now(), simulated = simulation_->time();
  }
}

/// False when it could not be made; the session is then paused and says why.
bool PlaySession::step() {
  try {
    pull();
    const StepReport& report = simulation_->step();
    trouble_ = report.converged() ? "" : report.message;
    return true;
  } catch (const std::exception& error) {
    if (!ending_) trouble_ = error.what();
    paused_ = true;
    publish();
    return false;
  }
}

/// m ẍ = k (target - x) - c ẋ, taken at the end of the step so that it is stable for every h, and
/// the weight, which would make the body hang below the pointer.
void PlaySession::pull() {
  if (!grip_) return;
  World& world = simulation_->world();
  const Body& body = world.body(grip_->body);
  const BodyState& state = world.state(grip_->body);
  const double h = simulation_->options().step, m = body.mass;
  const double k = m * drag_rate * drag_rate, c = 2 * m * drag_rate;
  const Vec3 arm = rotate(state.pose.rotation, grip_->point);
  const Vec3 velocity = state.velocity + cross(state.angular_velocity, arm);
  const Vec3 away = grip_->target - state.pose.position - arm;
  Vec3 force = (m / (m + h * c + h * h * k)) * (k * (away - h * velocity) - c * velocity);
  const double most = 60 * m * (norm(world.gravity) + 1);
  if (norm(force) > most) force = (most / norm(force)) * force;
  if (!body.floats) force -= m * world.gravity;
  const double inertia = std::max({body.moments.x, body.moments.y, body.moments.z});
  const double damping = inertia * drag_rate / (1 + h * drag_rate);
  Wrench load = grip_->load;
  load.force += force;
  load.torque += cross(arm, force) - damping * state.angular_velocity;
  world.set_load(grip_->body, load);
}

void PlaySession::let_go() {
  if (grip_) simulation_->world().set_load(grip_->body, grip_->load);
  grip_.reset();
}

void PlaySession::carry_out(const PlayRequest& request) {
  World& world = simulation_->world();
  const auto drag = [&](const asked::Drag& d) {
    if (d.body >= world.size() || world.body(d.body).kind != BodyKind::dynamic) return;
    if (!grip_ || grip_->body != d.body) {
      let_go();
      grip_ = GripState{d.body, d.point, d.target, world.body(d.body).load()};
    }
    grip_->point = d.point;
    grip_->target = d.target;
  };
  const auto drop = [&](const asked::Drop& d) {
    const ShapePtr shape = d.ball ? make_sphere(d.size) : make_box({d.size, d.size, d.size});
    world.add(
        body(fmt::format("dropped {}", dropped_ + 1)).with(shape).at(d.place).moving(d.velocity));
    std::string model = described();
    const std::lock_guard lock(mutex_);
    model_ = std::move(model);
    bodies_ = world.size();
    ++dropped_;
    ++revision_;
  };
  const auto set_friction = [&](const asked::Friction& f) {
    Material material = world.materials[f.material];
    material.friction = f.value;
    world.materials.replace(f.material, material);
  };
  try {
    if (const auto* pause = std::get_if<asked::Pause>(&request)) paused_ = pause->on;
    if (std::holds_alternative<asked::Step>(request)) paused_ = single_ = true;
    if (std::holds_alternative<asked::Reset>(request)) start();
    if (const auto* speed = std::get_if<asked::Speed>(&request)) speed_ = speed->factor;
    if (const auto* d = std::get_if<asked::Drag>(&request)) drag(*d);
    if (std::holds_alternative<asked::Release>(request)) let_go();
    if (const auto* d = std::get_if<asked::Drop>(&request)) drop(*d);
    if (const auto* f = std::get_if<asked::Friction>(&request)) set_friction(*f);
    trouble_.clear();
  } catch (const std::exception& error) {
    trouble_ = error.what();
  }
}

void PlaySession::publish() {
  const PlayFacts facts{
      number_ + 1, revision_, paused_, speed_, achieved_, trouble_, grip_ ? grip_->body : -1};
  std::string state = package_of(*simulation_, sensors_, facts).bytes();
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
  ++number_;
  published_.notify_all();
}

} // namespace talus::cli
