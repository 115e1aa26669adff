// The C counterpart of Sources/Patterns/Locks/QueueVsLock.swift: an update of a number under mutual exclusion.
//
// usage: queue_vs_lock serial-sync|serial-async|barrier|pthread-mutex|semaphore|spinlock|unprotected
//          [batch [threads [updates [hold-steps]]]]
// Prints `uncontended X` for each of 30 batches, the time for one update, and `contended X`, the elapsed time divided
// by the number of all updates; in nanoseconds.
//
// The process has more than one thread, as a worker of the lab has, since glibc's locks are cheaper in a process with
// one thread.
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "counterpart.h"

enum { BATCHES = 30 };

static dispatch_queue_t serial, concurrent;
static dispatch_semaphore_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool taken;

static uint64_t updates = 5000, steps;
static bool is_held;
static _Atomic int arrived;
static int parties;
// The number is on the heap and is accessed through a pointer, as in the lab. An access to a fixed address would not do
// the same work: some processors forward a store to the next load without accessing memory, but only if the address
// consists of a register and an offset.
uint64_t _Atomic *number_at;
#define number (*number_at)

static void __attribute__((noinline)) hold_on(void) {
  run_steps(steps, 1);
}

static inline void update(void) {
  uint64_t before = atomic_load_explicit(&number, memory_order_relaxed);
  if (is_held) hold_on();
  atomic_store_explicit(&number, before + 1, memory_order_relaxed);
}

static void update_f(void *unused) {
  (void)unused;
  update();
}

static void nothing(void *unused) { (void)unused; }

static void meet(void) {
  arrived++;
  while (arrived < parties) {}
}

static inline void take_flag(void) {
  while (atomic_exchange_explicit(&taken, true, memory_order_acquire)) sched_yield();
}

// Defines separate functions for each variant, so that the loop makes no call through a pointer.
#define WAY(name, body, until_done)                                      \
  static void name##_free(uint64_t batch) {                              \
    for (int i = -1; i < BATCHES; i++) {                                 \
      uint64_t start = now();                                            \
      for (uint64_t j = 0; j < batch; j++) {                             \
        body;                                                            \
      }                                                                  \
      until_done;                                                        \
      uint64_t took = now() - start;                                     \
      if (i >= 0) printf("uncontended %.3f\n", (double)took / (double)batch);   \
    }                                                                    \
  }                                                                      \
  static void *name##_contender(void *unused) {                          \
    meet();                                                              \
    for (uint64_t i = 0; i < updates; i++) {                             \
      body;                                                              \
    }                                                                    \
    until_done;                                                          \
    return unused;                                                       \
  }

#define GUARDED(take, give) take; update(); give

WAY(serial_sync, dispatch_sync_f(serial, NULL, update_f), )
WAY(serial_async, dispatch_async_f(serial, NULL, update_f), dispatch_sync_f(serial, NULL, nothing))
WAY(barrier, dispatch_barrier_sync_f(concurrent, NULL, update_f), )
WAY(mutex, GUARDED(pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex)), )
WAY(semaphore, GUARDED(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER), dispatch_semaphore_signal(semaphore)), )
WAY(spinning, GUARDED(take_flag(), atomic_store_explicit(&taken, false, memory_order_release)), )
WAY(unprotected, update(), )

static const struct way {
  const char *name;
  void (*free)(uint64_t batch);
  void *(*contender)(void *unused);
} ways[] = {{"serial-sync", serial_sync_free, serial_sync_contender},
            {"serial-async", serial_async_free, serial_async_contender},
            {"barrier", barrier_free, barrier_contender},
            {"pthread-mutex", mutex_free, mutex_contender},
            {"semaphore", semaphore_free, semaphore_contender},
            {"spinlock", spinning_free, spinning_contender},
            {"unprotected", unprotected_free, unprotected_contender}};

static void *idle(void *unused) {
  pause();
  return unused;
}

int main(int count, char **arguments) {
  const struct way *way = NULL;
  for (size_t i = 0; count > 1 && i < sizeof ways / sizeof *ways; i++) {
    if (!strcmp(arguments[1], ways[i].name)) way = &ways[i];
  }
  if (way == NULL) return 64;
  uint64_t batch = count > 2 ? strtoull(arguments[2], NULL, 10) : 1000;
  int threads = count > 3 ? atoi(arguments[3]) : 2;
  if (count > 4) updates = strtoull(arguments[4], NULL, 10);
  if (count > 5) steps = strtoull(arguments[5], NULL, 10);

  number_at = calloc(1, sizeof *number_at);
  pthread_t other;
  pthread_create(&other, NULL, idle, NULL);
  serial = dispatch_queue_create("guard", DISPATCH_QUEUE_SERIAL);
  concurrent = dispatch_queue_create("guard", DISPATCH_QUEUE_CONCURRENT);
  semaphore = dispatch_semaphore_create(1);

  way->free(batch);

  is_held = true;
  number = 0;
  parties = threads + 1;
  pthread_t *contenders = calloc((size_t)threads, sizeof *contenders);
  for (int i = 0; i < threads; i++) pthread_create(&contenders[i], NULL, way->contender, NULL);
  uint64_t start = now();
  meet();
  for (int i = 0; i < threads; i++) pthread_join(contenders[i], NULL);
  printf("contended %.3f\n", (double)(now() - start) / (double)(updates * (uint64_t)threads));
  bool is_whole = number == updates * (uint64_t)threads;
  return is_whole || !strcmp(way->name, "unprotected") ? 0 : 1;
}
