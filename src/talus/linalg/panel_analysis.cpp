#include "talus/linalg/panel_analysis.h"

#include "talus/linalg/elimination_order.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

namespace talus {
namespace {

std::span<const Index> row_of(const BlockPattern& pattern, Index i) {
  return {pattern.column.data() + pattern.row_start[i],
          pattern.column.data() + pattern.row_start[i + 1]};
}

/// The pattern of A with equal columns taken together.
struct NodeGraph {
  BlockPattern pattern;
  std::vector<Index> weight;  ///< Columns of each node.
  std::vector<Index> node_of; ///< Of each column.
};

/// Of a set of columns; equal for equal sets, and for other ones only by accident.
std::uint64_t fingerprint(std::span<const Index> columns) {
  std::uint64_t sum = 0;
  for (const Index column : columns) {
    std::uint64_t x = static_cast<std::uint64_t>(column) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    sum += x ^ (x >> 31);
  }
  return sum;
}

/// Columns of the same pattern are neighbours, as each has its diagonal.
NodeGraph compress(const BlockPattern& whole) {
  const Index n = whole.size();
  std::vector<std::uint64_t> print(n);
  for (Index i = 0; i < n; ++i) print[i] = fingerprint(row_of(whole, i));
  NodeGraph graph;
  graph.node_of.assign(n, -1);
  std::vector<Index> first; // column of each node
  for (Index i = 0; i < n; ++i) {
    for (const Index j : row_of(whole, i)) {
      if (j >= i) break;
      if (print[j] == print[i] && std::ranges::equal(row_of(whole, j), row_of(whole, i))) {
        graph.node_of[i] = graph.node_of[j];
        break;
      }
    }
    if (graph.node_of[i] < 0) {
      graph.node_of[i] = static_cast<Index>(first.size());
      first.push_back(i);
      graph.weight.push_back(0);
    }
    ++graph.weight[graph.node_of[i]];
  }
  for (const Index i : first) {
    const std::size_t begin = graph.pattern.column.size();
    for (const Index j : row_of(whole, i))
      if (first[graph.node_of[j]] == j) graph.pattern.column.push_back(graph.node_of[j]);
    std::sort(graph.pattern.column.begin() + static_cast<std::ptrdiff_t>(begin),
              graph.pattern.column.end());
    graph.pattern.row_start.push_back(static_cast<Index>(graph.pattern.column.size()));
  }
  return graph;
}

/// The elimination of the nodes in some order; nodes are numbered by it.
struct Elimination {
  std::vector<Index> order;  ///< Node of the graph by number.
  std::vector<Index> parent; ///< In the elimination tree, -1 at its roots.
  /// Later nodes in the column of each node of L, increasing. Empty but for the last node of a run
  /// of nodes with the same column.
  std::vector<std::vector<Index>> below;
  std::vector<bool> is_last; ///< Of its run.
  double fill = 0, flops = 0;
};

std::vector<Index> inverse(const std::vector<Index>& order) {
  std::vector<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<Index>(k);
  return place;
}

/// Parents in the elimination tree (Liu 1990), by number.
std::vector<Index> elimination_tree(const BlockPattern& pattern, const std::vector<Index>& order) {
  const std::vector<Index> place = inverse(order);
  const Index n = pattern.size();
  std::vector<Index> parent(n, -1), ancestor(n, -1);
  for (Index k = 0; k < n; ++k)
    for (const Index neighbour : row_of(pattern, order[k]))
      for (Index i = place[neighbour]; i >= 0 && i < k;) {
        const Index next = ancestor[i];
        ancestor[i] = k;
        if (next < 0) parent[i] = k;
        i = next;
      }
  return parent;
}

/// Children before parents, subtrees together.
std::vector<Index> postorder(const std::vector<Index>& parent) {
  const Index n = static_cast<Index>(parent.size());
  std::vector<Index> child(n, -1), sibling(n, -1), result, stack;
  for (Index i = n - 1; i >= 0; --i)
    if (parent[i] >= 0) {
      sibling[i] = child[parent[i]];
      child[parent[i]] = i;
    }
  result.reserve(n);
  for (Index root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const Index i = stack.back();
      if (child[i] >= 0) {
        stack.push_back(child[i]);
        child[i] = sibling[child[i]];
      } else {
        result.push_back(i);
        stack.pop_back();
      }
    }
  }
  return result;
}

/// Sorted union of the later neighbours of a node and of the columns of its children.
class ColumnUnion {
public:
  explicit ColumnUnion(Index size) : mark_(size, -1) {}
  void begin(Index node) { node_ = node, rows_.clear(); }
  void add(Index row) {
    if (row <= node_ || mark_[row] == node_) return;
    mark_[row] = node_;
    rows_.push_back(row);
  }
  std::vector<Index> take() {
    std::ranges::sort(rows_);
    return rows_;
  }

private:
  std::vector<Index> mark_, rows_;
  Index node_ = -1;
};

Elimination eliminate(const NodeGraph& graph, std::vector<Index> order) {
  const Index n = graph.pattern.size();
  const std::vector<Index> post = postorder(elimination_tree(graph.pattern, order));
  Elimination result;
  result.order.resize(n);
  for (Index k = 0; k < n; ++k) result.order[k] = order[post[k]];
  result.parent = elimination_tree(graph.pattern, result.order);
  result.below.resize(n);
  result.is_last.assign(n, true);
  std::vector<std::vector<Index>> children(n);
  const std::vector<Index> place = inverse(result.order);
  ColumnUnion column(n);
  for (Index k = 0; k < n; ++k) {
    column.begin(k);
    for (const Index neighbour : row_of(graph.pattern, result.order[k]))
      column.add(place[neighbour]);
    for (const Index child : children[k])
      for (const Index row : result.below[child]) column.add(row);
    result.below[k] = column.take();
    if (result.parent[k] >= 0) children[result.parent[k]].push_back(k);
    double height = graph.weight[result.order[k]];
    for (const Index row : result.below[k]) height += graph.weight[result.order[row]];
    result.fill += height * graph.weight[result.order[k]];
    result.flops += height * height * graph.weight[result.order[k]];
    // The column of k - 1 is that of k and k itself: one run. Nobody else asks for it.
    if (k > 0 && result.parent[k - 1] == k &&
        result.below[k - 1].size() == result.below[k].size() + 1) {
      result.is_last[k - 1] = false;
      result.below[k - 1] = {};
    }
  }
  return result;
}

/// CHOLMOD's rule: dissection is tried where minimum degree leaves much to do and much fill.
Elimination best_elimination(const NodeGraph& graph, std::size_t stored) {
  Elimination best = eliminate(graph, minimum_degree_order(graph.pattern));
  if (best.flops < 500 * best.fill || best.fill < 5 * static_cast<double>(stored)) return best;
  std::vector<Index> order = dissection_order(graph.pattern, graph.weight);
  if (order.empty()) return best;
  Elimination other = eliminate(graph, std::move(order));
  return other.fill < best.fill ? other : best;
}

/// Runs of nodes that become one panel.
struct Group {
  Index first, last; ///< Nodes.
  double width, below, zeros;
};

/// Whether a panel of this width is worth its share of zeros.
bool is_worth(double width, double zeros, double entries) {
  const double share = zeros / entries;
  return width <= 4 || zeros == 0 || (width <= 16 && share < 0.8) || (width <= 48 && share < 0.1) ||
         share < 0.05;
}

/// Merges a group with the one behind it, its parent: the columns of the first get the rows of the
/// second.
Group merged(const Group& child, const Group& parent) {
  const double added = child.width * (parent.width + parent.below - child.below);
  return {child.first, parent.last, child.width + parent.width, parent.below,
          child.zeros + parent.zeros + added};
}

double entries_of(const Group& group) {
  return group.width * (group.width + 1) / 2 + group.width * group.below;
}

/// From the left to the right.
std::vector<Group> find_groups(const Elimination& elimination, const NodeGraph& graph) {
  const auto weight = [&](Index node) { return graph.weight[elimination.order[node]]; };
  std::vector<Group> groups; // from the right to the left
  for (Index last = static_cast<Index>(elimination.order.size()) - 1; last >= 0;) {
    Group run{last, last, static_cast<double>(weight(last)), 0, 0};
    for (const Index row : elimination.below[last]) run.below += weight(row);
    while (run.first > 0 && !elimination.is_last[run.first - 1]) run.width += weight(--run.first);
    last = run.first - 1;
    const Index parent = elimination.parent[run.last];
    if (!groups.empty() && parent >= 0 && parent <= groups.back().last) {
      const Group both = merged(run, groups.back());
      if (is_worth(both.width, both.zeros, entries_of(both))) {
        groups.back() = both;
        continue;
      }
    }
    groups.push_back(run);
  }
  std::ranges::reverse(groups);
  return groups;
}

} // namespace

