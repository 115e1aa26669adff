// What a loop around nothing costs, an iteration: the yardstick of the yardsticks. The counterpart of Loop.each { _ in }.
//
// usage: empty_loop batch batches
// prints `iteration X` for each batch, in nanoseconds, two reads of the clock shared by all iterations included.
#include "counterpart.h"

int main(int argc, char **argv) {
  long batch = argc == 3 ? strtol(argv[1], NULL, 10) : 0, batches = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (batch < 1 || batches < 1) return fprintf(stderr, "usage: %s batch batches\n", argv[0]), 64;
  for (long i = -1; i < batches; i++) {
    uint64_t start = now();
    // The compiler must not leave it out.
    for (long j = 0; j < batch; j++) __asm__ __volatile__("" : : : "memory");
    uint64_t took = now() - start;
    if (i >= 0) printf("iteration %.3f\n", (double)took / (double)batch);
  }
  return 0;
}
