// The C counterpart of Sources/Patterns/EventSources/TimerSource.swift: fires at an interval, by a timer source, by a
// dispatch_after that each fire repeats, or by a thread that sleeps.
//
//   timer_lateness strict|async-after-rearmed|sleep-loop [interval in ns] [fires]
//
// Prints two figures in nanoseconds. `lateness` is the median time from when a fire was due until its handler began.
// `drift` is the smallest delay of the last ten fires after the schedule of the first fire.
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

// Records a fire that was due at `due`. Returns whether another fire follows.
static int fired(uint64_t due) {
  uint64_t time = now(), scheduled = first + (uint64_t)(runs + 1) * interval;
  lateness[runs] = time > due ? time - due : 0;
  behind[runs] = time > scheduled ? time - scheduled : 0;
  int more = ++runs < fires;
  dispatch_semaphore_signal(arrived);
  return more;
}

// Runs a timer like the lab's until it has fired `count` times.
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
    // The first fire in a process is far later than all others.
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
