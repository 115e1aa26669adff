// The C counterpart of Sources/Patterns/Groups/GroupWaitVsNotify.swift: the same variants, times and figures with
// libdispatch's C interface.
//
//   lib=$(dirname $(dirname $(which swift)))/lib/swift
//   clang -O2 -fblocks -I$lib group_wait_notify.c -L$lib/linux -ldispatch -lBlocksRuntime -Wl,-rpath,$lib/linux \
//     -o group_wait_notify
//   ./group_wait_notify wait|wait-timeout|notify|semaphore \
//     [pool|thread [tasks [work-ns [repeats [timeout-ns [function|block]]]]]]
//
// With `block`, the program follows the document's listing: each download has a completion block, and the program
// submits blocks, which are copied to the heap. With `function`, the program submits functions, which costs least. The
// program prints one line `name value` for each figure: the medians of thread-held, call, wake-latency,
// completion-latency and total in nanoseconds, and for wait-timeout the number of timeouts.
#include <Block/Block.h>
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counterpart.h"

struct download {
  _Atomic uint64_t called, returned, entered, left, last_leave, notice, completed;
  _Atomic int unfinished;
  _Atomic bool timed_out;
  dispatch_queue_t queue;
  dispatch_group_t group;
  dispatch_semaphore_t finished;  // only with the variant semaphore
  dispatch_semaphore_t end;
};

static int tasks = 3, repeats = 200;
static uint64_t work = 100000, timeout = 500000, steps;
static bool leave_from_thread, as_blocks;

static uint64_t spin(uint64_t steps, uint64_t value) {
  while (steps-- > 0) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(value));
  }
  return value;
}

static uint64_t calibrated_steps(uint64_t nanoseconds) {
  uint64_t fastest = UINT64_MAX, value = 1;
  for (int run = 0; run < 15; run++) {
    uint64_t start = now();
    value = spin(200000, value);
    uint64_t took = now() - start;
    if (took < fastest) fastest = took;
  }
  return (uint64_t)((double)nanoseconds * 200000 / (double)fastest + 0.5);
}

static void submit(dispatch_queue_t queue, struct download *d, void (*function)(void *)) {
  if (as_blocks) dispatch_async(queue, ^{ function(d); });
  else dispatch_async_f(queue, d, function);
}

static void notify(dispatch_group_t group, struct download *d, void (*function)(void *)) {
  if (as_blocks) dispatch_group_notify(group, dispatch_get_main_queue(), ^{ function(d); });
  else dispatch_group_notify_f(group, dispatch_get_main_queue(), d, function);
}

typedef void (^completion_t)(void);

static void leave(struct download *d, completion_t completion) {
  if (completion) completion();
  else if (d->finished) dispatch_semaphore_signal(d->finished);
  else dispatch_group_leave(d->group);
}

// The state of a thread outside the pool that makes the last leave.
static dispatch_semaphore_t handed;
static struct download *_Atomic handed_over;
static completion_t handed_completion;

static void *last_leaver(void *unused) {
  for (;;) {
    dispatch_semaphore_wait(handed, DISPATCH_TIME_FOREVER);
    struct download *d = handed_over;
    completion_t completion = handed_completion;
    d->last_leave = now();
    leave(d, completion);
    if (completion) Block_release(completion);
  }
  return unused;
}

static void end(struct download *d, completion_t completion) {
  spin(steps, 1);
  if (atomic_fetch_sub(&d->unfinished, 1) != 1) {
    leave(d, completion);
  } else if (leave_from_thread) {
    handed_completion = completion ? Block_copy(completion) : NULL;
    handed_over = d;
    dispatch_semaphore_signal(handed);
  } else {
    d->last_leave = now();
    leave(d, completion);
  }
}

static void run_task(void *context) { end(context, NULL); }

// Starts a download that calls the completion on another thread, and returns at once.
static void load(struct download *d, completion_t completion) {
  dispatch_async(d->queue, ^{ end(d, completion); });
}

static void complete(void *context) {
  struct download *d = context;
  d->completed = now();
  if (!d->notice) d->notice = d->completed;
  dispatch_semaphore_signal(d->end);
}

static void leave_method(struct download *d) {
  d->left = now();
  dispatch_semaphore_signal(d->end);
}

static void start(struct download *d) {
  dispatch_group_t group = d->group;
  for (int i = 0; i < tasks; i++) {
    dispatch_group_enter(group);
    if (as_blocks) load(d, ^{ dispatch_group_leave(group); });
    else submit(d->queue, d, run_task);
  }
}

