#pragma once
// A linear system over ranks that every rank gathers and solves as a whole: for tests.

#include "talus/core/ranks.h"

#include <Eigen/LU>

#include <cmath>

namespace talus::test {

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
          append(bytes, Entry{width * plan_.bodies.number[plan_.pattern[k].first] + i,
                              width * plan_.bodies.number[plan_.pattern[k].second] + j,
                              blocks[(k * width + i) * width + j]});
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size_, size_);
    for (const Bytes& part : ranks_.gather(bytes))
      for (const Entry& entry : values_in<Entry>(part))
        matrix(entry.row, entry.column) += entry.value;
    if (plan_.symmetric && !matrix.isApprox(matrix.transpose(), 1e-12)) return false;
    lu_.compute(matrix);
    return matrix.allFinite() && std::abs(lu_.matrixLU().diagonal().prod()) > 0;
  }

  bool solve(ConstSpan b, double, Span x) override {
    const int width = plan_.bodies.width;
    Bytes bytes;
    for (std::size_t body = 0; body < plan_.bodies.number.size(); ++body)
      for (int i = 0; plan_.bodies.number[body] >= 0 && i < width; ++i)
        append(bytes, Entry{width * plan_.bodies.number[body] + i, 0, b[width * body + i]});
    Eigen::VectorXd right = Eigen::VectorXd::Zero(size_);
    for (const Bytes& part : ranks_.gather(bytes))
      for (const Entry& entry : values_in<Entry>(part)) right(entry.row) += entry.value;
    const Eigen::VectorXd answer = lu_.solve(right);
    for (std::size_t body = 0; body < plan_.bodies.number.size(); ++body)
      for (int i = 0; i < width; ++i)
        x[width * body + i] =
            plan_.bodies.number[body] < 0 ? 0.0 : answer(width * plan_.bodies.number[body] + i);
    return answer.allFinite();
  }

private:
  struct Entry {
    std::int64_t row, column;
    double value;
  };
  BlockSystemPlan plan_;
  Ranks& ranks_;
  std::int64_t size_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

} // namespace talus::test
