#pragma once
// Contacts of a batch that are left to the solves of contact/local_contact.h, one by one.

#include "talus/solve/batches/contact_batch.h"

namespace talus::batch {

/// Sliding impulses z of the contact in a lane, from those that z holds, where it neither opens nor
/// sticks with `stick`. b is its velocity without its own impulse.
void slide_one(const ContactBatch<3>& batch, int lane, const double* b, const double* stick,
               double* z);
/// Impulses z of a contact with moments, from those that z holds.
void solve_one(const ContactBatch<6>& batch, int lane, const double* b, double* z);

} // namespace talus::batch
