// The iterations of apply-stride, in a separate object file. clang, which also generates Swift's code, compiles this
// file for all callers, including gcc's OpenMP. The callers are therefore the only difference.
#include "apply_loop.h"

static _Thread_local uint64_t chain;

void run_range(const struct loop *loop, size_t from, size_t to) {
  uint64_t *results = loop->results;
  long steps = loop->steps;
  uint64_t value = chain;
  for (size_t i = from; i < to; i++) {
    for (long left = steps; left > 0; left--) {
      value = (value ^ value >> 32) * 6364136223846793005u + 1442695040888963407u;
    }
    results[i] += value << 8 | 1;
  }
  chain = value;
}
