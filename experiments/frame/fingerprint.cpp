#include "fingerprint.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace talus::experiments {
namespace {

/// Like FNV-1a with 64 bits, but 32 bits at a time, and high bits come back into low ones. Every
/// list is preceded by its length, so that numbers cannot wander from one list to the next unseen.
class Hash {
public:
  void add(std::uint64_t word) { value_ = (value_ ^ word) * 1099511628211ULL ^ (value_ >> 29); }
  template <class Item>
  void add(const std::vector<Item>& items) {
    static_assert(std::is_trivially_copyable_v<Item> && sizeof(Item) % sizeof(std::uint32_t) == 0);
    add(std::uint64_t{items.size()});
    const auto* bytes = reinterpret_cast<const unsigned char*>(items.data());
    for (std::size_t at = 0; at < items.size() * sizeof(Item); at += sizeof(std::uint32_t)) {
      std::uint32_t word;
      std::memcpy(&word, bytes + at, sizeof word);
      add(std::uint64_t{word});
    }
  }
  void add(const SparseMatrix& matrix) {
    add(static_cast<std::uint64_t>(matrix.rows));
    add(static_cast<std::uint64_t>(matrix.columns));
    add(matrix.row_start);
    add(matrix.column);
    add(matrix.value);
  }
  void add(const LocalModel& model) { all(model.W, model.q, model.V, model.R, model.s, model.U); }
  void add(const GlobalModel& model) { all(model.M, model.H, model.f, model.w, model.G, model.b); }
  void add(const RigidModel& model) {
    all(model.inverse_mass, model.free_velocity, model.contact_bodies, model.contacts, model.w,
        model.row_bodies, model.rows, model.b);
  }
  template <class... Parts>
  void all(const Parts&... parts) {
    (add(parts), ...);
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

private:
  std::uint64_t value_ = 14695981039346656037ULL;
};

} // namespace

std::string fingerprint(const ContactProblem& problem) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(problem.dimension));
  hash.add(static_cast<std::uint64_t>(problem.friction.kind));
  hash.add(static_cast<std::uint64_t>(problem.friction.facets));
  hash.add(static_cast<std::uint64_t>(problem.law));
  hash.all(problem.mu, problem.normal_estimate, problem.row_lower, problem.row_upper,
           problem.compliance);
  hash.add(static_cast<std::uint64_t>(problem.model.index()));
  std::visit([&](const auto& model) { hash.add(model); }, problem.model);
  return hash.text();
}

std::string fingerprint(const Vector& numbers) {
  Hash hash;
  hash.add(numbers);
  return hash.text();
}

Json inputs_of(const StepOptions& options) {
  Json settings = Json::object();
  for (const auto& [name, value] : options.solver_options) settings[name] = value;
  return {{"step", options.step},
          {"law", to_string(options.law)},
          {"friction", to_string(options.friction)},
          {"solver", options.solver},
          {"settings", settings},
          {"tolerance", options.tolerance},
          {"iterations", options.max_iterations},
          {"envelope", options.envelope},
          {"warm_start", options.warm_start}};
}

} // namespace talus::experiments
