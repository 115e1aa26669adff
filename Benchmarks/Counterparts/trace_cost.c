// Measures the cost of a call of Dispatch in a program that loads Dispatch and contains no recorder. The cost includes
// the submission, the beginning and the end of the block.
//
// usage: trace_cost batch batches
// Prints `sync X`, `async X` and `block X`: the nanoseconds for one call of dispatch_sync_f, dispatch_async_f and
// dispatch_async, in the median batch.
#include <dispatch/dispatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "counterpart.h"

static volatile uint64_t ran;
static void run(void *context) {
  (void)context;
  ran = ran + 1;
}

static void sync_all(dispatch_queue_t queue, long batch) {
  for (long i = 0; i < batch; i++) dispatch_sync_f(queue, NULL, run);
}
static void async_all(dispatch_queue_t queue, long batch) {
  for (long i = 0; i < batch; i++) dispatch_async_f(queue, NULL, run);
  dispatch_sync_f(queue, NULL, run);
}
static void block_all(dispatch_queue_t queue, long batch) {
  for (long i = 0; i < batch; i++) dispatch_async(queue, ^{ run(queue); });
  dispatch_sync_f(queue, NULL, run);
}

static void print_cost(const char *name, void (*all)(dispatch_queue_t, long), dispatch_queue_t queue, long batch,
                       long batches) {
  uint64_t *times = calloc((size_t)batches, sizeof *times);
  if (!times) return perror("calloc"), exit(2);
  all(queue, batch);
  for (long i = 0; i < batches; i++) {
    uint64_t start = now();
    all(queue, batch);
    times[i] = now() - start;
  }
  printf("%s %.3f\n", name, (double)median(times, (size_t)batches) / (double)batch);
  free(times);
}

int main(int argc, char **argv) {
  long batch = argc == 3 ? strtol(argv[1], NULL, 10) : 0, batches = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (batch < 1 || batches < 1) return fprintf(stderr, "usage: %s batch batches\n", argv[0]), 64;
  dispatch_queue_t queue = dispatch_queue_create("trace-cost", DISPATCH_QUEUE_SERIAL);
  print_cost("sync", sync_all, queue, batch, batches);
  print_cost("async", async_all, queue, batch, batches);
  print_cost("block", block_all, queue, batch, batches);
  return 0;
}
