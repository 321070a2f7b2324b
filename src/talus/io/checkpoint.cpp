#include "talus/io/checkpoint.h"

#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/io/checkpoint_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace talus {

namespace {

constexpr const char* format_name = "talus checkpoint";
constexpr std::int32_t format_version = 1;
constexpr const char* description_name = "/description/text";
constexpr const char* built_from = "built_from";
constexpr int compression = 4;

/// A list of structs as flat numbers: `width` of them for each.
template <class Item, class Write>
Vector flattened(const std::vector<Item>& items, std::size_t width, Write&& write) {
  Vector numbers(items.size() * width);
  for (std::size_t i = 0; i < items.size(); ++i) write(items[i], &numbers[i * width]);
  return numbers;
}

void put(double* to, const Vec3& v) {
  to[0] = v.x, to[1] = v.y, to[2] = v.z;
}
void put(double* to, const Quaternion& q) {
  to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
}

/// Tables of a file: written at once, or growing block by block.
struct Tables {
  Hdf5File& file;
  bool grow = false;

  /// Rows of `width` numbers; of one number each where it is 0.
  template <class Number>
  void write(const std::string& name, std::span<const Number> numbers, std::size_t width) const {
    constexpr std::size_t rows_per_chunk = 4096;
    const bool flat = width == 0;
    const std::size_t rows = numbers.size() / std::max<std::size_t>(1, width);
    if (!grow) {
      file.write<Number>(name, numbers, flat ? Hdf5Shape{} : Hdf5Shape{rows, width});
      return;
    }
    if (!file.has(name))
      file.make_table<Number>(name, flat ? Hdf5Shape{} : Hdf5Shape{width}, rows_per_chunk);
    if (rows > 0) file.append<Number>(name, numbers);
  }
};

void write_bodies(const Tables& tables, const std::vector<BodyState>& bodies) {
  const auto table = [&](const char* name, std::size_t width, auto&& write) {
    tables.write<double>(std::string("/state/bodies/") + name, flattened(bodies, width, write),
                         width);
  };
  table("position", 3, [](const BodyState& b, double* to) { put(to, b.pose.position); });
  table("orientation", 4, [](const BodyState& b, double* to) { put(to, b.pose.rotation); });
  table("velocity", 3, [](const BodyState& b, double* to) { put(to, b.velocity); });
  table("angular_velocity", 3, [](const BodyState& b, double* to) { put(to, b.angular_velocity); });
}

void write_impulses(const Tables& tables, const WarmStart& cache) {
  const std::string group = "/state/warm_start/";
  std::vector<std::int64_t> keys;
  for (const CachedImpulse& item : cache.contacts) {
    const auto [first, second] = item.key;
    keys.insert(keys.end(), {item.collider_a, item.collider_b, std::bit_cast<std::int64_t>(first),
                             std::bit_cast<std::int64_t>(second)});
  }
  const auto vectors = [&](const char* name, const auto& items, auto&& write) {
    tables.write<double>(group + name, flattened(items, 3, write), 3);
  };
  const auto put_vector = [](const Vec3& v, double* to) { put(to, v); };
  tables.write<std::int64_t>(group + "contact_keys", keys, 4);
  vectors("contact_impulses", cache.contacts,
          [](const CachedImpulse& c, double* to) { put(to, c.impulse); });
  if (!cache.normals.empty()) vectors("contact_normals", cache.normals, put_vector);
  if (!cache.moments.empty()) vectors("contact_moments", cache.moments, put_vector);
  if (!cache.shear.empty()) tables.write<double>(group + "contact_shear", cache.shear, 0);
}

void write_multipliers(Hdf5File& file, const WarmStart& cache) {
  const std::string group = "/state/warm_start/";
  std::vector<std::int64_t> rows;
  Vector multipliers;
  for (const CachedMultiplier& item : cache.rows) {
    rows.insert(rows.end(), {item.joint, item.row});
    multipliers.push_back(item.value);
  }
  file.write<std::int64_t>(group + "rows", rows, {cache.rows.size(), 2});
  file.write<double>(group + "multipliers", multipliers);
}

void write_bonds(const Tables& tables, const std::vector<Bond>& bonds) {
  std::vector<std::int64_t> pairs;
  Vector origins;
  for (const Bond& bond : bonds) {
    pairs.insert(pairs.end(), {bond.collider_a, bond.collider_b, bond.broken ? 1 : 0});
    origins.push_back(bond.origin);
  }
  tables.write<std::int64_t>("/state/bonds/pairs", pairs, 3);
  tables.write<double>("/state/bonds/origins", origins, 0);
}

/// What ranks have blocks of.
void write_blocks(const Tables& tables, const SimulationState& state) {
  write_bodies(tables, state.bodies);
  const std::vector<std::int64_t> removed(state.removed.begin(), state.removed.end());
  if (!removed.empty()) tables.write<std::int64_t>("/state/removed", removed, 0);
  write_impulses(tables, state.warm_start);
  if (!state.bonds.empty()) write_bonds(tables, state.bonds);
}

/// The part of all tables that is read.
struct BlockOf {
  std::size_t rank = 0, ranks = 1;

