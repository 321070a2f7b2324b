#pragma once
// The name of SweepRows, for those who pass rows on without looking into them (sweep_rows.h).

#include <variant>

namespace talus {

template <int B, int D>
class BlockLayout;
class RigidLayout;
template <int D>
class ExplicitRows;
template <class Layout>
class BodyRows;

using SweepRows =
    std::variant<ExplicitRows<1>, ExplicitRows<2>, ExplicitRows<3>, BodyRows<BlockLayout<3, 2>>,
                 BodyRows<BlockLayout<6, 3>>, BodyRows<RigidLayout>>;

} // namespace talus
