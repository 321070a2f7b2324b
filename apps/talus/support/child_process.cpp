#include "child_process.h"

#include "talus/core/error.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace talus::cli {

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, bool silent)
    : name_(arguments.at(0)) {
  std::array<int, 2> ends = {-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(name_ + ": no pipe: " + std::strerror(errno));
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  if (silent)
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int trouble = posix_spawnp(&process_, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  input_ = ends[1];
  if (trouble == 0) return;
  process_ = -1;
  close_input();
  throw Error(name_ + " cannot be started: " + std::strerror(trouble));
}

ChildProcess::~ChildProcess() {
  end();
  close_input();
}

void ChildProcess::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(input_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(name_ + " does not listen: " + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void ChildProcess::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

void ChildProcess::note_end(int status) {
  process_ = -1;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool ChildProcess::is_running() {
  int status = 0;
  if (process_ > 0 && waitpid(process_, &status, WNOHANG) == process_) note_end(status);
  return process_ > 0;
}

int ChildProcess::wait() {
  close_input();
  int status = 0;
  while (process_ > 0) {
    if (waitpid(process_, &status, 0) == process_)
      note_end(status);
    else if (errno != EINTR)
      process_ = -1;
  }
  return exit_code_;
}

void ChildProcess::end() {
  for (const int signal : {SIGTERM, SIGKILL}) {
    if (!is_running()) return;
    kill(process_, signal);
    for (int i = 0; i < 200 && is_running(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  const std::string folders = path ? path : "/usr/bin:/bin";
  for (const std::string& name : names)
    for (std::size_t begin = 0; begin <= folders.size();) {
      const std::size_t end = std::min(folders.find(':', begin), folders.size());
      std::string candidate = folders.substr(begin, end - begin) + "/" + name;
      if (access(candidate.c_str(), X_OK) == 0) return candidate;
      begin = end + 1;
    }
  return {};
}

} // namespace talus::cli
