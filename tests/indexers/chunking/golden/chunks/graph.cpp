#include "graph.h"

#include <algorithm>
#include <queue>

namespace routes {

template <typename T>
class Matrix {
 public:
  Matrix(size_t rows, size_t columns) : columns_(columns), cells_(rows * columns) {}

  T& at(size_t row, size_t column) { return cells_[row * columns_ + column]; }

 private:
  size_t columns_;
  std::vector<T> cells_;
};

enum class Order { Ascending, Descending };

// Adds an edge in both directions.
void Graph::connect(Node a, Node b, double cost) {
  edges_[a].push_back({b, cost});
  edges_[b].push_back({a, cost});
}

// Dijkstra's algorithm. An empty path means that there is none.
std::vector<Node> Graph::shortest(Node from, Node to) const {
  using Step = std::pair<double, Node>;
  std::priority_queue<Step, std::vector<Step>, std::greater<Step>> open;
  std::unordered_map<Node, double> costs{{from, 0.0}};
  std::unordered_map<Node, Node> before;
  open.push({0.0, from});
  while (!open.empty()) {
    auto [cost, node] = open.top();
    open.pop();
    if (node == to) break;
    if (cost > costs[node]) continue;
    auto found = edges_.find(node);
    if (found == edges_.end()) continue;
    for (const auto& edge : found->second) {
      double next = cost + edge.cost;
      auto known = costs.find(edge.to);
      if (known == costs.end() || next < known->second) {
        costs[edge.to] = next;
        before[edge.to] = node;
        open.push({next, edge.to});
      }
    }
  }
  std::vector<Node> path;
  if (!costs.count(to)) return path;
  for (Node node = to; node != from; node = before.at(node)) path.push_back(node);
  path.push_back(from);
  std::reverse(path.begin(), path.end());
  return path;
}

bool operator==(const Edge& a, const Edge& b) { return a.to == b.to && a.cost == b.cost; }

}  // namespace routes
