#pragma once
// A linear system over ranks that every rank gathers and solves as a whole: for tests.

#include "talus/core/ranks.h"

#include <algorithm>
#include <cmath>

namespace talus::test {

/// Gaussian elimination with row pivoting.
class PlainLu {
public:
  /// Row-major; false for a pivot that is zero or not finite.
  bool factorise(Vector a, std::size_t size) {
    a_ = std::move(a);
    n_ = size;
    pivot_.resize(n_);
    for (std::size_t k = 0; k < n_; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < n_; ++i)
        if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
      pivot_[k] = best;
      if (best != k)
        for (std::size_t j = 0; j < n_; ++j) std::swap(at(k, j), at(best, j));
      if (!(std::abs(at(k, k)) > 0) || !std::isfinite(at(k, k))) return false;
      for (std::size_t i = k + 1; i < n_; ++i) {
        if (at(i, k) == 0) continue;
        at(i, k) /= at(k, k);
        for (std::size_t j = k + 1; j < n_; ++j) at(i, j) -= at(i, k) * at(k, j);
      }
    }
    return true;
  }

  void solve(Vector& x) {
    for (std::size_t k = 0; k < n_; ++k) std::swap(x[k], x[pivot_[k]]);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j) x[i] -= at(i, j) * x[j];
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t j = i + 1; j < n_; ++j) x[i] -= at(i, j) * x[j];
      x[i] /= at(i, i);
    }
  }

private:
  double& at(std::size_t i, std::size_t j) { return a_[i * n_ + j]; }
  Vector a_;
  std::vector<std::size_t> pivot_;
  std::size_t n_ = 0;
};

class GatheredSystem : public BlockSystem {
public:
  GatheredSystem(BlockSystemPlan plan, Ranks& ranks)
      : plan_(std::move(plan)), ranks_(ranks),
        size_(plan_.bodies.width * ranks.sum(std::int64_t{plan_.bodies.own})) {}

  bool factorise(ConstSpan blocks) override {
    const int width = plan_.bodies.width;
    Bytes bytes;
    for (std::size_t k = 0; k < plan_.pattern.size(); ++k)
      for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j)
          append(bytes,
                 Entry{first_of(plan_.pattern[k].first) + i, first_of(plan_.pattern[k].second) + j,
                       blocks[(k * width + i) * width + j]});
    Vector matrix(size_ * size_, 0.0);
    for (const Bytes& part : ranks_.gather(bytes))
      for (const Entry& entry : values_in<Entry>(part))
        matrix[entry.row * size_ + entry.column] += entry.value;
    return (!plan_.symmetric || is_symmetric(matrix)) && lu_.factorise(std::move(matrix), size_);
  }

  bool solve(ConstSpan b, double, Span x) override {
    const int width = plan_.bodies.width;
    Bytes bytes;
    const auto bodies = static_cast<Index>(plan_.bodies.number.size());
    for (Index body = 0; body < bodies; ++body)
      for (int i = 0; plan_.bodies.number[body] >= 0 && i < width; ++i)
        append(bytes, Entry{first_of(body) + i, 0, b[width * body + i]});
    Vector answer(size_, 0.0);
    for (const Bytes& part : ranks_.gather(bytes))
      for (const Entry& entry : values_in<Entry>(part)) answer[entry.row] += entry.value;
    lu_.solve(answer);
    for (Index body = 0; body < bodies; ++body)
      for (int i = 0; i < width; ++i)
        x[width * body + i] = plan_.bodies.number[body] < 0 ? 0.0 : answer[first_of(body) + i];
    return std::ranges::all_of(answer, [](double entry) { return std::isfinite(entry); });
  }

private:
  struct Entry {
    std::int64_t row, column;
    double value;
  };
  std::int64_t first_of(Index body) const { return plan_.bodies.width * plan_.bodies.number[body]; }
  bool is_symmetric(const Vector& matrix) const {
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        largest = std::max(largest, std::abs(matrix[i * size_ + j]));
        difference = std::max(difference, std::abs(matrix[i * size_ + j] - matrix[j * size_ + i]));
      }
    return difference <= 1e-12 * largest;
  }

  BlockSystemPlan plan_;
  Ranks& ranks_;
  std::size_t size_;
  PlainLu lu_;
};

} // namespace talus::test
