// The C counterpart of Sources/Patterns/EventSources/TimerSource.swift: fires that are an interval apart, by a timer
// source, by dispatch_after that is armed again, or by a thread that sleeps.
//
//   timer_lateness strict|async-after-rearmed|sleep-loop [interval in ns] [fires]
//
// Prints `lateness`, the median from when a fire was due until its handler began, and `drift`, how far behind the schedule of the
// first fire it was in the end, the least of the last ten; in nanoseconds.
#include <dispatch/dispatch.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counterpart.h"

static uint64_t first, interval = 1000000;
static int fires = 200, runs;
static uint64_t *lateness, *behind;
static dispatch_semaphore_t arrived;
static dispatch_queue_t queue;

// A fire that was due then; returns whether there is another.
static int fired(uint64_t due) {
  uint64_t time = now(), scheduled = first + (uint64_t)(runs + 1) * interval;
  lateness[runs] = time > due ? time - due : 0;
  behind[runs] = time > scheduled ? time - scheduled : 0;
  int more = ++runs < fires;
  dispatch_semaphore_signal(arrived);
  return more;
}

// A timer like the lab's, up to its last fire.
static void fire(uint64_t start, uint64_t every, int count) {
  __block uint64_t told = 0;
  dispatch_source_t timer =
      dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, DISPATCH_TIMER_STRICT, queue);
  dispatch_source_set_timer(timer, start, every, 0);
  dispatch_source_set_event_handler(timer, ^{
    uint64_t time = now();
    told += dispatch_source_get_data(timer);
    if (runs < count) {
      uint64_t due = start + (told - 1) * every;
      lateness[runs] = behind[runs] = time > due ? time - due : 0;
      runs++;
    }
    dispatch_semaphore_signal(arrived);
  });
  dispatch_resume(timer);
  while (told < (uint64_t)count) dispatch_semaphore_wait(arrived, DISPATCH_TIME_FOREVER);
  dispatch_source_cancel(timer);
  dispatch_release(timer);
}

static void rearm(void) {
  dispatch_time_t deadline = dispatch_time(DISPATCH_TIME_NOW, (int64_t)interval);
  dispatch_after(deadline, queue, ^{
    if (fired(deadline)) rearm();
  });
}

static void sleep_loop(void) {
  uint64_t due;
  do {
    due = now() + interval;
    struct timespec left = {(time_t)(interval / 1000000000u), (long)(interval % 1000000000u)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
  } while (fired(due));
}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "strict";
  if (count > 2) interval = strtoull(arguments[2], NULL, 10);
  if (count > 3) fires = atoi(arguments[3]);
  if (fires < 10 || interval == 0) {
    return fprintf(stderr, "usage: %s strict|async-after-rearmed|sleep-loop [interval in ns] [fires]\n", arguments[0]), 64;
  }
  lateness = calloc((size_t)fires, sizeof *lateness);
  behind = calloc((size_t)fires, sizeof *behind);
  arrived = dispatch_semaphore_create(0);
  queue = dispatch_queue_create("timer", NULL);
  if (!strcmp(way, "strict")) {
    // The first fire of a process is far later than any other.
    fire(now(), 3600000000000u, 1);
    runs = 0;
    fire(now() + interval, interval, fires);
  } else {
    first = now();
    if (!strcmp(way, "async-after-rearmed")) {
      rearm();
      while (runs < fires) dispatch_semaphore_wait(arrived, DISPATCH_TIME_FOREVER);
    } else if (!strcmp(way, "sleep-loop")) {
      sleep_loop();
    } else {
      return fprintf(stderr, "%s: no such way\n", way), 64;
    }
  }
  uint64_t drift = UINT64_MAX;
  for (int i = runs > 10 ? runs - 10 : 0; i < runs; i++) {
    if (behind[i] < drift) drift = behind[i];
  }
  print_median("lateness", lateness, (size_t)runs);
  printf("drift %llu\n", (unsigned long long)drift);
  return 0;
}
