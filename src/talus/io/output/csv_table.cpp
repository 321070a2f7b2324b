#include "talus/io/output/csv_table.h"

#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace talus {

namespace {

/// The lines of an earlier part of the run. A last line without its end is left out. Columns that
/// an older version did not have stay empty.
std::string kept_lines(const std::string& path, const std::string& header, std::int64_t last_step) {
  std::ifstream file(path, std::ios::binary);
  std::string kept, line;
  std::getline(file, line);
  if (line.empty() || !header.starts_with(line)) return kept;
  const std::string missing(std::ranges::count(header.substr(line.size()), ','), ',');
  while (std::getline(file, line) && !file.eof()) {
    std::int64_t step = 0;
    std::from_chars(line.data(), line.data() + line.size(), step);
    if (step >= 1 && step <= last_step) kept += line + missing + '\n';
  }
  return kept;
}

} // namespace

CsvTable::CsvTable(const std::string& path, std::string header,
                   std::optional<std::int64_t> keep_until)
    : path_(path) {
  if (keep_until) header += kept_lines(path, std::string(header), *keep_until);
  AtomicFile target(path);
  file_ = open(target.temporary_path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) throw FileError(path, fmt::format("cannot be written: {}", std::strerror(errno)));
  append(header);
  flush();
  target.commit();
}

CsvTable::~CsvTable() {
  if (file_ >= 0) close(file_);
}

void CsvTable::flush() {
  std::size_t done = 0;
  while (done < unwritten_.size()) {
    const ssize_t written = write(file_, unwritten_.data() + done, unwritten_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int trouble = errno;
      unwritten_.erase(0, done); // what is written is not written again
      throw FileError(path_, fmt::format("cannot be written: {}", std::strerror(trouble)));
    }
    done += static_cast<std::size_t>(written);
  }
  unwritten_.clear();
}

} // namespace talus
