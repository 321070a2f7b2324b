#include "talus/io/import/xml_file.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace talus::robot {

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
  return words;
}

bool in_default(pugi::xml_node node) {
  for (pugi::xml_node n = node; n; n = n.parent())
    if (std::string_view(n.name()) == "default") return true;
  return false;
}

/// The next node of a walk through all elements below `top`; children only if `into`.
pugi::xml_node after(pugi::xml_node node, const pugi::xml_node& top, bool into) {
  if (into && node.first_child()) return node.first_child();
  while (node && node != top && !node.next_sibling()) node = node.parent();
  return node == top ? pugi::xml_node() : node.next_sibling();
}

} // namespace

std::string to_string(const Place& place) {
  return fmt::format("{}:{}", place.file, place.line);
}

void fail_at(const Place& place, const std::string& what) {
  throw FileError(to_string(place), what);
}

std::optional<double> parsed_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

Place XmlElement::place() const {
  return {file_->path_, file_->line_at(node_.offset_debug())};
}

/// The line of an attribute: pugixml keeps that of elements only.
Place XmlElement::place_of(std::string_view attribute) const {
  const std::ptrdiff_t begin = node_.offset_debug();
  if (begin < 0) return place();
  const std::string_view text(file_->text_);
  const std::size_t end = text.find('>', static_cast<std::size_t>(begin));
  for (std::size_t at = text.find(attribute, static_cast<std::size_t>(begin)); at < end;
       at = text.find(attribute, at + 1)) {
    const std::size_t next = text.find_first_not_of(blanks, at + attribute.size());
    const bool starts = at > 0 && blanks.find(text[at - 1]) != std::string_view::npos;
    if (starts && next != std::string_view::npos && text[next] == '=')
      return {file_->path_, file_->line_at(static_cast<std::ptrdiff_t>(at))};
  }
  return place();
}

std::string XmlElement::label() const {
  for (const char* key : {"name", "link", "joint", "class"})
    if (const pugi::xml_attribute a = node_.attribute(key))
      return fmt::format("{} '{}'", node_.name(), a.value());
  return node_.name();
}

void XmlElement::fail(const std::string& what) const {
  fail_at(place(), fmt::format("{}: {}", label(), what));
}

void XmlElement::mark() const {
  file_->used_.insert(node_.internal_object());
}

std::optional<std::string> XmlElement::find(std::string_view attribute) const {
  if (!node_) return std::nullopt;
  const std::string key(attribute);
  file_->asked_->emplace(node_.name(), key);
  const pugi::xml_attribute found = node_.attribute(key.c_str());
  if (!found) return std::nullopt;
  file_->used_.insert(found.internal_object());
  return found.value();
}

std::string XmlElement::text(std::string_view attribute) const {
  const auto found = find(attribute);
  if (!found) fail(fmt::format("the attribute '{}' is missing", attribute));
  if (found->empty())
    fail_at(place_of(attribute), fmt::format("{}: {} is empty", label(), attribute));
  return *found;
}

std::optional<std::vector<double>> XmlElement::numbers(std::string_view attribute,
                                                       std::size_t least, std::size_t most) const {
  const auto found = find(attribute);
  if (!found) return std::nullopt;
  std::vector<double> values;
  for (const std::string_view word : words_of(*found)) {
    const auto value = parsed_number(word);
    if (!value)
      fail_at(place_of(attribute),
              fmt::format("{}: {}: '{}' is not a finite number", label(), attribute, word));
    values.push_back(*value);
  }
  if (values.size() < least || values.size() > most)
    fail_at(place_of(attribute),
            fmt::format("{}: {} has {} numbers, {} expected", label(), attribute, values.size(),
                        least == most ? fmt::format("{} were", least)
                                      : fmt::format("{} to {} were", least, most)));
  return values;
}

std::optional<double> XmlElement::number(std::string_view attribute) const {
  const auto values = numbers(attribute, 1, 1);
  return values ? std::optional(values->front()) : std::nullopt;
}
double XmlElement::number(std::string_view attribute, double otherwise) const {
  return number(attribute).value_or(otherwise);
}
double XmlElement::need_number(std::string_view attribute) const {
  text(attribute);
  return *number(attribute);
}
std::optional<Vec3> XmlElement::vector(std::string_view attribute) const {
  const auto v = numbers(attribute, 3, 3);
  return v ? std::optional(Vec3{(*v)[0], (*v)[1], (*v)[2]}) : std::nullopt;
}
Vec3 XmlElement::vector(std::string_view attribute, const Vec3& otherwise) const {
  return vector(attribute).value_or(otherwise);
}

