#pragma once
// XML files that know their lines and remember what was asked of them, so that whatever a reader
// did not ask for can be named in a warning. The text is not trusted: document types (and with
// them entities) are refused, and so is deep nesting.

#include "talus/core/vec3.h"

#include <map>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace talus::robot {

/// Where something was written.
struct Place {
  std::string file;
  int line = 0; ///< From 1.
};
std::string to_string(const Place& place);
/// Throws FileError "file:line: what".
[[noreturn]] void fail_at(const Place& place, const std::string& what);

/// What a reader tells its user besides errors: "file:line: what".
using Warnings = std::vector<std::string>;

/// Names of elements and attributes that were asked for.
using AskedFor = std::set<std::pair<std::string, std::string>>;

class XmlFile;

/// A handle on an element of a file. Reading an attribute or a child marks it as used.
class XmlElement {
public:
  XmlElement() = default;
  XmlElement(XmlFile& file, pugi::xml_node node) : file_(&file), node_(node) {}

  explicit operator bool() const { return static_cast<bool>(node_); }
  std::string name() const { return node_.name(); }
  Place place() const;
  /// "joint 'knee'", for messages.
  std::string label() const;
  /// Throws FileError with the place and the label.
  [[noreturn]] void fail(const std::string& what) const;

  /// The attribute's text, if it is there.
  std::optional<std::string> find(std::string_view attribute) const;
  /// Throws if it is missing or empty.
  std::string text(std::string_view attribute) const;
  /// Finite numbers, separated by spaces; at least `least` and at most `most` of them.
  std::optional<std::vector<double>> numbers(std::string_view attribute, std::size_t least,
                                             std::size_t most) const;
  std::optional<double> number(std::string_view attribute) const;
  double number(std::string_view attribute, double otherwise) const;
  /// Throws if it is missing.
  double need_number(std::string_view attribute) const;
  std::optional<Vec3> vector(std::string_view attribute) const;
  Vec3 vector(std::string_view attribute, const Vec3& otherwise) const;
  std::optional<bool> flag(std::string_view attribute) const;
  /// The text between its tags without blanks around it, and the numbers in it.
  std::string content() const;
  std::vector<double> content_numbers() const;
  /// Marks an attribute that needs no warning.
  void skip(std::string_view attribute) const { find(attribute); }
  /// Marks the element and all in it.
  void skip_all() const;

  /// The first child of that name, marked; false if there is none.
  XmlElement child(std::string_view name) const;
  /// All children of that name, marked.
  std::vector<XmlElement> children(std::string_view name) const;
  /// All child elements in file order; the reader marks those that it takes.
  std::vector<XmlElement> all_children() const;
  void mark() const;
  bool is_same(const XmlElement& other) const { return node_ == other.node_; }

  Place place_of(std::string_view attribute) const;

private:
  XmlFile* file_ = nullptr;
  pugi::xml_node node_;
};

class XmlFile {
public:
  /// Throws FileError for text that is no XML, has a document type, or is nested too deep.
  /// Files of one model share what was asked for.
  XmlFile(std::string path, std::string text,
          std::shared_ptr<AskedFor> asked = std::make_shared<AskedFor>());
  XmlFile(const XmlFile&) = delete;
  XmlFile& operator=(const XmlFile&) = delete;

  /// Throws if its name is another one.
  XmlElement root(std::string_view name);
  std::string root_name() const { return document_.document_element().name(); }
  const std::string& path() const { return path_; }

  /// A warning for each element and attribute that nobody asked for. In elements `default` (of
  /// MJCF) an attribute counts as used if some element of that name was asked for it.
  void report_unused(Warnings& warnings);

private:
  friend class XmlElement;
  int line_at(std::ptrdiff_t offset) const;

  std::string path_, text_;
  std::vector<std::ptrdiff_t> line_starts_;
  pugi::xml_document document_;
  std::unordered_set<const void*> used_;
  std::shared_ptr<AskedFor> asked_;
};

/// Elements may lie in this many others.
inline constexpr int deepest_element = 100;

/// A finite number; nothing else may stand in the text.
std::optional<double> parsed_number(std::string_view text);

} // namespace talus::robot
