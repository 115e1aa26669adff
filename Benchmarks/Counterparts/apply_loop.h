// The strided loop of the pattern apply-stride in C, with the code that all ways to run the loop share.
//
// usage: PROGRAM way iterations steps stride repeats
// Prints `elapsed N` in nanoseconds for each timed loop, then `missed N` and `repeated N`: the numbers of iterations
// that did not run, and of iterations that ran more than once.
//
// The work of a thread is one chain of multiply-adds, with `steps` for each iteration. A core can therefore not overlap
// two iterations or two blocks. Iteration i adds a visit (the low byte) and the state of its chain to element i. The
// loop mirrors CalibratedWork.spin and StridedLoop.run. A change of these functions requires the same change in
// apply_body.c.
#ifndef APPLY_LOOP_H
#define APPLY_LOOP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counterpart.h"

struct loop {
  uint64_t *results;
  size_t iterations, stride;
  long steps;
};

struct way {
  const char *name;
  void (*run)(const struct loop *);
};

// Runs the iterations from `from` up to, but not including, `to`. clang compiles this function for all callers.
#ifdef __cplusplus
extern "C"
#endif
void run_range(const struct loop *loop, size_t from, size_t to);

static inline size_t blocks(const struct loop *loop) { return (loop->iterations + loop->stride - 1) / loop->stride; }

static inline void run_block(const struct loop *loop, size_t block) {
  size_t from = block * loop->stride, to = from + loop->stride;
  run_range(loop, from, to < loop->iterations ? to : loop->iterations);
}

static inline int loop_main(int argc, char **argv, const struct way *ways, size_t count) {
  const struct way *way = NULL;
  for (size_t i = 0; argc == 6 && i < count; i++) {
    if (strcmp(argv[1], ways[i].name) == 0) way = &ways[i];
  }
  struct loop loop = {NULL, 0, 0, 0};
  long repeats = 0;
  if (way) {
    loop.iterations = strtoul(argv[2], NULL, 10);
    loop.steps = strtol(argv[3], NULL, 10);
    loop.stride = strtoul(argv[4], NULL, 10);
    repeats = strtol(argv[5], NULL, 10);
  }
  if (loop.iterations < 1 || loop.stride < 1 || repeats < 1) {
    fprintf(stderr, "usage: %s way iterations steps stride repeats; ways:", argv[0]);
    for (size_t i = 0; i < count; i++) fprintf(stderr, " %s", ways[i].name);
    fprintf(stderr, "\n");
    return 64;
  }

  size_t bytes = loop.iterations * sizeof(uint64_t);
  loop.results = (uint64_t *)malloc(bytes);
  if (!loop.results) return perror("malloc"), 2;
  size_t missed = 0, repeated = 0;
  for (long repeat = -1; repeat < repeats; repeat++) {  // The first loop starts the threads, and is not reported.
    memset(loop.results, 0, bytes);
    uint64_t start = now();
    way->run(&loop);
    uint64_t elapsed = now() - start;
    for (size_t i = 0; i < loop.iterations; i++) {
      uint64_t visits = loop.results[i] & 0xff;
      if (visits == 0) missed++;
      if (visits > 1) repeated++;
    }
    if (repeat >= 0) printf("elapsed %llu\n", (unsigned long long)elapsed);
  }
  printf("missed %zu\nrepeated %zu\n", missed, repeated);
  return missed + repeated == 0 ? 0 : 1;
}

#endif
