#pragma once
// Contacts in parts that a Gauss-Seidel sweep may treat at once, without changing what any of them
// sees.
//
// The bodies are cut into ranges of consecutive numbers, which are close in space where the numbers
// are. A part holds the contacts within one range, or those between two: parts of different ranges
// share no body. The parts form rounds; the first has the contacts within each range, most of them
// where bodies are numbered well, the others match up ranges such that none plays twice in a round.
// Whatever the numbering, half as many threads as there are ranges find work. More ranges would
// serve more threads, but leave more contacts between them, which are read out of order.
//
// Everything follows from the bodies of the contacts alone, so a sweep gives the same bits for
// every number of threads. Fewer than `least` contacts stay in one part, in their order.

#include "talus/core/parallel.h"
#include "talus/problem/contact_problem.h"

#include <array>

namespace talus {

class SweepPartition {
public:
  static constexpr Index least = 4096;
  static constexpr Index most_ranges = 8;
  static constexpr Index most_parts = most_ranges * (most_ranges + 1) / 2;

  /// One part of so many contacts.
  explicit SweepPartition(Index contacts = 0) : contacts_(contacts) {}

  /// Divides the contacts between `bodies` bodies, of which a negative number is the immovable
  /// world that all may share, in the memory it has. A range takes part in about 4096 contacts or
  /// more, in half of all where there are fewer than 8192. O(bodies + contacts), little against a
  /// sweep.
  void divide(Index bodies, const std::vector<BodyPair>& pairs);

  Index contacts() const { return contacts_; }
  /// None where all contacts are one part.
  Index rounds() const {
    return round_start_.empty() ? 0 : static_cast<Index>(round_start_.size()) - 1;
  }
  /// Round k has parts [first_part(k), first_part(k + 1)).
  Index first_part(Index round) const { return round_start_[round]; }
  /// The contacts of a part, increasing.
  std::span<const Index> part(Index k) const {
    return {list_.data() + part_start_[k], list_.data() + part_start_[k + 1]};
  }

  /// Calls visit(c) for every contact, round by round, the parts of a round with all threads, each
  /// in order; the reverse if `backward`.
  template <class Visit>
  void for_each(bool backward, Visit&& visit) const {
    if (list_.empty()) return in_order(contacts_, backward, visit);
    for_each_part(backward, [&](Index k) { visit_part(k, backward, visit, [](Index) {}); });
  }

  /// The same, and the sum of what visit(c) returns: part by part, then over the parts. prefetch(c)
  /// is called some contacts ahead where c is not the neighbour in memory that processors expect.
  template <class Visit, class Prefetch>
  double sum(bool backward, Visit&& visit, Prefetch&& prefetch) const {
    double total = 0;
    if (list_.empty()) {
      in_order(contacts_, backward, [&](Index c) { total += visit(c); });
      return total;
    }
    std::array<double, most_parts> sums;
    for_each_part(backward, [&](Index k) {
      double sum = 0;
      visit_part(
          k, backward, [&](Index c) { sum += visit(c); }, prefetch);
      sums[k] = sum;
    });
    for (Index k = 0; k < round_start_.back(); ++k) total += sums[k];
    return total;
  }

private:
  /// Two ranges and how many contacts they have between them, or a range with itself.
  struct Match {
    Index first, second, size, round = 0;
  };

  template <class Visit>
  static void in_order(Index n, bool backward, Visit&& visit) {
    for (Index k = 0; k < n; ++k) visit(backward ? n - 1 - k : k);
  }

  template <class Visit, class Prefetch>
  void visit_part(Index k, bool backward, Visit&& visit, Prefetch&& prefetch) const {
    constexpr Index ahead = 6;
    const std::span<const Index> contacts = part(k);
    const Index n = static_cast<Index>(contacts.size()), to_next = backward ? -1 : 1;
    in_order(n, backward, [&](Index i) {
      const Index later = i + ahead * to_next;
      if (later >= 0 && later < n && contacts[later] != contacts[later - to_next] + to_next)
        prefetch(contacts[later]);
      visit(contacts[i]);
    });
  }

  template <class Work>
  void for_each_part(bool backward, Work&& work) const {
    // Waking threads takes longer than this many contacts.
    constexpr Index worth_threads = 64;
    in_order(rounds(), backward, [&](Index round) {
      const Index first = round_start_[round], count = round_start_[round + 1] - first;
      const Index size = part_start_[first + count] - part_start_[first];
      parallel_for(
          count,
          [&](Index begin, Index end) {
            for (Index k = begin; k < end; ++k) work(first + (backward ? count - 1 - k : k));
          },
          size < worth_threads ? count : 1);
    });
  }

  Index match_of(const BodyPair& pair) const;
  void cut_into_ranges(Index bodies, Index ranges, const std::vector<BodyPair>& pairs);
  void count_matches(Index ranges, const std::vector<BodyPair>& pairs);
  void arrange_rounds(Index ranges);

  Index contacts_;
  std::vector<Index> list_; ///< Part by part; empty while all are one.
  std::vector<Index> part_start_, round_start_;
  std::vector<Index> range_of_; ///< Of each body.
  std::vector<Match> matches_;  ///< Round by round; only those that have contacts.
  std::vector<Index> place_;    ///< Of each pair of ranges: contacts, then where the next belongs.
};

} // namespace talus
