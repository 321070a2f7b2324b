#pragma once
// Threads with results that do not depend on them. Loops are cut into chunks whose bounds are a
// function of the length alone; sums add the chunks' partial sums in chunk order. The thread count
// therefore changes neither a value nor a bit. The number of threads is that of the surrounding
// `with_threads`.

#include "talus/core/types.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <utility>

namespace talus {

/// The largest number of threads one can ask for. The scheduler checks nothing, and above 65536 its
/// 16-bit numbers of threads overflow.
inline constexpr int most_threads = 4096;

/// Throws InvalidArgument unless `threads` is 0 (all the machine has) or 1 to `most_threads`.
void require_thread_count(int threads);

/// Runs `work` with at most `threads` threads (0: all the machine has) and returns its result.
/// Throws InvalidArgument like require_thread_count.
template <class Work>
decltype(auto) with_threads(int threads, Work&& work) {
  require_thread_count(threads);
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  return arena.execute(std::forward<Work>(work));
}

/// Threads available to the calling code.
inline int thread_count() {
  return tbb::this_task_arena::max_concurrency();
}

/// Fixed decomposition of [0, n): at most `max_chunks` chunks of at least `min_length`.
struct Chunks {
  static constexpr Index max_chunks = 256;

  Chunks(Index n, Index min_length)
      : total(n), length(std::max(min_length, (n + max_chunks - 1) / max_chunks)),
        count(n == 0 ? 0 : (n + length - 1) / length) {}
  Index begin(Index chunk) const { return chunk * length; }
  Index end(Index chunk) const { return std::min(total, begin(chunk) + length); }

  Index total, length, count;
};

/// Default chunk length for cheap loop bodies (a few nanoseconds each).
inline constexpr Index default_chunk = 2048;

/// One machine code for the body of a loop, whoever runs it: of two inlined copies a compiler may
/// fuse the products and sums differently, and one thread would round otherwise than two.
template <class Body>
[[gnu::noinline]] void run_chunk(Body& body, const Chunks& chunks, Index chunk) {
  body(chunks.begin(chunk), chunks.end(chunk));
}

/// Calls body(begin, end) on the chunks of [0, n), in any order, possibly at once.
template <class Body>
void parallel_for(Index n, Body&& body, Index min_length = default_chunk) {
  const Chunks chunks(n, min_length);
  if (chunks.count == 0) return;
  if (chunks.count == 1) return static_cast<void>(body(Index{0}, n));
  if (thread_count() == 1)
    for (Index c = 0; c < chunks.count; ++c) run_chunk(body, chunks, c);
  else
    tbb::parallel_for(Index{0}, chunks.count, [&](Index c) { run_chunk(body, chunks, c); });
}

/// Sum of partial(begin, end) over the chunks of [0, n), added in chunk order. `Value` needs += and
/// a value-initialised zero.
template <class Value = double, class Partial>
Value parallel_sum(Index n, Partial&& partial, Index min_length = default_chunk) {
  const Chunks chunks(n, min_length);
  if (chunks.count == 0) return Value{};
  if (chunks.count == 1) return partial(0, n);
  std::array<Value, Chunks::max_chunks> sums{};
  parallel_for(
      n, [&](Index begin, Index end) { sums[begin / chunks.length] = partial(begin, end); },
      min_length);
  Value total = sums[0];
  for (Index c = 1; c < chunks.count; ++c) total += sums[c];
  return total;
}

} // namespace talus
