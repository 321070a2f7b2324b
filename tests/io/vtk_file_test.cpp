// Files of ParaView that come in pieces.

#include "scratch_folder.h"
#include "support/file_size_limit.h"
#include "talus/core/error.h"
#include "talus/io/output/vtk_file.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace talus::test {
namespace {

/// Numbers that hardly get smaller when they are compressed.
std::vector<float> noise(std::size_t count) {
  std::mt19937 random(7);
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(random());
  return numbers;
}

std::string file_in_pieces(const std::string& folder, const std::vector<float>& points,
                           std::size_t points_in_piece) {
  PolyDataFile file(folder);
  file.set_time(0.25);
  std::int32_t count = 0;
  for (std::size_t first = 0; first < points.size(); first += 3 * points_in_piece) {
    const std::span<const float> piece(&points[first],
                                       std::min(3 * points_in_piece, points.size() - first));
    std::vector<std::int32_t> corners;
    for (std::size_t k = 0; k < piece.size() / 3; ++k) corners.push_back(count++);
    file.add_point_data("velocity", piece, 3);
    file.add_points(piece);
    file.add_vertices(corners);
  }
  std::ostringstream text;
  file.write(text);
  return text.str();
}

/// 7 MB of numbers, twice: more than stays in memory.
TEST(PolyDataFile, PiecesMakeTheFileOfTheWhole) {
  const ScratchFolder folder;
  const std::vector<float> points = noise(3 * 600'000);
  const std::string whole = file_in_pieces(folder.path(""), points, points.size());
  EXPECT_GT(whole.size(), points.size() * 2 * sizeof(float) / 2);
  EXPECT_NE(whole.find("NumberOfPoints=\"600000\" NumberOfVerts=\"600000\""), std::string::npos);
  for (const std::size_t piece : {7'919u, 131'072u})
    EXPECT_TRUE(file_in_pieces(folder.path(""), points, piece) == whole) << piece;
  EXPECT_EQ(folder.count(), 0) << "what waited on the disk is still there";
}

TEST(PolyDataFile, WithoutRoomToWaitThereIsAnError) {
  const ScratchFolder folder;
  const std::vector<float> points = noise(3 * 600'000);
  const FileSizeLimit full(1 << 20);
  EXPECT_THROW(file_in_pieces(folder.path(""), points, points.size()), FileError);
}

} // namespace
} // namespace talus::test
