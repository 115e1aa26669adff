// The C counterpart of Sources/Patterns/Semaphores/FileDescriptorSemaphore.swift: the same variants and figures with
// the functions of libdispatch that take a function pointer (dispatch_*_f).
//
//   lib=$(dirname $(dirname $(which swift)))/lib/swift
//   clang -O2 -fblocks -I$lib fd_semaphore.c -L$lib/linux -ldispatch -lBlocksRuntime -Wl,-rpath,$lib/linux \
//     -o fd_semaphore
//   ./fd_semaphore unlimited|semaphore|semaphore-at-submit|queue-pool [limit [tasks [hold-ns]]]
//
// The program opens its own binary. It prints one line `name value` for each figure: failed-opens, peak-open,
// over-limit, peak-threads, wait (the median, only with a semaphore) and elapsed. The last two are in nanoseconds.
#include <dispatch/dispatch.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "counterpart.h"

enum { MAXIMUM_POOL = 32 };

static const char *path;
static bool wait_in_task, wait_at_submit;
static int half;
static uint64_t hold = 10000000;
static dispatch_semaphore_t semaphore;
static uint64_t *waits;
static _Atomic int failed, over_limit, open_files, peak_open, threads, peak_threads;

static int up(_Atomic int *value, _Atomic int *peak) {
  int current = atomic_fetch_add(value, 1) + 1, highest = *peak;
  while (current > highest && !atomic_compare_exchange_weak(peak, &highest, current)) {}
  return current;
}

static void wait_for_place(uint64_t *slot) {
  uint64_t start = now();
  dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
  *slot = now() - start;
}

static void process_file(void) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno != EMFILE) _exit(2);
    failed++;
    return;
  }
  if (up(&open_files, &peak_open) > half) over_limit++;
  struct timespec left = {(time_t)(hold / 1000000000u), (long)(hold % 1000000000u)};
  if (hold > 0) while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
  open_files--;
  close(descriptor);
}

static void run_task(void *slot) {
  up(&threads, &peak_threads);
  if (wait_in_task) wait_for_place(slot);
  process_file();
  if (wait_in_task) dispatch_semaphore_signal(semaphore);
  threads--;
  if (wait_at_submit) dispatch_semaphore_signal(semaphore);
}

static void nothing(void *unused) { (void)unused; }

int main(int count, char **arguments) {
  path = "/proc/self/exe";
  const char *variant = count > 1 ? arguments[1] : "semaphore";
  rlim_t limit = count > 2 ? strtoull(arguments[2], NULL, 10) : 64;
  int tasks = count > 3 ? atoi(arguments[3]) : 400;
  if (count > 4) hold = strtoull(arguments[4], NULL, 10);
  wait_in_task = !strcmp(variant, "semaphore");
  wait_at_submit = !strcmp(variant, "semaphore-at-submit");
  bool pool = !strcmp(variant, "queue-pool");
  if (!pool && !wait_in_task && !wait_at_submit && strcmp(variant, "unlimited")) return 64;

  // Dispatch opens its own descriptors when the first block is submitted.
  dispatch_group_t all = dispatch_group_create();
  dispatch_group_async_f(all, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0), NULL, nothing);
  dispatch_group_wait(all, DISPATCH_TIME_FOREVER);
  struct rlimit limits;
  getrlimit(RLIMIT_NOFILE, &limits);
  limits.rlim_cur = limit;
  if (setrlimit(RLIMIT_NOFILE, &limits) != 0) return 2;
  half = getdtablesize() / 2;
  semaphore = dispatch_semaphore_create(half);
  waits = calloc((size_t)tasks, sizeof *waits);
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int width = !pool ? tasks : cores < MAXIMUM_POOL ? (int)cores : MAXIMUM_POOL;
  dispatch_queue_t *queues = calloc((size_t)width, sizeof *queues);
  for (int i = 0; i < width; i++) queues[i] = dispatch_queue_create("bench.files", DISPATCH_QUEUE_SERIAL);

  uint64_t start = now();
  for (int i = 0; i < tasks; i++) {
    if (wait_at_submit) wait_for_place(&waits[i]);
    dispatch_group_async_f(all, queues[i % width], &waits[i], run_task);
  }
  dispatch_group_wait(all, DISPATCH_TIME_FOREVER);
  uint64_t elapsed = now() - start;

  printf("failed-opens %d\npeak-open %d\nover-limit %d\npeak-threads %d\n", failed, peak_open, over_limit, peak_threads);
  if (wait_in_task || wait_at_submit) {
    qsort(waits, (size_t)tasks, sizeof *waits, ascending);
    printf("wait %llu\n", (unsigned long long)waits[tasks / 2]);
  }
  printf("elapsed %llu\n", (unsigned long long)elapsed);
  return 0;
}
