#pragma once
// The corpus of other systems' problems, when it lies beside the checkout.

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

/// Files with the given ending in the given folders of the corpus, sorted.
inline std::vector<std::filesystem::path> corpus_files(const std::vector<std::string>& folders,
                                                       const std::string& extension) {
  std::vector<std::filesystem::path> files;
  for (const std::string& folder : folders)
    if (std::filesystem::is_directory(corpus() / folder))
      for (const auto& entry : std::filesystem::directory_iterator(corpus() / folder))
        if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace talus::test
