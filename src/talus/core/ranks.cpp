#include "talus/core/ranks.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace talus {
namespace {

/// The halo of one process: nothing to copy.
class NoHalo : public Halo {
public:
  explicit NoHalo(const HaloPlan& plan) : Halo(plan) {}

protected:
  void do_copy(ConstSpan, Span, int) override {}
};

/// What goes to the other ranks: a letter for the kind, then the message.
std::string told(const std::exception_ptr& failure) {
  if (!failure) return "";
  try {
    std::rethrow_exception(failure);
  } catch (const InvalidArgument& error) {
    return std::string("a") + error.what();
  } catch (const std::exception& error) {
    return std::string("e") + error.what();
  } catch (...) {
    return "eunknown failure";
  }
}

} // namespace

Halo::Halo(const HaloPlan& plan) {
  for (const auto& list : plan.send) {
    sent_ += static_cast<Index>(list.size());
    receivers_ += !list.empty();
  }
}

void Halo::copy(ConstSpan owned, Span copies, int width) {
  ++traffic_->copies;
  traffic_->messages += receivers_;
  traffic_->bytes += static_cast<std::int64_t>(sizeof(double)) * width * sent_;
  do_copy(owned, copies, width);
}

std::unique_ptr<Halo> Ranks::do_make_halo(HaloPlan plan) {
  return std::make_unique<NoHalo>(plan);
}

std::unique_ptr<Halo> Ranks::make_halo(HaloPlan plan) {
  auto halo = do_make_halo(std::move(plan));
  halo->traffic_ = &traffic_;
  return halo;
}

std::unique_ptr<BlockSystem> Ranks::do_make_block_system(BlockSystemPlan) {
  return nullptr;
}

std::unique_ptr<BlockSystem> Ranks::make_block_system(BlockSystemPlan plan) {
  const LinearEngine engine = plan.engine;
  auto system = do_make_block_system(std::move(plan));
  if (!system)
    throw InvalidArgument("there are no linear systems by " + to_string(engine) +
                          " over these ranks; talus-mpi has them");
  return system;
}

void Ranks::sum(std::span<ExactSum> sums) {
  words_.clear();
  for (ExactSum& part : sums) {
    part.carry();
    words_.insert(words_.end(), part.data().begin(), part.data().end());
  }
  sum(words_);
  for (std::size_t k = 0; k < sums.size(); ++k)
    std::copy_n(&words_[k * ExactSum::words], ExactSum::words, sums[k].data().begin());
}

void Ranks::sum(std::span<std::int64_t> numbers) {
  ++traffic_.reductions;
  traffic_.reduced_bytes += static_cast<std::int64_t>(numbers.size_bytes());
  do_sum(numbers);
}

std::int64_t Ranks::sum(std::int64_t number) {
  sum(std::span<std::int64_t>(&number, 1));
  return number;
}

double Ranks::max(double number) {
  ++traffic_.reductions;
  traffic_.reduced_bytes += sizeof number;
  // Bits of numbers that are not negative are ordered as the numbers are, and NaN comes last.
  return std::bit_cast<double>(do_max(std::bit_cast<std::int64_t>(std::abs(number))));
}

double Ranks::min(double number) {
  ++traffic_.reductions;
  traffic_.reduced_bytes += sizeof number;
  return std::bit_cast<double>(-do_max(-std::bit_cast<std::int64_t>(std::abs(number))));
}

std::int64_t Ranks::before(std::int64_t number) {
  return do_before(number);
}

std::vector<Bytes> Ranks::exchange(std::vector<Bytes> out) {
  return do_exchange(std::move(out));
}

std::vector<Bytes> Ranks::gather(const Bytes& mine) {
  return exchange(std::vector<Bytes>(count(), mine));
}

void Ranks::agree(std::exception_ptr failure) {
  if (!any(static_cast<bool>(failure))) return;
  if (count() == 1) std::rethrow_exception(failure);
  Bytes bytes;
  for (const char letter : told(failure)) append(bytes, letter);
  const std::vector<Bytes> all = gather(bytes);
  for (int r = 0; r < count(); ++r) {
    const std::vector<char> text = values_in<char>(all[r]);
    if (!text.empty())
      throw RankFailed(r, text[0] == 'a', std::string(text.begin() + 1, text.end()));
  }
}

} // namespace talus
