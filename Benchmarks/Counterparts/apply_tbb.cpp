// The loop of apply-stride with oneTBB, which chooses its own blocks and ignores the stride. See apply_loop.h for the
// usage and the output.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include "apply_loop.h"

static void run_tbb(const struct loop *loop) {
  using range = oneapi::tbb::blocked_range<size_t>;
  oneapi::tbb::parallel_for(
      range(0, loop->iterations), [loop](const range &part) { run_range(loop, part.begin(), part.end()); },
      oneapi::tbb::auto_partitioner());
}

static void run_serial(const struct loop *loop) { run_range(loop, 0, loop->iterations); }

int main(int argc, char **argv) {
  static const struct way ways[] = {{"serial", run_serial}, {"tbb", run_tbb}};
  return loop_main(argc, argv, ways, sizeof ways / sizeof *ways);
}
