#pragma once
// The vector kernels solvers are made of. All are threaded and give the same bits for every thread
// count. Spans must have equal lengths and must not overlap partially (y may be x itself).

#include "talus/core/types.h"

namespace talus {

double dot(ConstSpan x, ConstSpan y);
double norm(ConstSpan x);
/// |x - y|.
double distance(ConstSpan x, ConstSpan y);
/// max |x_i|; NaN if any entry is.
double max_abs(ConstSpan x);
bool all_finite(ConstSpan x);

void copy(ConstSpan x, Span y);
void fill(Span y, double value);
void scale(double a, Span y);
/// y += a x.
void axpy(double a, ConstSpan x, Span y);
/// z = a x + b y; z may be x or y.
void combine(double a, ConstSpan x, double b, ConstSpan y, Span z);

} // namespace talus