std::optional<bool> XmlElement::flag(std::string_view attribute) const {
  const auto found = find(attribute);
  if (!found) return std::nullopt;
  if (*found == "true" || *found == "1" || *found == "enable") return true;
  if (*found == "false" || *found == "0" || *found == "disable") return false;
  fail_at(place_of(attribute),
          fmt::format("{}: {} must be true or false, not '{}'", label(), attribute, *found));
}

std::string XmlElement::content() const {
  const std::string_view text = node_.child_value();
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(blanks) + 1 - begin));
}

std::vector<double> XmlElement::content_numbers() const {
  std::vector<double> values;
  for (const std::string_view word : words_of(node_.child_value())) {
    const auto value = parsed_number(word);
    if (!value) fail(fmt::format("'{}' is not a finite number", word));
    values.push_back(*value);
  }
  return values;
}

void XmlElement::skip_all() const {
  for (pugi::xml_node n = node_; n; n = after(n, node_, true)) {
    file_->used_.insert(n.internal_object());
    for (const pugi::xml_attribute a : n.attributes()) file_->used_.insert(a.internal_object());
  }
}

XmlElement XmlElement::child(std::string_view name) const {
  const XmlElement found(*file_, node_.child(std::string(name).c_str()));
  if (found) found.mark();
  return found;
}

std::vector<XmlElement> XmlElement::children(std::string_view name) const {
  std::vector<XmlElement> found;
  for (const XmlElement& each : all_children())
    if (each.name() == name) {
      each.mark();
      found.push_back(each);
    }
  return found;
}

std::vector<XmlElement> XmlElement::all_children() const {
  std::vector<XmlElement> found;
  if (!node_) return found;
  for (const pugi::xml_node n : node_.children())
    if (n.type() == pugi::node_element) found.emplace_back(*file_, n);
  return found;
}

XmlFile::XmlFile(std::string path, std::string text, std::shared_ptr<AskedFor> asked)
    : path_(std::move(path)), text_(std::move(text)), line_starts_{0}, asked_(std::move(asked)) {
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::ptrdiff_t>(i) + 1);
  const auto result = document_.load_buffer(
      text_.data(), text_.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result)
    fail_at({path_, line_at(result.offset)},
            fmt::format("not valid XML: {}", result.description()));
  for (const pugi::xml_node n : document_.children())
    if (n.type() == pugi::node_doctype)
      fail_at({path_, line_at(n.offset_debug())},
              "a document type (<!DOCTYPE ...>), which could define entities, is not accepted");
  if (!document_.document_element()) fail_at({path_, 1}, "there is no XML element in the file");
  int depth = 0;
  for (pugi::xml_node n = document_.document_element(); n;) {
    if (depth > deepest_element)
      fail_at({path_, line_at(n.offset_debug())},
              fmt::format("elements are nested more than {} deep", deepest_element));
    if (n.first_child()) {
      n = n.first_child();
      ++depth;
      continue;
    }
    while (n && !n.next_sibling()) {
      n = n.parent();
      --depth;
    }
    if (n) n = n.next_sibling();
  }
}

int XmlFile::line_at(std::ptrdiff_t offset) const {
  if (offset < 0) return 1;
  const auto above = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<int>(above - line_starts_.begin());
}

XmlElement XmlFile::root(std::string_view name) {
  const XmlElement element(*this, document_.document_element());
  if (element.name() != name)
    fail_at(element.place(),
            fmt::format("the file begins with <{}>, <{}> was expected", element.name(), name));
  element.mark();
  return element;
}

void XmlFile::report_unused(Warnings& warnings) {
  const pugi::xml_node top = document_.document_element();
  const auto warn = [&](const Place& place, const std::string& what) {
    warnings.push_back(fmt::format("{}: {}", to_string(place), what));
  };
  for (pugi::xml_node n = top; n;) {
    if (n.type() != pugi::node_element) {
      n = after(n, top, false);
      continue;
    }
    const XmlElement element(*this, n);
    const bool is_default = in_default(n);
    if (!is_default && !used_.contains(n.internal_object())) {
      warn(element.place(), fmt::format("<{}> in <{}> is ignored", n.name(), n.parent().name()));
      n = after(n, top, false);
      continue;
    }
    for (const pugi::xml_attribute a : n.attributes()) {
      const bool used = used_.contains(a.internal_object()) ||
                        (is_default && asked_->contains({n.name(), a.name()}));
      if (!used)
        warn(element.place_of(a.name()),
             fmt::format("'{}' of <{}> is ignored", a.name(), n.name()));
    }
    n = after(n, top, true);
  }
}

} // namespace talus::robot
