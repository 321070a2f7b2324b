#pragma once
// The problems that Talus made itself (tests/data), and the corpus of other systems' problems,
// when it lies beside the checkout.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace talus::test {

inline std::filesystem::path corpus() {
  return TALUS_CORPUS_DIR;
}

inline bool has_corpus() {
  return std::filesystem::is_directory(corpus());
}

/// What a test says when it skips.
inline std::string no_corpus() {
  return "no problem corpus at " + corpus().string();
}

/// Files with the given ending in a folder, sorted.
inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                                   const std::string& extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// The problems of tests/data that have solutions: ".hdf5" contacts, ".dat" complementarity.
inline std::vector<std::filesystem::path> own_files(const std::string& extension) {
  return files_in(TALUS_TEST_DATA_DIR, extension);
}

inline std::string own_file(const std::string& name) {
  return (std::filesystem::path(TALUS_TEST_DATA_DIR) / name).string();
}

/// Files with the given ending in the given folders of the corpus, sorted.
inline std::vector<std::filesystem::path> corpus_files(const std::vector<std::string>& folders,
                                                       const std::string& extension) {
  std::vector<std::filesystem::path> files;
  for (const std::string& folder : folders)
    if (std::filesystem::is_directory(corpus() / folder))
      for (const auto& path : files_in(corpus() / folder, extension)) files.push_back(path);
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace talus::test