PanelAnalysis analyse_panels(const std::vector<Index>& column_start,
                             const std::vector<Index>& row) {
  const NodeGraph graph = compress(mirror_triangle(column_start, row));
  const Elimination elimination = best_elimination(graph, row.size());
  const Index n = static_cast<Index>(column_start.size()) - 1;
  const Index nodes = static_cast<Index>(elimination.order.size());
  std::vector<Index> first_column(nodes + 1, 0); // of each node, by number
  for (Index k = 0; k < nodes; ++k)
    first_column[k + 1] = first_column[k] + graph.weight[elimination.order[k]];

  PanelAnalysis result;
  const std::vector<Index> number = inverse(elimination.order);
  std::vector<Index> next(first_column.begin(), first_column.end() - 1);
  result.place.resize(n);
  for (Index i = 0; i < n; ++i) result.place[i] = next[number[graph.node_of[i]]]++;
  result.panel_of.resize(n);
  const auto add_rows = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) result.rows.push_back(i);
  };
  for (const Group& group : find_groups(elimination, graph)) {
    Panel panel;
    panel.first_column = first_column[group.first];
    panel.width = first_column[group.last + 1] - panel.first_column;
    panel.first_row = static_cast<Index>(result.rows.size());
    add_rows(panel.first_column, panel.first_column + panel.width);
    for (const Index node : elimination.below[group.last])
      add_rows(first_column[node], first_column[node + 1]);
    panel.height = static_cast<Index>(result.rows.size()) - panel.first_row;
    panel.values = result.fill;
    result.fill += static_cast<std::size_t>(panel.width) * panel.height;
    std::fill_n(result.panel_of.begin() + panel.first_column, panel.width,
                static_cast<Index>(result.panels.size()));
    result.panels.push_back(panel);
  }
  return result;
}

} // namespace talus
