// The C counterpart of Sources/Patterns/EventSources/DescriptorRead.swift. Single bytes are written, and each byte is
// read before the next byte is written. Then a thread writes many bytes as fast as possible. The bytes that are read
// are compared with the bytes that were written.
//
//   descriptor_read drained|blocking-read pipe|socket|file [messages [size]]
//
// Prints `latency`, the median in nanoseconds (not for a file), and `throughput` in bytes per second.
#include <dispatch/dispatch.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "counterpart.h"

enum { BUFFER = 65536 };

static const char *way = "drained", *kind = "pipe";
static long messages = 100, size = 4 << 20;

static unsigned char *bytes;
static size_t whole;
static int reader, writer;

// The same state as in ReceivedData.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t count;
static uint64_t last;
static bool is_awaited;
static dispatch_semaphore_t arrived, ended, is_idle;
static dispatch_queue_t queue;  // The queue of the handler.

// Processes the result of a read, and returns whether the end has been reached.
static bool process(const char *buffer, ssize_t actual) {
  if (actual <= 0) return actual == 0;
  pthread_mutex_lock(&lock);
  if (count + (size_t)actual > whole || memcmp(buffer, bytes + count, (size_t)actual) != 0) abort();
  count += (size_t)actual;
  last = now();
  bool was_awaited = is_awaited;
  is_awaited = false;
  pthread_mutex_unlock(&lock);
  if (was_awaited) dispatch_semaphore_signal(arrived);
  return false;
}

static void *wait_in_read(void *unused) {
  char *buffer = malloc(BUFFER);
  bool done = false;
  while (!done) done = process(buffer, read(reader, buffer, BUFFER));
  free(buffer);
  close(reader);
  dispatch_semaphore_signal(ended);
  return unused;
}

static void begin(void) {
  if (!strcmp(way, "blocking-read")) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_in_read, NULL) != 0) abort();
    pthread_detach(thread);
    return;
  }
  fcntl(reader, F_SETFL, O_NONBLOCK);
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)reader, 0, queue);
  dispatch_source_set_event_handler(source, ^{
    char *buffer = malloc(BUFFER);
    ssize_t actual;
    do {
      actual = read(reader, buffer, BUFFER);
      if (process(buffer, actual)) dispatch_source_cancel(source);
    } while (actual > 0);
    free(buffer);
  });
  dispatch_source_set_cancel_handler(source, ^{
    close(reader);
    dispatch_semaphore_signal(ended);
  });
  dispatch_resume(source);
}

static void write_all(const unsigned char *from, size_t left) {
  while (left > 0) {
    ssize_t actual = write(writer, from, left);
    if (actual < 0) abort();
    from += actual;
    left -= (size_t)actual;
  }
}

static void *write_rest(void *unused) {
  write_all(bytes + messages + 1, (size_t)size);
  close(writer);
  return unused;
}

static int open_pair(void) {
  int ends[2];
  if (!strcmp(kind, "pipe") ? pipe(ends) : !strcmp(kind, "socket") ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : -1) {
    if (strcmp(kind, "file")) return -1;
    char path[] = "/tmp/gcdlab-bench-XXXXXX";
    ends[1] = mkstemp(path);
    ends[0] = open(path, O_RDONLY);
    unlink(path);
  }
  reader = ends[0];
  writer = ends[1];
  return reader < 0 || writer < 0 ? -1 : 0;
}

// Runs on a separate thread, as a trial does.
static void *trial(void *unused) {
  bool is_file = !strcmp(kind, "file");
  uint64_t start;
  if (is_file) {
    write_all(bytes, whole);
    close(writer);
    start = now();
    begin();
  } else {
    uint64_t *latencies = calloc((size_t)messages + 1, sizeof *latencies);
    begin();
    for (long message = 0; message <= messages; message++) {
      // A new handler call must read each byte. A byte that is written while a handler call still reads is read sooner.
      dispatch_async(queue, ^{ dispatch_semaphore_signal(is_idle); });
      dispatch_semaphore_wait(is_idle, DISPATCH_TIME_FOREVER);
      pthread_mutex_lock(&lock);
      is_awaited = true;
      pthread_mutex_unlock(&lock);
      uint64_t from = now();
      write_all(bytes + message, 1);
      dispatch_semaphore_wait(arrived, DISPATCH_TIME_FOREVER);
      latencies[message] = last - from;
    }
    print_median("latency", latencies + 1, (size_t)messages);
    pthread_t thread;
    start = now();
    if (pthread_create(&thread, NULL, write_rest, NULL) != 0) abort();
    pthread_detach(thread);
  }
  dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER);
  if (count != whole) abort();
  printf("throughput %.0f\n", (double)(is_file ? whole : (size_t)size) * 1e9 / (double)(last - start));
  return unused;
}

int main(int argc, char **argv) {
  if (argc > 1) way = argv[1];
  if (argc > 2) kind = argv[2];
  if (argc > 3) messages = atol(argv[3]);
  if (argc > 4) size = atol(argv[4]);
  bool is_known = !strcmp(way, "drained") || !strcmp(way, "blocking-read");
  if (!is_known || messages < 1 || size < 1 || open_pair() != 0)
    return fprintf(stderr, "usage: %s drained|blocking-read pipe|socket|file [messages [size]]\n", argv[0]), 64;
  whole = (size_t)messages + 1 + (size_t)size;
  bytes = malloc(whole);
  for (size_t i = 0; i < whole; i++) bytes[i] = (unsigned char)(i * 2654435761u >> 24) & 127;
  queue = dispatch_queue_create("reading", NULL);
  is_idle = dispatch_semaphore_create(0);
  arrived = dispatch_semaphore_create(0);
  ended = dispatch_semaphore_create(0);
  pthread_t thread;
  if (pthread_create(&thread, NULL, trial, NULL) != 0) return perror("pthread_create"), 2;
  pthread_join(thread, NULL);
  return 0;
}
