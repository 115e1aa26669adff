// The loop of apply-stride, as a plain loop and with the parallel loop of the compiler: dispatch_apply_f with Swift's
// clang (-DWITH_DISPATCH), or OpenMP with gcc (-fopenmp). See apply_loop.h for the usage and the output.
#include "apply_loop.h"

#ifdef WITH_DISPATCH
#include <dispatch/dispatch.h>

static void apply_block(void *loop, size_t block) { run_block((const struct loop *)loop, block); }

static void run_dispatch(const struct loop *loop) {
  dispatch_apply_f(blocks(loop), dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0), (void *)loop,
                   apply_block);
}
#endif

#ifdef _OPENMP
static void run_openmp(const struct loop *loop) {
#pragma omp parallel for schedule(static)
  for (size_t block = 0; block < blocks(loop); block++) run_block(loop, block);
}
#endif

static void run_serial(const struct loop *loop) { run_range(loop, 0, loop->iterations); }

int main(int argc, char **argv) {
  static const struct way ways[] = {
      {"serial", run_serial},
#ifdef WITH_DISPATCH
      {"dispatch", run_dispatch},
#endif
#ifdef _OPENMP
      {"openmp", run_openmp},
#endif
  };
  return loop_main(argc, argv, ways, sizeof ways / sizeof *ways);
}
