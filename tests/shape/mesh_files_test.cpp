#include "talus/core/error.h"
#include "talus/shape/mass_properties.h"
#include "talus/shape/triangle_mesh.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace talus {
namespace {

/// A file that disappears with the test.
class TemporaryFile {
public:
  TemporaryFile(const std::string& name, const std::string& content)
      : path_(std::filesystem::path(::testing::TempDir()) / ("talus_" + name)) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

void expect_file_error(const std::string& name, const std::string& content,
                       const std::string& part) {
  const TemporaryFile file(name, content);
  try {
    read_mesh(file.path());
    FAIL() << "no error for: " << content;
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

const std::string cube = "# a cube of side 2\n"
                         "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\n"
                         "v -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
                         "vn 0 0 1\no name\n"
                         "f 4 3 2 1\nf 5//1 6//1 7//1 8//1\nf 1/1 2/2 6/3 5/4\n"
                         "f 2 3 7 6\nf 3 4 8 7\nf -8 -4 -1 -5\n";

TEST(MeshFiles, ObjCubeIsClosedAndHasItsVolume) {
  const TemporaryFile file("cube.obj", cube);
  const TriangleMesh mesh = read_obj(file.path());
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_EQ(mesh.edge_triangles.size(), 18u);
  EXPECT_TRUE(mesh.closed);
  EXPECT_NEAR(mass_properties(*make_triangle_mesh(mesh), 1).mass, 8, 1e-14);
}

std::string ascii_stl(const TriangleMesh& mesh) {
  std::string text = "solid talus\n";
  for (const Triangle& t : mesh.triangles) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (Index v : t) {
      const Vec3& p = mesh.vertices[v];
      text += "  vertex " + std::to_string(p.x) + " " + std::to_string(p.y) + " " +
              std::to_string(p.z) + "\n";
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid talus\n";
}

std::string binary_stl(const TriangleMesh& mesh) {
  std::string bytes = "solid header of a binary file";
  bytes.resize(80, ' ');
  const auto append = [&](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  append(&count, 4);
  for (const Triangle& t : mesh.triangles) {
    float values[12] = {};
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 3; ++i) {
        values[3 + 3 * k + i] = static_cast<float>(mesh.vertices[t[k]][i]);
      }
    }
    append(values, sizeof values);
    append("\0\0", 2);
  }
  return bytes;
}

TEST(MeshFiles, BothKindsOfStlGiveTheMeshOfTheObj) {
  const TemporaryFile obj("source.obj", cube);
  const TriangleMesh mesh = read_obj(obj.path());
  for (const std::string& content : {ascii_stl(mesh), binary_stl(mesh)}) {
    const TemporaryFile stl("copy.STL", content);
    const TriangleMesh copy = read_mesh(stl.path());
    EXPECT_TRUE(copy.closed);
    EXPECT_EQ(copy.vertices.size(), 8u);
    ASSERT_EQ(copy.triangles.size(), mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(copy.vertices[copy.triangles[t][k]], mesh.vertices[mesh.triangles[t][k]]);
      }
    }
  }
}

TEST(MeshFiles, ErrorsNameFileAndLine) {
  expect_file_error("bad.obj", "v 0 0 0\nv 1 0 x\n", "bad.obj:2: 'x' is not a finite number");
  expect_file_error("bad.obj", "v 0 0 nan\n", "bad.obj:1: 'nan' is not a finite number");
  expect_file_error("bad.obj", "v 0 0\n", "bad.obj:1: 'v' needs three numbers");
  expect_file_error("bad.obj", "v 0 0 0\n\nf 1 2 3\n", "bad.obj:3: vertex 2 does not exist");
  expect_file_error("bad.obj", "v 0 0 0\nf 1 1\n", "bad.obj:2: 'f' needs at least three");
  expect_file_error("bad.obj", "v 0 0 0\nf 1 0 1\n", "bad.obj:2: '0' is not a vertex number");
  expect_file_error("empty.obj", "", "no triangle with an area");
  expect_file_error("bad.stl", "solid\nfacet\nouter loop\nvertex 1 2\n", "bad.stl:4: 'vertex'");
  expect_file_error("bad.stl", "solid\nvertex 1 2 3\nendloop\n",
                    "bad.stl:3: a loop has 1 vertices");
  expect_file_error("bad.stl", "solid\nnonsense\n", "bad.stl:2: 'nonsense'");
  expect_file_error("bad.stl", "solid\n", "before 'endsolid'");
  expect_file_error("bad.stl", "short", "neither ASCII STL");
  expect_file_error("bad.stl", std::string(100, '\1'), "the file has 100");
  EXPECT_THROW(read_mesh("/no/such/folder/mesh.obj"), FileError);
  EXPECT_THROW(read_mesh("mesh.ply"), InvalidArgument);
}

} // namespace
} // namespace talus
