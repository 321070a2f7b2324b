#include "talus/io/scene/scene_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace talus {

namespace {

/// Of values, and of hundreds of characters in them.
using Amount = std::size_t;

constexpr Amount most_values = 5'000'000;
constexpr const char* too_deep = "values are nested too deeply";

/// What aliases may repeat: ten values for every character of the text are more than any use of
/// them needs, and few enough for small texts to stay small.
Amount most_repeated(std::size_t text_size) {
  return std::min<Amount>(100'000 + 10 * text_size, 1'000'000);
}

/// Builds values from what the parser finds, and stops it where they become too many or too deep.
/// A tree of YAML::Node could only be measured once all of it is there.
class TreeBuilder : public YAML::EventHandler {
public:
  TreeBuilder(const std::string& text, const ScenePlace& origin)
      : text_(text), origin_(origin), may_repeat_(most_repeated(text.size())) {
    root_.place = place_of(YAML::Mark::null_mark());
  }

  SceneValue take_root() { return std::move(root_); }

  ScenePlace place_of(const YAML::Mark& mark) const {
    ScenePlace place = origin_;
    if (!place.is_override) place.line = mark.is_null() ? 1 : std::max(mark.line + 1, 1);
    return place;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (document_seen_) fail_after_document(mark);
    document_seen_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(begin(SceneValue::Kind::nothing, mark, anchor));
  }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& text) override {
    Part part = begin(SceneValue::Kind::scalar, mark, anchor);
    part.value.text = text;
    part.amount += text.size() / 100;
    add(std::move(part));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end())
      fail_at(place_of(mark), "the alias stands inside the value that it repeats");
    const Part& original = found->second;
    if (depth() + original.height > deepest_value) fail_at(place_of(mark), too_deep);
    count_repeated(original.amount, mark);
    add(original);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(SceneValue::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(SceneValue::Kind::mapping, mark, anchor);
  }
  void OnMapEnd() override { close(); }

private:
  /// A value with what is known of it until it has a place in the tree.
  struct Part {
    SceneValue value;
    YAML::Mark mark;
    YAML::anchor_t anchor = 0;
    Amount amount = 1;
    int height = 0;                ///< Of the tree below it.
    std::optional<SceneValue> key; ///< Of the next member, in an open mapping.
    std::set<std::string> names;   ///< Of its members.
  };

  int depth() const { return static_cast<int>(open_.size()); }

  Part begin(SceneValue::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    Part part;
    part.value.kind = kind;
    part.value.place = place_of(mark);
    part.mark = mark;
    part.anchor = anchor;
    if (depth() > deepest_value) fail_at(part.value.place, too_deep);
    if (++written_ > most_values)
      fail_at(part.value.place,
              fmt::format("the text is too large: it has more than {} values", most_values));
    return part;
  }

  void open(SceneValue::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    open_.push_back(begin(kind, mark, anchor));
  }

  void close() {
    Part part = std::move(open_.back());
    open_.pop_back();
    add(std::move(part));
  }

  void add(Part part) {
    if (part.anchor != 0) remember(part);
    if (open_.empty()) {
      root_ = std::move(part.value);
      return;
    }
    Part& parent = open_.back();
    parent.amount += part.amount;
    parent.height = std::max(parent.height, part.height + 1);
    if (parent.value.kind == SceneValue::Kind::list)
      parent.value.items.push_back(std::move(part.value));
    else if (!parent.key)
      take_key(parent, std::move(part.value));
    else
      add_member(parent, std::move(part.value));
  }

  static void take_key(Part& mapping, SceneValue key) {
    if (key.kind != SceneValue::Kind::scalar) fail_at(key.place, "a key must be a plain word");
    if (!mapping.names.insert(key.text).second)
      fail_at(key.place, fmt::format("the key '{}' occurs twice", key.text));
    mapping.key = std::move(key);
  }

  static void add_member(Part& mapping, SceneValue value) {
    // An empty value has no mark of its own worth showing.
    if (value.kind == SceneValue::Kind::nothing) value.place = mapping.key->place;
    mapping.value.members.push_back({std::move(mapping.key->text), std::move(value)});
    mapping.key.reset();
  }

  /// Keeps a copy for aliases.
  void remember(const Part& part) {
    count_repeated(part.amount, part.mark);
    Part& copy = anchored_[part.anchor];
    copy = part;
    copy.anchor = 0;
  }

  void count_repeated(Amount amount, const YAML::Mark& mark) {
    repeated_ += amount;
    if (repeated_ > may_repeat_ || written_ + repeated_ > most_values)
      fail_at(place_of(mark),
              fmt::format("anchors and aliases make the text too large: one of {} bytes may "
                          "repeat {} values",
                          text_.size(), may_repeat_));
  }

  /// The parser takes what it cannot place, such as a comma, for the start of another document
  /// without ever getting past it.
  [[noreturn]] void fail_after_document(const YAML::Mark& mark) const {
    const auto position = std::min<std::size_t>(std::max(mark.pos, 0), text_.size());
    const std::string_view rest = std::string_view(text_).substr(position);
    if (rest.starts_with("---"))
      fail_at(place_of(mark), "a second YAML document begins (after ---); a scene is one");
    const bool shows = !rest.empty() && std::isgraph(static_cast<unsigned char>(rest.front())) != 0;
    fail_at(place_of(mark), fmt::format("not valid YAML: {} where nothing more is expected",
                                        shows ? fmt::format("there is '{}'", rest.front())
                                              : std::string("the text goes on")));
  }

  const std::string& text_;
  ScenePlace origin_;
  Amount may_repeat_, written_ = 0, repeated_ = 0;
  SceneValue root_;
  std::vector<Part> open_; ///< The lists and mappings around the present place, outermost first.
  std::map<YAML::anchor_t, Part> anchored_;
  bool document_seen_ = false;
};

} // namespace

SceneValue read_yaml(const std::string& text, const ScenePlace& origin) {
  TreeBuilder builder(text, origin);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    // The builder refuses a second document, where the first did not end the text.
    while (parser.HandleNextDocument(builder)) continue;
  } catch (const YAML::Exception& error) {
    fail_at(builder.place_of(error.mark), "not valid YAML: " + error.msg);
  }
  return builder.take_root();
}

} // namespace talus
