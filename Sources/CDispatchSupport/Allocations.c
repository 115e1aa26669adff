// Counts the heap allocations of all threads while a caller requests the count.
//
// The linker's --wrap (Makefile) replaces a call of `malloc` with a call of `__wrap_malloc`, which calls
// `__real_malloc`. In a binary that is linked without --wrap, `__real_malloc` is null and `__wrap_malloc` is never
// called. While no caller requests the count, an allocation costs one additional load and branch.
#include "CDispatchSupport.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define GCDLAB_SANITIZED 1  // The sanitizers have their own heaps.
#endif
#endif

#define WEAK __attribute__((weak))

#ifdef __linux__

extern void *__real_malloc(size_t size) WEAK;
extern void *__real_calloc(size_t count, size_t size) WEAK;
extern void *__real_realloc(void *memory, size_t size) WEAK;
extern void *__real_aligned_alloc(size_t alignment, size_t size) WEAK;
extern int __real_posix_memalign(void **memory, size_t alignment, size_t size) WEAK;

static atomic_int counting;
static _Atomic uint64_t number, bytes;

static void note(size_t size) {
  atomic_fetch_add_explicit(&number, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

#define COUNT(size) \
  if (__builtin_expect(atomic_load_explicit(&counting, memory_order_relaxed) != 0, 0)) note(size)

void *__wrap_malloc(size_t size) {
  COUNT(size);
  return __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
  COUNT(count * size);
  return __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
  COUNT(size);
  return __real_realloc(memory, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  COUNT(size);
  return __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
  COUNT(size);
  return __real_posix_memalign(memory, alignment, size);
}

bool gcdlab_sees_allocations(void) { return __real_malloc != NULL; }

struct gcdlab_allocations gcdlab_allocations_so_far(void) {
  return (struct gcdlab_allocations){
      atomic_load_explicit(&number, memory_order_relaxed), atomic_load_explicit(&bytes, memory_order_relaxed)};
}

void gcdlab_count_allocations(bool asked) {
  atomic_fetch_add_explicit(&counting, asked ? 1 : -1, memory_order_relaxed);
}

#else

bool gcdlab_sees_allocations(void) { return false; }
struct gcdlab_allocations gcdlab_allocations_so_far(void) { return (struct gcdlab_allocations){0, 0}; }
void gcdlab_count_allocations(bool asked) { (void)asked; }

#endif

#if defined(__GLIBC__) && !defined(GCDLAB_SANITIZED)
#if __GLIBC_PREREQ(2, 33)
#define GCDLAB_TELLS_HEAP 1
#endif
#endif

int64_t gcdlab_heap_in_use(void) {
#ifdef GCDLAB_TELLS_HEAP
  // Small allocations that were freed but remain in a thread's cache count as in use. `hblkhd` is the memory that was
  // mapped for large allocations.
  struct mallinfo2 heap = mallinfo2();
  return (int64_t)(heap.uordblks + heap.hblkhd);
#else
  return -1;
#endif
}
