// The C counterpart of Sources/Patterns/EventSources/CustomSource.swift: one thread sends events to a handler. A source
// merges the events, or each event is a separate block.
//
//   custom_source add|or|replace|async [burst [stream]]
//
// Prints three figures in nanoseconds. `cost` is the median time to send one event of a burst while the handler waits.
// `stream-cost` is the mean time to send one event of a stream, during which the handler may run. `delivery` is the
// median time from sending a single event until the handler has recorded it.
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counterpart.h"

enum { BATCHES = 30, DELIVERIES = 100 };

static const char *way = "add";
static long burst = 200, stream = 20000;
static dispatch_queue_t queue;
static dispatch_source_t source;

// The data that the handler received, as in Events.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t *heard;
static size_t count, room;
static uint64_t last_heard;

static void hears(uintptr_t data) {
  pthread_mutex_lock(&mutex);
  if (count == room) heard = realloc(heard, (room = room ? 2 * room : 16) * sizeof *heard);
  heard[count++] = data;
  last_heard = now();
  pthread_mutex_unlock(&mutex);
}

static void begin(void) {
  queue = dispatch_queue_create("news", NULL);
  dispatch_source_type_t type = !strcmp(way, "add")       ? DISPATCH_SOURCE_TYPE_DATA_ADD
                                : !strcmp(way, "or")      ? DISPATCH_SOURCE_TYPE_DATA_OR
                                : !strcmp(way, "replace") ? DISPATCH_SOURCE_TYPE_DATA_REPLACE
                                                          : NULL;
  if (!type) {
    if (strcmp(way, "async")) exit(64);
    return;
  }
  source = dispatch_source_create(type, 0, 0, queue);
  dispatch_source_set_event_handler(source, ^{ hears(dispatch_source_get_data(source)); });
  dispatch_activate(source);
}

static inline void send(uintptr_t data) {
  if (source) {
    dispatch_source_merge_data(source, data);
  } else {
    dispatch_async(queue, ^{ hears(data); });
  }
}

// Returns the time of the last handler call. After two blocks, no handler call is pending.
static uint64_t take_heard(void) {
  dispatch_sync(queue, ^{});
  dispatch_sync(queue, ^{});
  pthread_mutex_lock(&mutex);
  if (count == 0) abort();
  uint64_t last = last_heard;
  count = 0;
  pthread_mutex_unlock(&mutex);
  return last;
}

// Blocks the queue until the returned semaphore is signalled, as `Events.holdQueue` does.
static dispatch_semaphore_t hold(void) {
  dispatch_semaphore_t is_held = dispatch_semaphore_create(0), is_released = dispatch_semaphore_create(0);
  dispatch_async(queue, ^{
    dispatch_semaphore_signal(is_held);
    dispatch_semaphore_wait(is_released, DISPATCH_TIME_FOREVER);
  });
  dispatch_semaphore_wait(is_held, DISPATCH_TIME_FOREVER);
  return is_released;
}

// Returns the same pieces as `Coalescing.pieces`.
static uintptr_t *pieces(long size, long round) {
  uintptr_t *made = calloc((size_t)size, sizeof *made);
  for (long i = 0; i < size; i++) {
    made[i] = strcmp(way, "or") ? (uintptr_t)(i + round + 1) : (uintptr_t)1 << (round % 32 + i % 32);
  }
  return made;
}

static void *trial(void *unused) {
  uint64_t costs[BATCHES];
  begin();
  send(1);
  take_heard();
  for (long round = 0; round <= BATCHES; round++) {
    uintptr_t *news = pieces(burst, round);
    dispatch_semaphore_t release = hold();
    uint64_t start = now();
    for (long i = 0; i < burst; i++) send(news[i]);
    uint64_t took = now() - start;
    dispatch_semaphore_signal(release);
    if (round > 0) costs[round - 1] = took;
    take_heard();
    free(news);
  }
  printf("cost %.3f\n", (double)median(costs, BATCHES) / (double)burst);

  uint64_t deliveries[DELIVERIES];
  for (int i = 0; i < DELIVERIES; i++) {
    uint64_t start = now();
    send(1);
    deliveries[i] = take_heard() - start;
  }
  print_median("delivery", deliveries, DELIVERIES);

  uintptr_t *news = pieces(stream, 0);
  dispatch_semaphore_t release = hold();
  uint64_t start = now();
  send(news[0]);
  send(news[1]);
  dispatch_semaphore_signal(release);
  for (long i = 2; i < stream; i++) send(news[i]);
  uint64_t end = now();
  take_heard();
  printf("stream-cost %.3f\n", (double)(end - start) / (double)stream);
  fflush(NULL);
  exit(0);
  return unused;
}

int main(int argument_count, char **arguments) {
  if (argument_count > 1) way = arguments[1];
  if (argument_count > 2) burst = atol(arguments[2]);
  if (argument_count > 3) stream = atol(arguments[3]);
  if (burst < 1 || stream < 3) return fprintf(stderr, "usage: %s add|or|replace|async [burst [stream]]\n", arguments[0]), 64;
  pthread_t thread;
  if (pthread_create(&thread, NULL, trial, NULL) != 0) return perror("pthread_create"), 2;
  pthread_join(thread, NULL);
  return 0;
}
