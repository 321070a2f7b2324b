#pragma once
// The scaled problem and the monitor as Python holds them. Those of a running solve belong to it:
// once it is over, using what Python kept of them raises RuntimeError.

#include "problem_casters.h"
#include "talus/solve/monitor.h"

#include <memory>

namespace talus::python {

/// A problem with its operator and scaling.
struct OwnedScaledProblem {
  ContactProblem problem;
  std::unique_ptr<DelassusOperator> n;
  std::unique_ptr<ScaledProblem> scaled;
};

class ScaledProblemRef {
public:
  explicit ScaledProblemRef(ScaledProblem& running) : problem_(&running) {}
  explicit ScaledProblemRef(ContactProblem problem);

  ScaledProblem& operator*() const { return checked(); }
  ScaledProblem* operator->() const { return &checked(); }
  void expire() { problem_ = nullptr; }

private:
  ScaledProblem& checked() const;

  std::unique_ptr<OwnedScaledProblem> owned_;
  ScaledProblem* problem_;
};

class MonitorRef {
public:
  MonitorRef(Monitor& running, Index size) : monitor_(&running), size_(size) {}

  Monitor& operator*() const { return checked(); }
  Monitor* operator->() const { return &checked(); }
  Index size() const { return size_; }
  void expire() { monitor_ = nullptr; }

private:
  Monitor& checked() const;

  Monitor* monitor_;
  Index size_;
};

} // namespace talus::python
