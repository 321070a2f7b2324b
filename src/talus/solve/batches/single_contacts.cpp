#include "talus/solve/batches/single_contacts.h"

#include "talus/contact/local_contact.h"

namespace talus::batch {
namespace {

template <class Packed, int D>
LocalContact contact_of(const ContactBatch<D>& batch, int lane) {
  Packed packed;
  for (int k = 0; k < ContactBatch<D>::triangle; ++k) {
    packed.A[k] = batch.block[k][lane];
    packed.inverse[k] = batch.inverse[k][lane];
  }
  LocalContact contact;
  unpack<D>(packed, contact);
  return contact;
}

} // namespace

void slide_one(const ContactBatch<3>& batch, int lane, const double* b, const double* stick,
               double* z) {
  slide_on_round_cone(contact_of<PackedContact>(batch, lane), batch.mu[lane], Law::coulomb, b,
                      stick, z, LocalAccuracy::sweep);
}

void solve_one(const ContactBatch<6>& batch, int lane, const double* b, double* z) {
  const ContactSet set{{FrictionKind::rolling}, 6, batch.mu[lane], 0, batch.rolling[lane],
                       batch.spinning[lane]};
  solve_local_contact(contact_of<PackedRollingContact>(batch, lane), set, Law::coulomb, b, z,
                      LocalAccuracy::sweep);
}

} // namespace talus::batch
