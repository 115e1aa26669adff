// The C counterpart of Sources/Patterns/Threads/DispatchCompared.swift: many small tasks in a loop, with
// dispatch_apply, with a block for each task on a serial queue, on a concurrent queue and on many queues, and with a
// thread for each task.
//
//   dispatch_compared loop|apply|serial|concurrent|many-queues|threads [tasks [steps [repeats]]]
//
// Prints three figures in nanoseconds: `initiate` and `complete`, the medians of the repeats, and `overhead`, the
// processor time for a task that does nothing.
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>

#include "counterpart.h"

// A task. The count of its runs is on separate cache lines, as in SmallTask.
struct piece {
  _Alignas(128) atomic_long runs;
  dispatch_group_t group;
};

static struct piece *pieces;
static long steps;

static void run(long index) {
  run_steps((uint64_t)steps, (uint64_t)index);
  atomic_fetch_add_explicit(&pieces[index].runs, 1, memory_order_relaxed);
}

static void *thread_runs(void *index) {
  run((long)(intptr_t)index);
  dispatch_group_leave(pieces[(long)(intptr_t)index].group);
  return NULL;
}

static uint64_t processor_time(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) * 1000000000u +
         ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000u;
}

struct times {
  uint64_t initiate, complete;
};

static const char *way = "loop";
static long tasks = 100;
static int repeats = 3;
static dispatch_queue_t serial, concurrent, *queues;
static dispatch_group_t group;

static struct times all(void) {
  uint64_t start = now(), initiated;
  if (!strcmp(way, "loop")) {
    for (long i = 0; i < tasks; i++) run(i);
  } else if (!strcmp(way, "apply")) {
    dispatch_apply((size_t)tasks, DISPATCH_APPLY_AUTO, ^(size_t i) { run((long)i); });
  } else if (!strcmp(way, "serial")) {
    for (long i = 0; i < tasks; i++) dispatch_group_async(group, serial, ^{ run(i); });
  } else if (!strcmp(way, "concurrent")) {
    for (long i = 0; i < tasks; i++) dispatch_group_async(group, concurrent, ^{ run(i); });
  } else if (!strcmp(way, "many-queues")) {
    for (long i = 0; i < tasks; i++) dispatch_group_async(group, queues[i], ^{ run(i); });
  } else if (!strcmp(way, "threads")) {
    for (long i = 0; i < tasks; i++) {
      pthread_t thread;
      dispatch_group_enter(group);
      if (pthread_create(&thread, NULL, thread_runs, (void *)(intptr_t)i) != 0) abort();
      pthread_detach(thread);
    }
  } else {
    exit(64);
  }
  initiated = now();
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  uint64_t end = now();
  for (long i = 0; i < tasks; i++) {
    if (atomic_exchange(&pieces[i].runs, 0) != 1) abort();
  }
  return (struct times){initiated - start, end - start};
}

// Runs on a separate thread, as a trial does.
static void *trial(void *unused) {
  long work = steps;
  pieces = aligned_alloc(_Alignof(struct piece), (size_t)tasks * sizeof *pieces);
  group = dispatch_group_create();
  serial = dispatch_queue_create("serial", NULL);
  concurrent = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  queues = calloc((size_t)tasks, sizeof *queues);
  for (long i = 0; i < tasks; i++) {
    atomic_init(&pieces[i].runs, 0);
    pieces[i].group = group;
    queues[i] = dispatch_queue_create("queue", NULL);
  }
  steps = 0;
  all();
  uint64_t spent = 0;
  for (int i = 0; i < repeats; i++) {
    uint64_t before = processor_time();
    all();
    spent += processor_time() - before;
  }
  steps = work;
  uint64_t *initiate = calloc((size_t)repeats, sizeof *initiate), *complete = calloc((size_t)repeats, sizeof *complete);
  for (int i = 0; i < repeats; i++) {
    struct times times = all();
    initiate[i] = times.initiate;
    complete[i] = times.complete;
  }
  print_median("initiate", initiate, (size_t)repeats);
  print_median("complete", complete, (size_t)repeats);
  printf("overhead %.1f\n", (double)spent / (double)(tasks * repeats));
  fflush(NULL);
  exit(0);
  return unused;
}

int main(int count, char **arguments) {
  if (count > 1) way = arguments[1];
  if (count > 2) tasks = atol(arguments[2]);
  if (count > 3) steps = atol(arguments[3]);
  if (count > 4) repeats = atoi(arguments[4]);
  if (tasks < 1 || repeats < 1) {
    return fprintf(stderr, "usage: %s WAY [tasks [steps [repeats]]]\n", arguments[0]), 64;
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, trial, NULL) != 0) return perror("pthread_create"), 2;
  pthread_join(thread, NULL);
  return 0;
}
