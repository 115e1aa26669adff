// Measures the cost of an iteration of an empty loop. This is the counterpart of Loop.each { _ in }.
//
// usage: empty_loop batch batches
// Prints `iteration X` in nanoseconds for each batch: the time of the batch, including two reads of the clock, divided
// by the number of iterations.
#include "counterpart.h"

int main(int argc, char **argv) {
  long batch = argc == 3 ? strtol(argv[1], NULL, 10) : 0, batches = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (batch < 1 || batches < 1) return fprintf(stderr, "usage: %s batch batches\n", argv[0]), 64;
  for (long i = -1; i < batches; i++) {
    uint64_t start = now();
    // The statement prevents the compiler from removing the loop.
    for (long j = 0; j < batch; j++) __asm__ __volatile__("" : : : "memory");
    uint64_t took = now() - start;
    if (i >= 0) printf("iteration %.3f\n", (double)took / (double)batch);
  }
  return 0;
}