static void wait_method(void *context) {
  struct download *d = context;
  d->entered = now();
  d->group = dispatch_group_create();
  start(d);
  dispatch_group_wait(d->group, DISPATCH_TIME_FOREVER);
  d->notice = now();
  submit(dispatch_get_main_queue(), d, complete);
  leave_method(d);
}

static void wait_timeout_method(void *context) {
  struct download *d = context;
  d->entered = now();
  d->group = dispatch_group_create();
  start(d);
  d->timed_out = dispatch_group_wait(d->group, dispatch_time(DISPATCH_TIME_NOW, (int64_t)timeout)) != 0;
  dispatch_activate(d->queue);
  notify(d->group, d, complete);
  leave_method(d);
}

static void notify_method(void *context) {
  struct download *d = context;
  d->entered = now();
  d->group = dispatch_group_create();
  start(d);
  notify(d->group, d, complete);
  leave_method(d);
}

static void semaphore_method(void *context) {
  struct download *d = context;
  d->entered = now();
  d->finished = dispatch_semaphore_create(0);
  dispatch_semaphore_t finished = d->finished;
  for (int i = 0; i < tasks; i++) {
    if (as_blocks) load(d, ^{ dispatch_semaphore_signal(finished); });
    else submit(d->queue, d, run_task);
  }
  for (int i = 0; i < tasks; i++) dispatch_semaphore_wait(d->finished, DISPATCH_TIME_FOREVER);
  d->notice = now();
  submit(dispatch_get_main_queue(), d, complete);
  leave_method(d);
}

static void call(const char *variant, struct download *d) {
  dispatch_queue_t background = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 0);
  d->called = now();
  if (!strcmp(variant, "notify")) notify_method(d);
  else if (!strcmp(variant, "wait")) submit(background, d, wait_method);
  else if (!strcmp(variant, "wait-timeout")) submit(background, d, wait_timeout_method);
  else if (!strcmp(variant, "semaphore")) submit(background, d, semaphore_method);
  else exit(64);
  d->returned = now();
  dispatch_semaphore_wait(d->end, DISPATCH_TIME_FOREVER);
  dispatch_semaphore_wait(d->end, DISPATCH_TIME_FOREVER);
}

static void print_medians(const char *name, struct download *all, size_t from, size_t to) {
  uint64_t *values = calloc((size_t)repeats, sizeof *values);
  for (int i = 0; i < repeats; i++) {
    uint64_t start = *(_Atomic uint64_t *)((char *)&all[i] + from), end = *(_Atomic uint64_t *)((char *)&all[i] + to);
    values[i] = end > start ? end - start : 0;
  }
  print_median(name, values, (size_t)repeats);
  free(values);
}

static const char *variant = "notify";

static void *trial(void *unused) {
  if (leave_from_thread) {
    pthread_t thread;
    handed = dispatch_semaphore_create(0);
    pthread_create(&thread, NULL, last_leaver, NULL);
  }
  steps = calibrated_steps(work);
  bool gated = !strcmp(variant, "wait-timeout");
  struct download *all = calloc((size_t)repeats + 1, sizeof *all);
  for (int i = 0; i <= repeats; i++) {
    all[i].unfinished = tasks;
    all[i].end = dispatch_semaphore_create(0);
    all[i].queue = gated ? dispatch_queue_create("gate", dispatch_queue_attr_make_initially_inactive(
                                                             DISPATCH_QUEUE_CONCURRENT))
                         : dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
  }
  call(variant, &all[repeats]);  // The first call is a warm-up.
  for (int i = 0; i < repeats; i++) call(variant, &all[i]);
  int timeouts = 0;
  for (int i = 0; i < repeats; i++) timeouts += all[i].timed_out;
#define MEDIAN(name, from, to) \
  print_medians(name, all, offsetof(struct download, from), offsetof(struct download, to))
  MEDIAN("thread-held", entered, left);
  MEDIAN("call", called, returned);
  MEDIAN("wake-latency", last_leave, notice);
  MEDIAN("completion-latency", last_leave, completed);
  MEDIAN("total", called, completed);
  if (gated) printf("timeouts %d\n", timeouts);
  exit(0);
  return unused;
}

int main(int count, char **arguments) {
  if (count > 1) variant = arguments[1];
  if (count > 2) leave_from_thread = !strcmp(arguments[2], "thread");
  if (count > 3) tasks = atoi(arguments[3]);
  if (count > 4) work = strtoull(arguments[4], NULL, 10);
  if (count > 5) repeats = atoi(arguments[5]);
  if (count > 6) timeout = strtoull(arguments[6], NULL, 10);
  if (count > 7) as_blocks = !strcmp(arguments[7], "block");
  pthread_t thread;
  pthread_create(&thread, NULL, trial, NULL);
  dispatch_main();
}
