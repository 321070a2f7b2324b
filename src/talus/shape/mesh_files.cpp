#include "talus/core/error.h"
#include "talus/shape/triangle_mesh.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace talus {
namespace {

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path.string(), "cannot be opened for reading");
  return {std::istreambuf_iterator<char>(file), {}};
}

[[noreturn]] void fail(const std::filesystem::path& path, int line, const std::string& what) {
  throw FileError(fmt::format("{}:{}", path.string(), line), what);
}

double parse_number(const std::string& word, const std::filesystem::path& path, int line) {
  double value = 0;
  const char* begin = word.c_str() + (word.starts_with('+') ? 1 : 0);
  const char* end = word.c_str() + word.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) {
    fail(path, line, fmt::format("'{}' is not a finite number", word));
  }
  return value;
}

/// The vertex of a face corner "7", "7/1", "7//3", "7/1/3" or "-1", as an index from zero.
Index parse_corner(const std::string& word, std::size_t vertex_count,
                   const std::filesystem::path& path, int line) {
  const std::string digits = word.substr(0, word.find('/'));
  long value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || stop != digits.data() + digits.size() || value == 0) {
    fail(path, line, fmt::format("'{}' is not a vertex number (1, 2, ... or -1, -2, ...)", word));
  }
  const long index = value > 0 ? value - 1 : static_cast<long>(vertex_count) + value;
  if (index < 0 || index >= static_cast<long>(vertex_count)) {
    fail(path, line,
         fmt::format("vertex {} does not exist; {} are defined so far", value, vertex_count));
  }
  return static_cast<Index>(index);
}

TriangleMesh build_from_file(const std::filesystem::path& path, std::vector<Vec3> vertices,
                             std::vector<Triangle> triangles) {
  try {
    return build_triangle_mesh(std::move(vertices), std::move(triangles));
  } catch (const InvalidArgument& error) {
    throw FileError(path.string(), error.what());
  }
}

TriangleMesh parse_ascii_stl(const std::filesystem::path& path, const std::string& text) {
  std::istringstream lines(text);
  std::string row;
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  int line = 0, corners = 0;
  bool ended = false;
  while (std::getline(lines, row)) {
    ++line;
    std::istringstream words(row);
    std::string word;
    if (!(words >> word)) continue;
    if (word == "vertex") {
      std::string c[3];
      if (!(words >> c[0] >> c[1] >> c[2])) fail(path, line, "'vertex' needs three numbers");
      vertices.push_back({parse_number(c[0], path, line), parse_number(c[1], path, line),
                          parse_number(c[2], path, line)});
      ++corners;
    } else if (word == "endloop") {
      if (corners != 3) fail(path, line, fmt::format("a loop has {} vertices, not 3", corners));
      const auto last = static_cast<Index>(vertices.size());
      triangles.push_back({last - 3, last - 2, last - 1});
      corners = 0;
    } else if (word == "endsolid") {
      ended = true;
    } else if (word != "solid" && word != "facet" && word != "outer" && word != "endfacet") {
      fail(path, line, fmt::format("'{}' is not a word of ASCII STL", word));
    }
  }
  if (!ended) fail(path, line, "the file ends before 'endsolid'");
  return build_from_file(path, std::move(vertices), std::move(triangles));
}

constexpr std::size_t stl_header = 84, stl_record = 50;

TriangleMesh parse_binary_stl(const std::filesystem::path& path, const std::string& bytes,
                              std::uint32_t count) {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  for (std::size_t t = 0; t < count; ++t) {
    float values[12];
    std::memcpy(values, bytes.data() + stl_header + t * stl_record, sizeof values);
    for (int k = 1; k < 4; ++k) {
      vertices.push_back({values[3 * k], values[3 * k + 1], values[3 * k + 2]});
    }
    const auto last = static_cast<Index>(vertices.size());
    triangles.push_back({last - 3, last - 2, last - 1});
  }
  return build_from_file(path, std::move(vertices), std::move(triangles));
}

TriangleMesh parse_obj(const std::filesystem::path& path, const std::string& text) {
  std::istringstream lines(text);
  std::string row;
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  for (int line = 1; std::getline(lines, row); ++line) {
    std::istringstream words(row);
    std::string word;
    if (!(words >> word)) continue;
    if (word == "v") {
      std::string c[3];
      if (!(words >> c[0] >> c[1] >> c[2])) fail(path, line, "'v' needs three numbers");
      vertices.push_back({parse_number(c[0], path, line), parse_number(c[1], path, line),
                          parse_number(c[2], path, line)});
    } else if (word == "f") {
      std::vector<Index> corners;
      while (words >> word && !word.starts_with('#')) {
        corners.push_back(parse_corner(word, vertices.size(), path, line));
      }
      if (corners.size() < 3) fail(path, line, "'f' needs at least three vertices");
      for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
        triangles.push_back({corners[0], corners[k], corners[k + 1]});
      }
    }
  }
  return build_from_file(path, std::move(vertices), std::move(triangles));
}

TriangleMesh parse_stl(const std::filesystem::path& path, const std::string& bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= stl_header) std::memcpy(&count, bytes.data() + 80, sizeof count);
  const std::size_t expected = stl_header + static_cast<std::size_t>(count) * stl_record;
  // Binary files may begin with "solid" too; only their length tells.
  if (bytes.size() >= stl_header && bytes.size() == expected) {
    return parse_binary_stl(path, bytes, count);
  }
  if (bytes.starts_with("solid")) return parse_ascii_stl(path, bytes);
  throw FileError(
      path.string(),
      bytes.size() < stl_header
          ? "is neither ASCII STL (it does not begin with 'solid') nor long enough for binary"
          : fmt::format("binary STL of {} triangles needs {} bytes, the file has {}", count,
                        expected, bytes.size()));
}

using Parser = TriangleMesh (*)(const std::filesystem::path&, const std::string&);

Parser parser_for(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".obj") return parse_obj;
  if (extension == ".stl") return parse_stl;
  throw InvalidArgument(
      fmt::format("mesh file '{}': the extension must be .obj or .stl", path.string()));
}

} // namespace

TriangleMesh read_obj(const std::filesystem::path& path) {
  return parse_obj(path, read_whole(path));
}

TriangleMesh read_stl(const std::filesystem::path& path) {
  return parse_stl(path, read_whole(path));
}

TriangleMesh parse_mesh(const std::filesystem::path& path, const std::string& bytes) {
  return parser_for(path)(path, bytes);
}

TriangleMesh read_mesh(const std::filesystem::path& path) {
  const Parser parse = parser_for(path);
  return parse(path, read_whole(path));
}

} // namespace talus
