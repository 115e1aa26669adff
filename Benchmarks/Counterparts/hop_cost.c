// The C counterpart of Sources/Patterns/SwiftConcurrency/HopCost.swift: a function on one serial queue submits a
// function to another queue, which submits a function to the first queue, with dispatch_async_f.
//
//   hop_cost [batch [batches]]
//
// Prints `round-trip`, the median time for a round trip in nanoseconds, of all batches but the first.
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdatomic.h>

#include "counterpart.h"

// The same state as in FunctionHopper and Visits.
struct hopper {
  dispatch_queue_t here, there;
  long left;
  atomic_long visits;
  uint64_t start, end;
  dispatch_semaphore_t has_ended;
};

static void is_back(void *context);

static void is_there(void *context) {
  struct hopper *hopper = context;
  // A load and a store count the visit, as in Visits.
  long visits = atomic_load_explicit(&hopper->visits, memory_order_relaxed);
  atomic_store_explicit(&hopper->visits, visits + 1, memory_order_relaxed);
  dispatch_async_f(hopper->here, hopper, is_back);
}

static void is_back(void *context) {
  struct hopper *hopper = context;
  if (--hopper->left < 0) {
    hopper->end = now();
    dispatch_semaphore_signal(hopper->has_ended);
  } else {
    dispatch_async_f(hopper->there, hopper, is_there);
  }
}

static void leaves(void *context) {
  ((struct hopper *)context)->start = now();
  is_back(context);
}

static long batch = 100;
static int batches = 30;

// Runs on a separate thread, as a trial does.
static void *trial(void *unused) {
  uint64_t *times = calloc((size_t)batches + 1, sizeof *times);
  dispatch_queue_t there = dispatch_queue_create("there", NULL);
  for (int i = 0; i <= batches; i++) {
    struct hopper *hopper = calloc(1, sizeof *hopper);
    hopper->here = dispatch_queue_create("here", NULL);
    hopper->there = there;
    hopper->left = batch;
    hopper->has_ended = dispatch_semaphore_create(0);
    dispatch_async_f(hopper->here, hopper, leaves);
    dispatch_semaphore_wait(hopper->has_ended, DISPATCH_TIME_FOREVER);
    if (atomic_load(&hopper->visits) != batch) abort();
    times[i] = (hopper->end - hopper->start) / (uint64_t)batch;
  }
  print_median("round-trip", times + 1, (size_t)batches);
  fflush(NULL);
  exit(0);
  return unused;
}

int main(int count, char **arguments) {
  if (count > 1) batch = atol(arguments[1]);
  if (count > 2) batches = atoi(arguments[2]);
  if (batch < 1 || batches < 1) return fprintf(stderr, "usage: %s [batch [batches]]\n", arguments[0]), 64;
  pthread_t thread;
  if (pthread_create(&thread, NULL, trial, NULL) != 0) return perror("pthread_create"), 2;
  pthread_join(thread, NULL);
  return 0;
}
