#pragma once
// The central path of the contact problem under the exact law, followed through its folds. The
// method is described in fold_ip.cpp; this is its engine.

#include "talus/contact/cone_spectrum.h"
#include "talus/solve/central_path/central_path_cones.h"
#include "talus/solve/monitor.h"
#include "talus/solve/newton/newton_system.h"

namespace talus {

struct FoldedPathOptions {
  double start = 100;     ///< ε of the first point, in units of the mean |P(-q)|² per contact.
  double smoothing = 0.1; ///< Of the tilt: its width over ε, in the same units.
  double accuracy = 0.1;  ///< Relative change of x and y in the last Newton step back to the path.
  double bend = 0.2;      ///< That of the first one, which the length of steps aims at.

  void visit(OptionVisitor& visitor);
};

class FoldedPath {
public:
  /// The problem must be one that path_refusal() has nothing against. Keeps a reference to it. Once
  /// `stop` is met, the path is blocked.
  FoldedPath(const ScaledProblem& problem, const FoldedPathOptions& options, StopTest stop = {});

  /// Finds the first point, from nothing: z is not read. u is the velocity at z if it `moved`;
  /// `blocked`: there is no first point to be found. Every step of the search is counted.
  PathOutcome start(Span z, Span u, Monitor& monitor);

  /// One step along the path, with a note in the history where it folds. `blocked`: the path was
  /// lost, or has come back to where it began.
  PathOutcome step(Span z, Span u, Monitor& monitor);

  /// How often ε turned from falling to rising or back, so far.
  int folds() const { return folds_; }

private:
  /// A point of the path, and of its surroundings while one is sought.
  struct Point {
    Vector p;               ///< Laid out like z; free rows hold their impulse.
    double log_epsilon = 0; ///< Of ε in units of the mean |P(-q)|² per contact.
  };

  static constexpr double first_length = 0.5, shortest = 1e-8; ///< Steps.

  void place(const Point& point);
  void make_matrices();
  void make_residual();
  double tilt_gradient(Index block, double* gradient) const;
  double smoothed_sliding(const PathCone& cone) const;
  void add_tilt(Index block, double* f) const;
  bool newton_direction(Span dp);
  bool tangent_direction(Span dp, bool factorised);
  void to_path_variables(Span dp);
  double change(ConstSpan dp) const;
  double inner(ConstSpan a, ConstSpan b) const;
  void weigh();
  PathOutcome find_first_point(Monitor& monitor);
  void orient_tangent();
  bool return_to_path(Point& trial);
  bool advance();

  const ScaledProblem& problem_;
  FoldedPathOptions options_;
  StopTest stop_;
  NewtonSystem system_;
  std::vector<PathCone> cones_; ///< One per block.
  double degree_, unit_;        ///< Number of cones; mean |P(-q)| per contact.

  // At the point where place() was last.
  double width_ = 0; ///< δ, of the smoothed tilt.
  std::vector<lorentz::Spectrum> spectrum_;
  Vector y_, z_, u_;
  Vector residual_;             ///< T F.
  double squared_residual_ = 0; ///< |F|².
  Vector smoothing_rate_;       ///< dσ_δ / d log ε of every block.
  Vector c_, c_inverse_, k_;

  Point at_;            ///< On the path.
  Vector tangent_;      ///< dp / ds.
  double descent_ = -1; ///< d log ε / ds.
  Vector weight_;       ///< Of every cone in the arc length.
  int sign_ = 1;        ///< Of the determinant, here.
  int orientation_ = 1, folds_ = 0;
  double length_ = first_length; ///< Of the next step.
  double first_change_ = 0;      ///< In the first Newton step of the last return to the path.
  Point trial_;
  Vector rhs_, dz_, n_dz_, correction_, along_;
};

} // namespace talus
