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

// Waits until the processor has executed all earlier instructions, as the lab's gcdlab_await_instructions does.
static inline void await_instructions(void) {
#if defined(__x86_64__)
  __asm__ __volatile__("lfence" : : : "memory");
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" : : : "memory");
#endif
}

// Runs a chain of dependent steps, as the lab's CalibratedWork.run does. Has no effect for 0 steps.
static inline void run_steps(uint64_t steps, uint64_t value) {
  if (steps == 0) return;
  await_instructions();
  for (; steps > 0; steps--) value = (value ^ value >> 32) * 6364136223846793005u + 1442695040888963407u;
  __asm__ __volatile__("" : : "r"(value));
  await_instructions();
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