  std::size_t first(std::size_t rows, std::size_t of) const {
    return std::min(rows, of * ((rows + ranks - 1) / ranks));
  }
  std::size_t begin(std::size_t rows) const { return first(rows, rank); }
  std::size_t count(std::size_t rows) const { return first(rows, rank + 1) - begin(rows); }
};

/// Reads a block of a table and checks the extent of all of it.
template <class Number>
std::vector<Number> read_table(const Hdf5File& file, const std::string& name, std::size_t rows,
                               std::size_t width, const BlockOf& block = {}) {
  const Hdf5Shape expected = width == 1 ? Hdf5Shape{rows} : Hdf5Shape{rows, width};
  if (file.shape(name) != expected)
    throw FileError(file.path(), fmt::format("{} does not have {} rows of {}", name, rows, width));
  if (block.count(rows) == 0) return {};
  auto numbers = block.ranks == 1
                     ? file.read<Number>(name)
                     : file.read_rows<Number>(name, block.begin(rows), block.count(rows));
  if constexpr (std::is_floating_point_v<Number>)
    for (const Number number : numbers)
      if (!std::isfinite(number)) throw FileError(file.path(), name + " is not finite");
  return numbers;
}

double read_number(const Hdf5File& file, const std::string& name) {
  const auto number = file.read_value<double>(name);
  if (!std::isfinite(number)) throw FileError(file.path(), name + " is not finite");
  return number;
}

Vec3 vector_at(const std::vector<double>& numbers, std::size_t i) {
  return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
}

std::vector<BodyState> read_bodies(const Hdf5File& file, const BlockOf& block) {
  const std::string group = "/state/bodies/";
  const Hdf5Shape extent = file.shape(group + "position");
  const std::size_t count = extent.empty() ? 0 : extent[0];
  const auto position = read_table<double>(file, group + "position", count, 3, block);
  const auto turn = read_table<double>(file, group + "orientation", count, 4, block);
  const auto velocity = read_table<double>(file, group + "velocity", count, 3, block);
  const auto spin = read_table<double>(file, group + "angular_velocity", count, 3, block);
  std::vector<BodyState> bodies(block.count(count));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].pose.position = vector_at(position, i);
    bodies[i].pose.rotation = {turn[4 * i], turn[4 * i + 1], turn[4 * i + 2], turn[4 * i + 3]};
    bodies[i].velocity = vector_at(velocity, i);
    bodies[i].angular_velocity = vector_at(spin, i);
  }
  return bodies;
}

