#include "talus/io/import/mjcf_document.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

namespace talus::robot {

namespace {

constexpr int deepest_include = 10;
constexpr const char* main_class = "main";

Vec3 unit_axis(const MjcfElement& element, const Vec3& axis, const char* what) {
  if (!(norm(axis) > 1e-12)) element.fail(fmt::format("{} has length zero", what));
  return normalized(axis);
}

} // namespace

const XmlElement& MjcfElement::holder(std::string_view attribute) const {
  const XmlElement* found = own_.find(attribute) ? &own_ : nullptr;
  for (const XmlElement& each : defaults_)
    if (each.find(attribute) && !found) found = &each;
  return found ? *found : own_;
}

std::optional<std::string> MjcfElement::find(std::string_view attribute) const {
  return holder(attribute).find(attribute);
}
std::optional<std::vector<double>> MjcfElement::numbers(std::string_view attribute,
                                                        std::size_t least, std::size_t most) const {
  return holder(attribute).numbers(attribute, least, most);
}
std::optional<double> MjcfElement::number(std::string_view attribute) const {
  return holder(attribute).number(attribute);
}
std::optional<Vec3> MjcfElement::vector(std::string_view attribute) const {
  return holder(attribute).vector(attribute);
}
std::optional<bool> MjcfElement::flag(std::string_view attribute) const {
  return holder(attribute).flag(attribute);
}

bool is_limited(const MjcfElement& element, std::string_view flag, std::string_view range,
                bool autolimits) {
  const auto given = element.find(flag);
  const bool has_range = element.find(range).has_value();
  if (!given || *given == "auto") return has_range && autolimits;
  if (*element.flag(flag) && !has_range)
    element.fail(fmt::format("'{}' is true, but '{}' is missing", flag, range));
  return *element.flag(flag);
}

MjcfDocument::MjcfDocument(const ModelFiles& files)
    : files_(files), asked_(std::make_shared<AskedFor>()) {
  auto& file = loaded_[files.model()];
  file = std::make_unique<XmlFile>(files.model(), files.text(), asked_);
  root_ = file->root("mujoco");
  read_compiler();
  classes_[main_class];
  for (const XmlElement& each : children(root_))
    if (each.name() == "default") read_classes(each, "");
}

std::vector<XmlElement> MjcfDocument::children(const XmlElement& parent) {
  std::vector<XmlElement> all;
  for (const XmlElement& each : parent.all_children()) {
    if (each.name() != "include") {
      all.push_back(each);
      continue;
    }
    each.mark();
    if (++include_depth_ > deepest_include)
      each.fail(fmt::format("files include each other more than {} deep, or in a circle",
                            deepest_include));
    const std::string path = files_.resolve(each.text("file"), "", each.place());
    auto& file = loaded_[path];
    if (!file) file = std::make_unique<XmlFile>(path, files_.read(path, each.place()), asked_);
    const std::string name = file->root_name();
    if (name != "mujocoinclude" && name != "mujoco")
      each.fail(fmt::format("{} begins with <{}>, <mujocoinclude> was expected", path, name));
    const XmlElement root = file->root(name);
    root.skip("model");
    for (const XmlElement& inner : children(root)) all.push_back(inner);
    --include_depth_;
  }
  return all;
}

std::vector<XmlElement> MjcfDocument::section(std::string_view name) {
  std::vector<XmlElement> all;
  for (const XmlElement& each : children(root_)) {
    if (each.name() != name) continue;
    each.mark();
    for (const XmlElement& inner : children(each)) all.push_back(inner);
  }
  return all;
}

void MjcfDocument::read_compiler() {
  for (const XmlElement& c : children(root_)) {
    if (c.name() != "compiler") continue;
    c.mark();
    const auto word = [&](const char* name, std::initializer_list<std::string_view> allowed) {
      const auto value = c.find(name);
      if (value && std::find(allowed.begin(), allowed.end(), *value) == allowed.end())
        c.fail(fmt::format("{}: '{}' is not one of {}", name, *value, fmt::join(allowed, ", ")));
      return value;
    };
    if (const auto angle = word("angle", {"degree", "radian"}))
      compiler_.degrees = *angle == "degree";
    if (const auto coordinate = word("coordinate", {"local", "global"}); coordinate == "global")
      c.fail("global coordinates are not supported (MuJoCo has given them up, too)");
    if (const auto from = word("inertiafromgeom", {"true", "false", "auto"}))
      compiler_.from_geoms = *from == "true"    ? MjcfCompiler::Inertia::always
                             : *from == "false" ? MjcfCompiler::Inertia::never
                                                : MjcfCompiler::Inertia::automatic;
    compiler_.autolimits = c.flag("autolimits").value_or(compiler_.autolimits);
    compiler_.balance_inertia = c.flag("balanceinertia").value_or(compiler_.balance_inertia);
    compiler_.strip_path = c.flag("strippath").value_or(compiler_.strip_path);
    compiler_.least_mass = c.number("boundmass", compiler_.least_mass);
    compiler_.least_inertia = c.number("boundinertia", compiler_.least_inertia);
    compiler_.total_mass = c.number("settotalmass", compiler_.total_mass);
    if (const auto range = c.numbers("inertiagrouprange", 2, 2)) {
      compiler_.first_group = (*range)[0];
      compiler_.last_group = (*range)[1];
    }
    const auto assets = c.find("assetdir");
    if (const auto folder = c.find("meshdir"))
      compiler_.mesh_folder = *folder;
    else if (assets)
      compiler_.mesh_folder = *assets;
    if (const auto sequence = c.find("eulerseq")) {
      if (sequence->size() != 3 || sequence->find_first_not_of("xyzXYZ") != std::string::npos)
        c.fail(fmt::format("eulerseq: '{}' is not three of the letters xyzXYZ", *sequence));
      compiler_.euler_sequence = *sequence;
    }
    for (const char* harmless : {"usethread", "texturedir", "convexhull"}) c.skip(harmless);
  }
}

void MjcfDocument::read_classes(const XmlElement& element, const std::string& parent) {
  element.mark();
  const auto given = element.find("class");
  if (!given && !parent.empty()) element.fail("a default class inside another one needs a name");
  const std::string name = given.value_or(main_class);
  // The outermost class has one name, whichever it is.
  const std::string key = parent.empty() ? main_class : name;
  classes_[key].parent = parent;
  if (key != name) classes_[name].parent = main_class;
  for (const XmlElement& each : children(element)) {
    if (each.name() == "default")
      read_classes(each, key);
    else
      classes_[key].elements.push_back(each);
  }
}

void MjcfDocument::require_class(const std::string& name, const XmlElement& user) const {
  if (!classes_.contains(name)) user.fail(fmt::format("there is no default class '{}'", name));
}

MjcfElement MjcfDocument::with_defaults(const XmlElement& element,
                                        const std::string& childclass) const {
  std::string name = element.find("class").value_or(childclass.empty() ? main_class : childclass);
  require_class(name, element);
  std::vector<XmlElement> chain;
  std::set<std::string> visited;
  while (!name.empty() && visited.insert(name).second) {
    const Class& own = classes_.at(name);
    // Within a class later elements go before earlier ones.
    for (auto each = own.elements.rbegin(); each != own.elements.rend(); ++each)
      if (each->name() == element.name()) chain.push_back(*each);
    name = own.parent;
  }
  return {element, std::move(chain)};
}

double MjcfDocument::angle_unit() const {
  return compiler_.degrees ? std::numbers::pi / 180 : 1;
}

Quaternion MjcfDocument::from_euler(const Vec3& angles) const {
  Quaternion turned;
  for (int k = 0; k < 3; ++k) {
    const char letter = compiler_.euler_sequence[static_cast<std::size_t>(k)];
    const bool fixed_axis = letter <= 'Z';
    Vec3 axis;
    axis[fixed_axis ? letter - 'X' : letter - 'x'] = 1;
    const Quaternion turn = axis_angle(axis, angle_unit() * angles[k]);
    turned = fixed_axis ? turn * turned : turned * turn;
  }
  return turned;
}

Quaternion MjcfDocument::orientation(const MjcfElement& e) const {
  // An orientation of the element itself goes before any of its defaults, which have none in
  // practice; so the first one found counts.
  if (const auto q = e.numbers("quat", 4, 4)) {
    const Quaternion given{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
    if (!(norm(given) > 1e-12)) e.fail("quat has length zero");
    return normalized(given);
  }
  if (const auto a = e.numbers("axisangle", 4, 4))
    return axis_angle(unit_axis(e, {(*a)[0], (*a)[1], (*a)[2]}, "axisangle"),
                      angle_unit() * (*a)[3]);
  if (const auto angles = e.vector("euler")) return from_euler(*angles);
  if (const auto v = e.numbers("xyaxes", 6, 6)) {
    const Vec3 x = unit_axis(e, {(*v)[0], (*v)[1], (*v)[2]}, "the x of xyaxes");
    const Vec3 given{(*v)[3], (*v)[4], (*v)[5]};
    const Vec3 y = unit_axis(e, given - dot(x, given) * x, "the y of xyaxes, across x,");
    return quaternion_from_matrix(Mat3::columns(x, y, cross(x, y)));
  }
  if (const auto z = e.vector("zaxis"))
    return rotation_between({0, 0, 1}, unit_axis(e, *z, "zaxis"));
  return {};
}

Transform MjcfDocument::frame(const MjcfElement& element) const {
  return {element.vector("pos", Vec3{}), orientation(element)};
}

void MjcfDocument::report_unused(Warnings& warnings) {
  loaded_.at(files_.model())->report_unused(warnings);
  for (const auto& [path, file] : loaded_)
    if (path != files_.model()) file->report_unused(warnings);
}

} // namespace talus::robot
