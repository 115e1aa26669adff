// The C counterpart of the lab's pattern `file-monitor`: a dispatch source that reads an inotify descriptor.
//
// usage: file_monitor changes
// Prints `KIND-latency N` and `latency N` in nanoseconds for each change. A latency is the time from just before the
// system call that makes the change until the source's handler begins. Each change is made as soon as the previous
// change has been reported, as in the lab with a poll-interval of 0.
//
// clang -O2 -D_GNU_SOURCE -fblocks -I<swift>/lib/swift file_monitor.c -L<swift>/lib/swift_static/linux -ldispatch
//   -lBlocksRuntime -lstdc++ (see the Makefile)
#include <dispatch/dispatch.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "counterpart.h"

enum kind { WRITE, EXTEND, ATTRIB, LINK, RENAME, DELETE, KINDS };
static const char *const names[KINDS] = {"write", "extend", "attrib", "link", "rename", "delete"};

struct monitor {
  int stream, file;
  off_t size;
  nlink_t links;
  dispatch_queue_t queue;
  dispatch_source_t source;
};

static char directory[] = "/tmp/gcdlab-bench-XXXXXX";
static char path[2][PATH_MAX], link_path[PATH_MAX];
static dispatch_semaphore_t arrived, ended;
static _Atomic int expected = -1;
static uint64_t noticed;

static void report(enum kind kind, uint64_t time) {
  int wanted = kind;
  if (!__atomic_compare_exchange_n((int *)&expected, &wanted, -1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return;
  noticed = time;
  dispatch_semaphore_signal(arrived);
}

static void handle(void *context) {
  uint64_t time = now();
  struct monitor *monitor = context;
  char buffer[4096] __attribute__((aligned(8)));
  ssize_t count = read(monitor->stream, buffer, sizeof buffer);
  for (ssize_t offset = 0; offset < count;) {
    const struct inotify_event *event = (const void *)(buffer + offset);
    if (event->mask & IN_MOVE_SELF) report(RENAME, time);
    if (event->mask & (IN_MODIFY | IN_ATTRIB)) {
      struct stat status;
      fstat(monitor->file, &status);
      if (event->mask & IN_MODIFY) report(status.st_size > monitor->size ? EXTEND : WRITE, time);
      if (event->mask & IN_ATTRIB)
        report(status.st_nlink == monitor->links ? ATTRIB : status.st_nlink == 0 ? DELETE : LINK, time);
      monitor->size = status.st_size;
      monitor->links = status.st_nlink;
    }
    offset += (ssize_t)sizeof *event + event->len;
  }
}

static void cancelled(void *context) {
  struct monitor *monitor = context;
  close(monitor->stream);
  close(monitor->file);
  free(monitor);
  dispatch_semaphore_signal(ended);
}

static struct monitor *watch(const char *file) {
  struct monitor *monitor = malloc(sizeof *monitor);
  struct stat status;
  monitor->stream = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  monitor->file = open(file, O_PATH | O_CLOEXEC);
  if (monitor->stream < 0 || monitor->file < 0 || fstat(monitor->file, &status) != 0) perror("watch"), exit(2);
  monitor->size = status.st_size;
  monitor->links = status.st_nlink;
  monitor->queue = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
  monitor->source =
      dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)monitor->stream, 0, monitor->queue);
  dispatch_set_context(monitor->source, monitor);
  dispatch_source_set_event_handler_f(monitor->source, handle);
  dispatch_source_set_cancel_handler_f(monitor->source, cancelled);
  dispatch_resume(monitor->source);
  inotify_add_watch(monitor->stream, file, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF);
  return monitor;
}

static int create(void) {
  int file = open(path[0], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || pwrite(file, "x", 1, 0) != 1) perror("create"), exit(2);
  return file;
}

// Makes a change, and waits for its report. Stores the latency of the report if `records` is true.
#define MAKE(kind, records, change)                                                             \
  do {                                                                                          \
    expected = kind;                                                                            \
    uint64_t start = now();                                                                  \
    change;                                                                                     \
    dispatch_semaphore_wait(arrived, DISPATCH_TIME_FOREVER);                                    \
    if (records) latencies[used++] = (struct latency){kind, noticed > start ? noticed - start : 0}; \
  } while (0)

struct latency {
  enum kind kind;
  uint64_t value;
};

int main(int argc, char **argv) {
  long changes = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
  if (changes < 1) return fprintf(stderr, "usage: %s changes\n", argv[0]), 64;
  struct latency *latencies = calloc((size_t)changes * KINDS, sizeof *latencies);
  size_t used = 0;
  if (!mkdtemp(directory)) return perror("mkdtemp"), 2;
  snprintf(path[0], sizeof path[0], "%s/watched", directory);
  snprintf(path[1], sizeof path[1], "%s/renamed", directory);
  snprintf(link_path, sizeof link_path, "%s/link", directory);
  arrived = dispatch_semaphore_create(0);
  ended = dispatch_semaphore_create(0);
  int file = create();
  struct monitor *monitor = watch(path[0]);
  off_t end = 1;
  mode_t mode = 0600;
  ssize_t unused;
  // The first change of each kind is a warm-up that is not recorded, as in the lab.
  for (long round = -1; round < changes; round++) {
    MAKE(WRITE, round >= 0, unused = pwrite(file, "x", 1, 0));
    MAKE(EXTEND, round >= 0, unused = pwrite(file, "x", 1, end++));
    MAKE(ATTRIB, round >= 0, fchmod(file, mode ^= 0040));
    MAKE(LINK, round >= 0, unused = link(path[0], link_path));
    MAKE(LINK, 0, unlink(link_path));
    MAKE(RENAME, round >= 0, rename(path[0], path[1]));
    MAKE(WRITE, 0, unused = pwrite(file, "x", 1, 0));
    MAKE(RENAME, 0, rename(path[1], path[0]));
  }
  (void)unused;
  for (long round = -1; round < changes; round++) {
    MAKE(DELETE, round >= 0, unlink(path[0]));
    dispatch_source_cancel(monitor->source);
    // Closing an inotify instance takes milliseconds, and would prevent a thread of the pool from handling the next
    // change.
    dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER);
    close(file);
    file = create();
    monitor = watch(path[0]);
  }
  for (size_t i = 0; i < used; i++) {
    printf("%s-latency %llu\n", names[latencies[i].kind], (unsigned long long)latencies[i].value);
    printf("latency %llu\n", (unsigned long long)latencies[i].value);
  }
  unlink(path[0]);
  rmdir(directory);
  return 0;
}
