#pragma once
// y = N x in extended precision, for answers whose impulses nearly cancel.
//
// In double precision the rounding of N x grows with |x|: impulses 10^10 times larger than the
// velocities they leave behind say little about those velocities. Here all sums and products are
// those of long double (64 bits of mantissa on x86-64), and only y is rounded to double.

#include "talus/problem/contact_problem.h"

namespace talus {

/// y = N x for x = (r, l), compliance included. x and y must differ. Much slower than
/// DelassusOperator::apply; a global model is factorised anew and its solution refined. Throws
/// InvalidProblem when M is singular.
void extended_product(const ContactProblem& problem, ConstSpan x, Span y);

} // namespace talus
