// The C counterpart of Sources/Patterns/Threads/ThreadVsQueue.swift and TaskGranularity.swift: the same variants and
// times, with blocks as in the document's listings.
//
//   task_cost start async-warm|async-cold|thread|thread-pool [repeats]
//   task_cost small inline|sync|async|thread [tasks [steps [repeats]]]
//
// Prints `start`, the median time from the call to the first instruction, or `per-task`, the median time of all tasks
// divided by the number of tasks; in nanoseconds.
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counterpart.h"

// A task whose start is timed, as in StartingTask.
struct starting {
  uint64_t submitted;
  _Atomic uint64_t began;
  dispatch_semaphore_t has_begun;
};

static void begins(struct starting *task) {
  atomic_store_explicit(&task->began, now(), memory_order_release);
  dispatch_semaphore_signal(task->has_begun);
}

static void *thread_begins(void *task) {
  begins(task);
  return NULL;
}

// The state of a thread that waits for work, as in WorkerThread.
static dispatch_semaphore_t handed;
static _Atomic(struct starting *) next;

static void *linger(void *unused) {
  for (;;) {
    dispatch_semaphore_wait(handed, DISPATCH_TIME_FOREVER);
    begins(next);
  }
  return unused;
}

static void start(const char *way, int repeats) {
  uint64_t *times = calloc((size_t)repeats + 1, sizeof *times);
  dispatch_queue_t warm = dispatch_queue_create("warm", NULL);
  dispatch_queue_t *cold = calloc((size_t)repeats + 1, sizeof *cold);
  for (int i = 0; i <= repeats; i++) cold[i] = dispatch_queue_create("cold", NULL);
  dispatch_semaphore_t hold = dispatch_semaphore_create(0);
  if (!strcmp(way, "thread-pool")) {
    pthread_t thread;
    handed = dispatch_semaphore_create(0);
    if (pthread_create(&thread, NULL, linger, NULL) != 0) abort();
  }
  for (int i = 0; i <= repeats; i++) {
    struct starting *task = calloc(1, sizeof *task);
    task->has_begun = dispatch_semaphore_create(0);
    task->submitted = now();
    if (!strcmp(way, "async-warm")) {
      dispatch_async(warm, ^{ begins(task); });
    } else if (!strcmp(way, "async-cold")) {
      dispatch_async(cold[i], ^{
        begins(task);
        dispatch_semaphore_wait(hold, DISPATCH_TIME_FOREVER);
      });
    } else if (!strcmp(way, "thread")) {
      pthread_t thread;
      if (pthread_create(&thread, NULL, thread_begins, task) != 0) abort();
      pthread_detach(thread);
    } else if (!strcmp(way, "thread-pool")) {
      next = task;
      dispatch_semaphore_signal(handed);
    } else {
      exit(64);
    }
    dispatch_semaphore_wait(task->has_begun, DISPATCH_TIME_FOREVER);
    times[i] = task->began - task->submitted;
  }
  print_median("start", times + 1, (size_t)repeats);
}

// The count of a task's runs, on separate cache lines as in SmallTask.
struct trace {
  _Alignas(128) atomic_long runs;
};

static struct trace *traces;
static long steps;

static void run(long index) {
  run_steps((uint64_t)steps, (uint64_t)index);
  atomic_fetch_add_explicit(&traces[index].runs, 1, memory_order_relaxed);
}

static void *thread_runs(void *index) {
  run((long)(intptr_t)index);
  return NULL;
}

static void small(const char *way, long tasks, int repeats) {
  traces = aligned_alloc(_Alignof(struct trace), (size_t)tasks * sizeof *traces);
  for (long i = 0; i < tasks; i++) atomic_init(&traces[i].runs, 0);
  uint64_t *times = calloc((size_t)repeats + 1, sizeof *times);
  pthread_t *threads = calloc((size_t)tasks, sizeof *threads);
  dispatch_queue_t serial = dispatch_queue_create("small", NULL);
  dispatch_queue_t global = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
  for (int repeat = 0; repeat <= repeats; repeat++) {
    uint64_t began = now();
    if (!strcmp(way, "inline")) {
      for (long i = 0; i < tasks; i++) run(i);
    } else if (!strcmp(way, "sync")) {
      for (long i = 0; i < tasks; i++) dispatch_sync(serial, ^{ run(i); });
    } else if (!strcmp(way, "async")) {
      dispatch_group_t group = dispatch_group_create();
      for (long i = 0; i < tasks; i++) dispatch_group_async(group, global, ^{ run(i); });
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
      dispatch_release(group);
    } else if (!strcmp(way, "thread")) {
      for (long i = 0; i < tasks; i++) {
        if (pthread_create(&threads[i], NULL, thread_runs, (void *)(intptr_t)i) != 0) abort();
      }
      for (long i = 0; i < tasks; i++) pthread_join(threads[i], NULL);
    } else {
      exit(64);
    }
    times[repeat] = now() - began;
    for (long i = 0; i < tasks; i++) {
      if (atomic_exchange(&traces[i].runs, 0) != 1) abort();
    }
  }
  printf("per-task %.1f\n", (double)median(times + 1, (size_t)repeats) / (double)tasks);
}

struct arguments {
  int count;
  char **values;
};

// Runs on a separate thread, as a trial does.
static void *trial(void *context) {
  struct arguments *given = context;
  char **a = given->values;
  if (given->count >= 3 && !strcmp(a[1], "start")) {
    start(a[2], given->count > 3 ? atoi(a[3]) : 100);
  } else if (given->count >= 3 && !strcmp(a[1], "small")) {
    steps = given->count > 4 ? atol(a[4]) : 700;
    small(a[2], given->count > 3 ? atol(a[3]) : 200, given->count > 5 ? atoi(a[5]) : 3);
  } else {
    fprintf(stderr, "usage: %s start WAY [repeats] | small WAY [tasks [steps [repeats]]]\n", a[0]);
    exit(64);
  }
  fflush(NULL);
  exit(0);
}

int main(int count, char **values) {
  struct arguments given = {count, values};
  pthread_t thread;
  if (pthread_create(&thread, NULL, trial, &given) != 0) return perror("pthread_create"), 2;
  pthread_join(thread, NULL);
  return 0;
}
