// Functions that all counterparts share: the clock, and the output of figures.
#ifndef PROBE_H
#define PROBE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Returns the time of CLOCK_MONOTONIC in nanoseconds. The lab's MonotonicClock reads the same clock.
static inline uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline int ascending(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

// Sorts the values, and returns the upper median.
static inline uint64_t median(uint64_t *values, size_t count) {
  qsort(values, count, sizeof *values, ascending);
  return values[count / 2];
}

// Prints `name median`, in the format that `make bench` reads.
static inline void print_median(const char *name, uint64_t *values, size_t count) {
  printf("%s %llu\n", name, (unsigned long long)median(values, count));
}

#endif