WarmStart read_warm_start(const Hdf5File& file, const BlockOf& block) {
  const std::string group = "/state/warm_start/";
  WarmStart cache;
  cache.step = read_number(file, group + "step");
  const Hdf5Shape contact_extent = file.shape(group + "contact_keys");
  const Hdf5Shape row_extent = file.shape(group + "rows");
  const std::size_t contacts = contact_extent.empty() ? 0 : contact_extent[0];
  const std::size_t rows = row_extent.empty() ? 0 : row_extent[0];
  const auto keys = read_table<std::int64_t>(file, group + "contact_keys", contacts, 4, block);
  const auto impulses = read_table<double>(file, group + "contact_impulses", contacts, 3, block);
  for (std::size_t i = 0; i < block.count(contacts); ++i) {
    const std::int64_t* k = &keys[4 * i];
    cache.contacts.push_back(
        {static_cast<Index>(k[0]), static_cast<Index>(k[1]),
         FeatureKey{std::bit_cast<std::uint64_t>(k[2]), std::bit_cast<std::uint64_t>(k[3])},
         vector_at(impulses, i)});
  }
  if (file.has(group + "contact_normals")) {
    const auto normals = read_table<double>(file, group + "contact_normals", contacts, 3, block);
    for (std::size_t i = 0; i < block.count(contacts); ++i)
      cache.normals.push_back(vector_at(normals, i));
  }
  if (file.has(group + "contact_moments")) {
    const auto moments = read_table<double>(file, group + "contact_moments", contacts, 3, block);
    for (std::size_t i = 0; i < block.count(contacts); ++i)
      cache.moments.push_back(vector_at(moments, i));
  }
  if (file.has(group + "contact_shear"))
    cache.shear = read_table<double>(file, group + "contact_shear", contacts, 1, block);
  const auto row_keys = read_table<std::int64_t>(file, group + "rows", rows, 2);
  const auto values = read_table<double>(file, group + "multipliers", rows, 1);
  for (std::size_t i = 0; i < rows; ++i)
    cache.rows.push_back(
        {static_cast<Index>(row_keys[2 * i]), static_cast<Index>(row_keys[2 * i + 1]), values[i]});
  return cache;
}

std::vector<Bond> read_bonds(const Hdf5File& file, const BlockOf& block) {
  std::vector<Bond> bonds;
  if (!file.has("/state/bonds/pairs")) return bonds;
  const Hdf5Shape extent = file.shape("/state/bonds/pairs");
  const std::size_t count = extent.empty() ? 0 : extent[0];
  const auto pairs = read_table<std::int64_t>(file, "/state/bonds/pairs", count, 3, block);
  const auto origins = read_table<double>(file, "/state/bonds/origins", count, 1, block);
  for (std::size_t i = 0; i < block.count(count); ++i)
    bonds.push_back({static_cast<Index>(pairs[3 * i]), static_cast<Index>(pairs[3 * i + 1]),
                     pairs[3 * i + 2] != 0, origins[i]});
  return bonds;
}

std::int64_t read_count(const Hdf5File& file, const std::string& name) {
  const auto count = file.read_value<std::int64_t>(name);
  constexpr std::int64_t most = 1'000'000'000'000'000; // no run gets there
  if (count < 0 || count > most)
    throw FileError(file.path(),
                    fmt::format("{} is {}; from 0 to {} is possible", name, count, most));
  return count;
}

SceneSource read_source(const Hdf5File& file) {
  SceneSource source;
  source.path = file.read_string("/scene/path");
  source.text = file.read_string("/scene/text");
  const auto overrides = read_count(file, "/scene/override_count");
  for (std::int64_t i = 0; i < overrides; ++i)
    source.overrides.push_back(file.read_string(fmt::format("/scene/overrides/{}", i)));
  const auto files = read_count(file, "/scene/file_count");
  for (std::int64_t i = 0; i < files; ++i) {
    const std::string group = fmt::format("/scene/files/{}", i);
    const auto bytes = file.read<std::uint8_t>(group + "/bytes");
    source.files.push_back(
        {file.read_string(group + "/name"), std::string(bytes.begin(), bytes.end())});
  }
  return source;
}

} // namespace

namespace {
std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
} // namespace

void write_scene_source(Hdf5File& file, const SceneSource& source) {
  file.write_string("/scene/path", source.path);
  file.write_string("/scene/text", source.text);
  file.write_value<std::int64_t>("/scene/override_count",
                                 static_cast<std::int64_t>(source.overrides.size()));
  for (std::size_t i = 0; i < source.overrides.size(); ++i)
    file.write_string(fmt::format("/scene/overrides/{}", i), source.overrides[i]);
  file.write_value<std::int64_t>("/scene/file_count",
                                 static_cast<std::int64_t>(source.files.size()));
  for (std::size_t i = 0; i < source.files.size(); ++i) {
    const std::string group = fmt::format("/scene/files/{}", i);
    const std::string& bytes = source.files[i].bytes;
    file.write_string(group + "/name", source.files[i].name);
    file.write<std::uint8_t>(group + "/bytes", bytes_of(bytes));
  }
}

