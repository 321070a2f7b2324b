#pragma once
// A program that runs beside this one.

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace talus::cli {

class ChildProcess {
public:
  /// Starts arguments[0] (looked up in PATH unless it has a slash), fed through a pipe. A silent
  /// one says nothing on standard output and error. It has a process group of its own: Ctrl-C does
  /// not reach it. Throws Error when it cannot be started.
  ChildProcess(const std::vector<std::string>& arguments, bool silent);
  /// Ends it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// To its standard input. Throws Error when it does not listen any more.
  void write(std::string_view bytes);
  void close_input();
  bool is_running();
  /// Waits for its end; the exit code, or 128 + the signal that ended it.
  int wait();
  /// SIGTERM, and SIGKILL if it is still there after two seconds.
  void end();

private:
  void note_end(int status);

  std::string name_;
  pid_t process_ = -1; ///< -1 once it has ended.
  int input_ = -1, exit_code_ = 0;
};

/// The first of the programs that PATH has; empty if it has none.
std::string find_program(const std::vector<std::string>& names);

} // namespace talus::cli
