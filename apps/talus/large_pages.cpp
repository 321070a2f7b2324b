// Programs that link this file get large blocks of memory in pages of 2 MB where Linux offers them
// on request ("madvise" in /sys/kernel/mm/transparent_hugepage/enabled): a step of a million bodies
// goes through gigabytes, which pages of 4 kB bring in by half a million faults and look up slowly.
// The library itself leaves memory to the program that uses it.

#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace {

constexpr std::uintptr_t large_page = std::uintptr_t{1} << 21;
constexpr std::size_t large_block = 4 * large_page;

/// Of the pages that lie within the block alone. A refusal does no harm.
void ask_for_large_pages(void* block, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t first = (begin + large_page - 1) & ~(large_page - 1);
  const std::uintptr_t end = (begin + size) & ~(large_page - 1);
  if (first < end) madvise(static_cast<char*>(block) + (first - begin), end - first, MADV_HUGEPAGE);
}

} // namespace

void* operator new(std::size_t size) {
  for (;;) {
    if (void* block = std::malloc(size > 0 ? size : 1)) {
      if (size >= large_block) ask_for_large_pages(block, size);
      return block;
    }
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept {
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