static void write_head(Hdf5File& file, const SceneSource& source, const SimulationState& state) {
  file.write_string_attribute("/", "format", format_name);
  file.write_attribute<std::int32_t>("/", "version", format_version);
  write_scene_source(file, source);
  file.write_value<double>("/state/time", state.time);
  file.write_value<std::int64_t>("/state/steps", state.steps);
  file.write<double>("/state/joint_coordinates", state.joint_coordinates);
  file.write_value<double>("/state/warm_start/step", state.warm_start.step);
  write_multipliers(file, state.warm_start);
}

void write_checkpoint(const std::string& path, const SceneSource& source,
                      const std::string& description, const SimulationState& state) {
  AtomicFile target(path);
  Hdf5File file = Hdf5File::create(target);
  write_head(file, source, state);
  if (!description.empty())
    file.write<std::uint8_t>(description_name, bytes_of(description), {}, compression);
  write_blocks({file}, state);
  file.close();
  target.commit();
}

void begin_checkpoint_of_blocks(const AtomicFile& target, const SceneSource& source,
                                const SimulationState& first) {
  Hdf5File file = Hdf5File::create(target);
  write_head(file, source, first);
  file.write_string_attribute("/", built_from, "scene");
  write_blocks({file, true}, first);
  file.close();
}

void append_checkpoint_block(const std::string& temporary_path, const SimulationState& block) {
  Hdf5File file = Hdf5File::open_to_append(temporary_path);
  write_blocks({file, true}, block);
  file.close();
}

Checkpoint read_checkpoint(const std::string& path) {
  return read_checkpoint_block(path, 0, 1);
}

Checkpoint read_checkpoint_block(const std::string& path, int rank, int ranks) {
  const BlockOf block{static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks)};
  const Hdf5File file = Hdf5File::open(path);
  if (!file.has_attribute("/", "format") ||
      file.read_string_attribute("/", "format") != format_name)
    throw FileError(path, "is an HDF5 file, but not a checkpoint of talus");
  const auto version = file.read_attribute<std::int32_t>("/", "version");
  if (version != format_version)
    throw FileError(path,
                    fmt::format("is a checkpoint of version {}; this program reads version {}",
                                version, format_version));
  Checkpoint checkpoint;
  checkpoint.path = path;
  checkpoint.source = read_source(file);
  checkpoint.built_from_scene = file.has_attribute("/", built_from);
  if (file.has(description_name)) {
    const auto bytes = file.read<std::uint8_t>(description_name);
    checkpoint.description.assign(bytes.begin(), bytes.end());
  }
  checkpoint.state.time = read_number(file, "/state/time");
  if (checkpoint.state.time < 0) throw FileError(path, "/state/time is negative");
  checkpoint.state.steps = read_count(file, "/state/steps");
  checkpoint.state.bodies = read_bodies(file, block);
  const Hdf5Shape joints = file.shape("/state/joint_coordinates");
  checkpoint.state.joint_coordinates =
      read_table<double>(file, "/state/joint_coordinates", joints.empty() ? 0 : joints[0], 1);
  if (file.has("/state/removed"))
    for (const std::int64_t body : file.read<std::int64_t>("/state/removed")) {
      if (!std::in_range<Index>(body)) throw FileError(path, "/state/removed is out of range");
      const std::size_t bodies = file.shape("/state/bodies/position")[0];
      const auto place = static_cast<std::size_t>(body) - block.begin(bodies); // wraps below
      if (block.ranks > 1 && place >= block.count(bodies)) continue;
      checkpoint.state.removed.push_back(static_cast<Index>(body));
    }
  checkpoint.state.warm_start = read_warm_start(file, block);
  checkpoint.state.bonds = read_bonds(file, block);
  return checkpoint;
}

namespace {

/// Checkpoints without a description are older than compliant contacts and automatic tolerances;
/// their runs go on as they began.
Scene scene_of_old_checkpoint(const Checkpoint& checkpoint) {
  Scene scene = build_scene(checkpoint.source);
  for (StepOptions* options : {&scene.options, &scene.description.step}) {
    options->relative_compliance = 0;
    if (options->tolerance < 0) options->tolerance = 1e-8;
  }
  return scene;
}

} // namespace

Scene scene_of(const Checkpoint& checkpoint) {
  if (checkpoint.built_from_scene) return build_scene(checkpoint.source);
  if (checkpoint.description.empty()) return scene_of_old_checkpoint(checkpoint);
  return build_scene(parse_description(checkpoint.description, checkpoint.path + description_name),
                     checkpoint.source);
}

} // namespace talus
