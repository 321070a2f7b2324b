#include "scratch_folder.h"
#include "support/file_size_limit.h"
#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/core/types.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <ctime>
#include <fstream>
#include <numeric>

namespace talus {
namespace {

using test::FileSizeLimit;
using test::ScratchFolder;

template <class T>
void expect_round_trip(const std::vector<T>& values) {
  const ScratchFolder folder;
  const std::string path = folder.path("a.hdf5");
  {
    Hdf5File file = Hdf5File::create(path);
    file.write<T>("/deep/down/plain", values);
    file.write<T>("/deep/packed", values, {values.size() / 2, 2}, 6);
    file.write_value<T>("/one", values[1]);
    file.write<T>("/none", std::span<const T>{});
    file.write_attribute<T>("/deep", "number", values[0]);
    file.write_attribute<T>("/deep", "number", values[1]);
    file.close();
  }
  const Hdf5File file = Hdf5File::open(path);
  EXPECT_EQ(file.read<T>("/deep/down/plain"), values);
  EXPECT_EQ(file.read<T>("/deep/packed"), values);
  EXPECT_EQ(file.shape("/deep/packed"), (Hdf5Shape{values.size() / 2, 2}));
  EXPECT_EQ(file.read_value<T>("/one"), values[1]);
  EXPECT_TRUE(file.read<T>("/none").empty());
  EXPECT_EQ(file.read_attribute<T>("/deep", "number"), values[1]);
  EXPECT_EQ(file.read_rows<T>("/deep/packed", 1, 1), (std::vector<T>{values[2], values[3]}));
  EXPECT_THROW(file.read_value<T>("/deep/packed"), FileError);
  EXPECT_THROW(file.read_rows<T>("/deep/packed", 1, values.size()), FileError);
}

TEST(Hdf5File, RoundTripsEveryElementType) {
  expect_round_trip<double>({0.1, -0.0, 1e308, 4.9e-324});
  expect_round_trip<float>({0.1f, -0.0f, 3e38f, 1e-45f});
  expect_round_trip<std::int32_t>({1, -1, 2147483647, -2147483647 - 1});
  expect_round_trip<std::int64_t>({1, -1, 1LL << 62, -(1LL << 62)});
  expect_round_trip<std::uint8_t>({0, 1, 254, 255});
}

TEST(Hdf5File, RoundTripsStrings) {
  const ScratchFolder folder;
  const std::string path = folder.path("a.hdf5"), umlauts = "Größe µ = 0,3";
  {
    Hdf5File file = Hdf5File::create(path);
    file.write_string("/empty", "");
    file.write_string("/lines", "first\nsecond\t ");
    file.write_string("/umlauts", umlauts);
    file.write_string_attribute("/", "program", "talus");
    file.close();
  }
  const Hdf5File file = Hdf5File::open(path);
  EXPECT_EQ(file.read_string("/empty"), "");
  EXPECT_EQ(file.read_string("/lines"), "first\nsecond\t ");
  EXPECT_EQ(file.read_string("/umlauts"), umlauts);
  EXPECT_EQ(file.read_string_attribute("/", "program"), "talus");
  EXPECT_THROW(file.read_string("/nothing"), FileError);
  EXPECT_THROW(file.read<double>("/lines"), FileError);
}

TEST(Hdf5File, RoundTripsTextsOfManyMegabytes) {
  const ScratchFolder folder;
  const std::string path = folder.path("a.hdf5"), text(std::size_t{20} << 20, 'x');
  {
    Hdf5File file = Hdf5File::create(path);
    file.write_string("/text", text);
    file.close();
  }
  EXPECT_TRUE(Hdf5File::open(path).read_string("/text") == text);
}

/// A dataset and an attribute of one unsigned 64-bit number, as other programs write them.
std::string unsigned_file(const ScratchFolder& folder, std::uint64_t value) {
  const std::string path = folder.path("unsigned.hdf5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t data =
      H5Dcreate2(file, "x", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t note = H5Acreate2(file, "x", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
  H5Awrite(note, H5T_NATIVE_UINT64, &value);
  H5Aclose(note);
  H5Dclose(data);
  H5Sclose(space);
  H5Fclose(file);
  return path;
}

TEST(Hdf5File, IntegersThatDoNotFitAreAnErrorEverywhere) {
  const ScratchFolder folder;
  {
    const Hdf5File file = Hdf5File::open(unsigned_file(folder, 200));
    EXPECT_EQ(file.read_value<std::int64_t>("/x"), 200);
    EXPECT_EQ(file.read_attribute<std::uint8_t>("/", "x"), 200);
    EXPECT_EQ(file.read_attribute<std::int64_t>("/", "x"), 200);
  }
  const Hdf5File file = Hdf5File::open(unsigned_file(folder, ~std::uint64_t{0}));
  EXPECT_THROW(file.read_value<std::int64_t>("/x"), FileError);
  EXPECT_THROW(file.read_value<std::int32_t>("/x"), FileError);
  EXPECT_THROW(file.read_attribute<std::int64_t>("/", "x"), FileError);
  EXPECT_THROW(file.read_attribute<std::int32_t>("/", "x"), FileError);
}

TEST(Hdf5File, TellsWhatIsThere) {
  const ScratchFolder folder;
  Hdf5File file = Hdf5File::create(folder.path("a.hdf5"));
  file.write_value<double>("/a/b/x", 1);
  file.make_group("/a/empty");
  EXPECT_TRUE(file.has("/a") && file.has("/a/b/x") && file.has("/"));
  EXPECT_FALSE(file.has("/b") || file.has("/a/c/x") || file.has("/a/b/x/y"));
  EXPECT_TRUE(file.is_group("/a/empty") && file.is_group("/"));
  EXPECT_FALSE(file.is_group("/a/b/x") || file.is_group("/none"));
  EXPECT_EQ(file.members("/a"), (std::vector<std::string>{"b", "empty"}));
  EXPECT_TRUE(file.members("/a/empty").empty());
  EXPECT_FALSE(file.has_attribute("/a", "none") || file.has_attribute("/none", "none"));
  EXPECT_THROW(file.members("/a/b/x"), FileError);
  EXPECT_THROW(file.write_value<double>("/a/b/x", 2), FileError);
  EXPECT_THROW(file.make_group("/a"), FileError);
}

TEST(Hdf5File, UnfilledDatasetsAreToldApart) {
  const ScratchFolder folder;
  Hdf5File file = Hdf5File::create(folder.path("a.hdf5"));
  file.make_unfilled<double>("/a/x", 5);
  file.write_value<double>("/a/y", 0);
  EXPECT_EQ(file.shape("/a/x"), Hdf5Shape{5});
  EXPECT_FALSE(file.is_written("/a/x"));
  EXPECT_TRUE(file.is_written("/a/y"));
  EXPECT_THROW(file.read<double>("/a/x"), FileError);
}

TEST(Hdf5File, TablesGrowAndSurviveReopening) {
  const ScratchFolder folder;
  const std::string path = folder.path("a.hdf5");
  Vector rows(60);
  std::iota(rows.begin(), rows.end(), 0.0);
  const ConstSpan all = rows;
  {
    Hdf5File file = Hdf5File::create(path);
    file.make_table<double>("/frames", {2, 3}, 4, 3);
    file.append<double>("/frames", all.subspan(0, 6));
    file.append<double>("/frames", all.subspan(6, 24));
    EXPECT_EQ(file.read<double>("/frames").size(), 30u);
    EXPECT_THROW(file.append<double>("/frames", all.subspan(0, 5)), InvalidArgument);
    file.close();
  }
  {
    Hdf5File file = Hdf5File::open_to_append(path);
    file.append<double>("/frames", all.subspan(30, 30));
    file.close();
  }
  const Hdf5File file = Hdf5File::open(path);
  EXPECT_EQ(file.shape("/frames"), (Hdf5Shape{10, 2, 3}));
  EXPECT_EQ(file.read<double>("/frames"), rows);
  EXPECT_EQ(file.read_rows<double>("/frames", 4, 2), Vector(rows.begin() + 24, rows.begin() + 36));
}

/// Opens as other programs do, which know nothing of streams.
bool opens_plainly(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file >= 0) H5Fclose(file);
  return file >= 0;
}

TEST(Hdf5File, AStreamWhoseWriterDiedIsMadeAnOrdinaryFile) {
  const ScratchFolder folder;
  const std::string path = folder.path("dead.h5");
  {
    AtomicFile target(folder.path("a.h5"));
    Hdf5File file = Hdf5File::create_stream(target);
    file.make_table<double>("/x", {}, 8);
    file.begin_stream();
    target.commit();
    const std::vector<double> rows = {1, 2, 3};
    file.append<double>("/x", rows);
    file.flush();
    std::filesystem::copy_file(folder.path("a.h5"), path); // what death leaves at this moment
    file.close();
  }
  EXPECT_FALSE(opens_plainly(path));
  end_stream_of_killed_writer(path);
  EXPECT_TRUE(opens_plainly(path));
  EXPECT_EQ(Hdf5File::open(path).read<double>("/x"), (std::vector<double>{1, 2, 3}));
  // Files of other kinds stay as they are.
  end_stream_of_killed_writer(path);
  end_stream_of_killed_writer(folder.path("none.h5"));
  end_stream_of_killed_writer(folder.write("text.h5", "hello"));
  EXPECT_TRUE(opens_plainly(folder.path("a.h5")));
}

TEST(Hdf5File, DatasetsAreFilledInPieces) {
  const ScratchFolder folder;
  std::vector<double> all(120);
  std::iota(all.begin(), all.end(), 0.5);
  const std::span<const double> values(all);
  {
    Hdf5File file = Hdf5File::create(folder.path("a.h5"));
    for (const int compression : {0, 4}) {
      const std::string name = "/filled/" + std::to_string(compression);
      file.make<double>(name, {40, 3}, compression);
      EXPECT_FALSE(file.is_written(name));
      file.write_rows<double>(name, 0, values.first(3 * 17));
      file.write_rows<double>(name, 17, values.subspan(3 * 17));
      EXPECT_THROW(file.write_rows<double>(name, 39, values.first(6)), InvalidArgument);
      EXPECT_THROW(file.write_rows<double>(name, 0, values.first(4)), InvalidArgument);
      EXPECT_EQ(file.read<double>(name), all);
    }
    // Rows of 20 bodies of which 8 lie together.
    file.make_table<double>("/frames", {20, 3}, 1, 3, 8);
    for (const std::size_t row : {0, 1}) {
      file.append_row("/frames");
      for (const std::size_t first : {0, 7, 14})
        file.write_in_row<double>("/frames", row, first,
                                  values.subspan(60 * row + 3 * first, first < 14 ? 21 : 18));
    }
    EXPECT_THROW(file.write_in_row<double>("/frames", 2, 0, values.first(3)), InvalidArgument);
    EXPECT_THROW(file.write_in_row<double>("/frames", 1, 19, values.first(6)), InvalidArgument);
    EXPECT_THROW(file.write_in_row<double>("/frames", 1, 0, values.first(4)), InvalidArgument);
    file.close();
  }
  const Hdf5File file = Hdf5File::open(folder.path("a.h5"));
  EXPECT_EQ(file.shape("/frames"), (Hdf5Shape{2, 20, 3}));
  EXPECT_EQ(file.read<double>("/frames"), all);
  const std::vector<double> part(all.begin() + 60 + 15, all.begin() + 60 + 27);
  EXPECT_EQ(file.read_in_row<double>("/frames", 1, 5, 4), part);
  EXPECT_THROW(file.read_in_row<double>("/frames", 1, 18, 3), FileError);
  EXPECT_THROW(file.read_in_row<double>("/frames", 2, 0, 1), FileError);
}

TEST(Hdf5File, ConvertsSizesButNotKinds) {
  const ScratchFolder folder;
  Hdf5File file = Hdf5File::create(folder.path("a.hdf5"));
  const std::vector<std::int64_t> small = {1, -7}, large = {1, 1LL << 40};
  const std::vector<float> floats = {0.5f, 2.0f};
  file.write<std::int64_t>("/small", small);
  file.write<std::int64_t>("/large", large);
  file.write<float>("/floats", floats);
  EXPECT_EQ(file.read<std::int32_t>("/small"), (std::vector<std::int32_t>{1, -7}));
  EXPECT_THROW(file.read<std::int32_t>("/large"), FileError) << "never clipped";
  EXPECT_THROW(file.read<std::uint8_t>("/small"), FileError);
  EXPECT_EQ(file.read<double>("/floats"), (Vector{0.5, 2.0}));
  EXPECT_THROW(file.read<double>("/small"), FileError);
  EXPECT_THROW(file.read<std::int32_t>("/floats"), FileError);
}

std::string open_error(const std::string& path) {
  try {
    Hdf5File::open(path);
  } catch (const FileError& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(Hdf5File, OpeningTellsWhatIsWrong) {
  const ScratchFolder folder;
  const std::string good = folder.path("good.hdf5");
  Hdf5File::create(good).write_value<double>("/x", 1);
  std::ifstream in(good, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(open_error(good), "(no error)");
  EXPECT_NE(open_error(folder.path("none")).find("no such file"), std::string::npos);
  EXPECT_NE(open_error(folder.path("")).find("directory"), std::string::npos);
  EXPECT_NE(open_error(folder.write("empty", "")).find("is empty"), std::string::npos);
  EXPECT_NE(open_error(folder.write("text", "hello")).find("not an HDF5 file"), std::string::npos);
  EXPECT_NE(open_error(folder.write("cut", bytes.substr(0, bytes.size() - 1))).find("truncated"),
            std::string::npos);
  EXPECT_TRUE(is_hdf5(good) && is_hdf5(folder.path("cut")));
  EXPECT_FALSE(is_hdf5(folder.path("text")) || is_hdf5(folder.path("none")) ||
               is_hdf5(folder.path("")));
}

/// A contiguous or chunked dataset of the given extent with nothing in it.
void make_hollow(const std::string& path, hsize_t entries, bool chunked) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &entries, nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk = 16;
  if (chunked) H5Pset_chunk(creation, 1, &chunk);
  const hid_t dataset =
      H5Dcreate2(file, "/x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (chunked && entries > 0) { // one chunk of very many
    const hsize_t start = 0;
    const hid_t selection = H5Scopy(space), memory = H5Screate_simple(1, &chunk, nullptr);
    H5Sselect_hyperslab(selection, H5S_SELECT_SET, &start, nullptr, &chunk, nullptr);
    const double values[16] = {};
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, selection, H5P_DEFAULT, values);
    H5Sclose(selection);
    H5Sclose(memory);
  }
  H5Dclose(dataset);
  H5Pclose(creation);
  H5Sclose(space);
  H5Fclose(file);
}

TEST(Hdf5File, DoesNotTakeMemoryForWhatIsNotThere) {
  const ScratchFolder folder;
  const std::string path = folder.path("hollow.hdf5");
  for (const hsize_t entries : {hsize_t{1} << 20, hsize_t{1} << 40, hsize_t{1} << 60})
    for (const bool chunked : {false, true}) {
      make_hollow(path, entries, chunked);
      const Hdf5File file = Hdf5File::open(path);
      EXPECT_EQ(file.is_written("/x"), chunked);
      EXPECT_THROW(file.read<double>("/x"), FileError) << entries << " " << chunked;
      EXPECT_THROW(file.read_rows<double>("/x", 0, entries), FileError);
    }
}

TEST(Hdf5File, RestoresTheLibrarysErrorPrinting) {
  const ScratchFolder folder;
  H5E_auto2_t before = nullptr, after = nullptr;
  void *data_before = nullptr, *data_after = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data_before);
  testing::internal::CaptureStderr();
  EXPECT_THROW(Hdf5File::open(folder.write("text", "hello")), FileError);
  Hdf5File file = Hdf5File::create(folder.path("a.hdf5"));
  EXPECT_THROW(file.read<double>("/none"), FileError);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  H5Eget_auto2(H5E_DEFAULT, &after, &data_after);
  EXPECT_EQ(before, after);
  EXPECT_EQ(data_before, data_after);
}

TEST(Hdf5File, AClosedFileRefusesEverything) {
  const ScratchFolder folder;
  Hdf5File file = Hdf5File::create(folder.path("a.hdf5"));
  file.close();
  EXPECT_NO_THROW(file.close());
  EXPECT_THROW(file.write_value<double>("/x", 1), FileError);
  EXPECT_THROW(file.read<double>("/x"), FileError);
  EXPECT_THROW(file.flush(), FileError);
  EXPECT_FALSE(file.has("/x"));
}

TEST(Hdf5File, AFullDiskIsAnErrorAndLeavesTheOldFile) {
  const ScratchFolder folder;
  const std::string path = folder.write("a.hdf5", "the old file");
  const Vector much(100000, 1.5);
  const auto write = [&](rlim_t bytes) {
    const FileSizeLimit limit(bytes);
    AtomicFile target(path);
    Hdf5File file = Hdf5File::create(target);
    file.write_string("/some/notes", "first");
    file.write<double>("/x", much);
    file.write_string("/more/notes", "last");
    file.close();
    target.commit();
  };
  for (const rlim_t bytes : {0, 100, 1000, 2000, 4000, 20000, 799999, 800500}) {
    EXPECT_THROW(write(bytes), FileError) << bytes;
    EXPECT_EQ(folder.count(), 1);
    std::ifstream in(path);
    std::string content;
    std::getline(in, content);
    EXPECT_EQ(content, "the old file");
  }
  EXPECT_NO_THROW(write(1000000));
}

TEST(Hdf5File, AFullDiskEndsAGrowingTableInPeace) {
  const ScratchFolder folder;
  const std::string path = folder.path("a.hdf5");
  const Vector frame(1000, 1.5);
  const auto write = [&] {
    const FileSizeLimit limit(100000);
    Hdf5File file = Hdf5File::create(path);
    file.make_table<double>("/frames", {frame.size()}, 4);
    for (int k = 0; k < 100; ++k) {
      file.append<double>("/frames", frame);
      file.flush();
    }
  };
  EXPECT_THROW(write(), FileError);
  // The library is still fit for work.
  Hdf5File again = Hdf5File::create(path);
  again.write<double>("/frame", frame);
  again.close();
  EXPECT_EQ(Hdf5File::open(path).read<double>("/frame"), frame);
}

TEST(Hdf5File, EqualCallsMakeEqualBytes) {
  const ScratchFolder folder;
  const auto write = [&](const std::string& name) {
    Hdf5File file = Hdf5File::create(folder.path(name));
    file.write_value<double>("/a/x", 1);
    file.write_string("/a/title", "title");
    file.write_attribute<std::int32_t>("/a", "n", 3);
    file.close();
    std::ifstream in(folder.path(name), std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), {});
  };
  const std::string first = write("1");
  struct timespec pause = {1, 100000000}; // time stamps count seconds
  nanosleep(&pause, nullptr);
  EXPECT_EQ(first, write("2"));
}

} // namespace
} // namespace talus
