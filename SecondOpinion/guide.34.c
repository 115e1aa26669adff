// guide.33, may: an iteration with little work costs more to schedule than it gains.
// guide.34, usually: striding gives each iteration more work and makes fewer iterations; 100 iterations with a stride
// of 4 are 25 blocks.
// guide.14, may: a block with too little work costs more to schedule than to run in place. guide.13 is similar.
// Tried in rounds: 200,000 iterations of a few additions by dispatch_apply, with strides of 1 and of 2000, and in a
// plain loop. The processor time of the whole process is compared. The blocks of 100 iterations with a stride of 4 are
// counted. For guide.14, 2000 small blocks are submitted, or run in place.
// Broken: the strides are swapped, a stride of 1 replaces the plain loop, and the two ways of guide.14 are swapped.
#include "program.h"

enum { ALL = 200000, ROUNDS = 9 };
static volatile long sink;
static inline long little(size_t i) { return (long)(i * 2654435761u >> 7); }

static double strided(size_t stride) {
  double start = at(CLOCK_PROCESS_CPUTIME_ID);
  dispatch_apply(ALL / stride, dispatch_get_global_queue(0, 0), ^(size_t block) {
    long sum = 0;
    for (size_t i = block * stride; i < (block + 1) * stride; i++) sum += little(i);
    sink = sum;
  });
  return at(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static double plain(void) {
  double start = at(CLOCK_PROCESS_CPUTIME_ID);
  for (size_t i = 0; i < ALL; i++) sink = little(i);
  return at(CLOCK_PROCESS_CPUTIME_ID) - start;
}

int main(int count, char **words) {
  begin_program(count, words);
  int dearer = 0, made_up = 0, in_place = 0;
  double each[3] = {0};
  strided(2000);
  for (int r = 0; r < ROUNDS; r++) {
    double one = strided(broken ? 2000 : 1), many = strided(broken ? 1 : 2000), loop = broken ? strided(1) : plain();
    dearer += one > loop;
    made_up += many < one;
    each[0] += one;
    each[1] += many;
    each[2] += loop;
    dispatch_queue_t queue = dispatch_queue_create("small", NULL);
    double start = at(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < 2000; i++) {
      if (broken) sink = little(i);
      else dispatch_async(queue, ^{ sink = little(i); });
    }
    dispatch_sync(queue, ^{});
    double sent = at(CLOCK_PROCESS_CPUTIME_ID) - start;
    start = at(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < 2000; i++) {
      if (broken) dispatch_async(queue, ^{ sink = little(i); });
      else sink = little(i);
    }
    dispatch_sync(queue, ^{});
    in_place += at(CLOCK_PROCESS_CPUTIME_ID) - start < sent;
  }
  atomic_int *blocks = calloc(1, sizeof(atomic_int));
  dispatch_apply(broken ? 100 : 100 / 4, dispatch_get_global_queue(0, 0), ^(size_t i) {
    (void)i;
    blocks[0]++;
  });
  say("guide.33", usually(dearer, ROUNDS)[0] == 'h' ? SEEN : NOT_SEEN,
      "more expensive than a plain loop in %d of %d rounds (%.1f and %.1f ns per iteration)", dearer, ROUNDS,
      each[0] / ROUNDS / ALL * 1e9, each[2] / ROUNDS / ALL * 1e9);
  say("guide.34", blocks[0] == 25 ? HOLDS : FAILS,
      "100 by 4 are %d blocks; strided is cheaper in %d of %d rounds (%.1f ns per iteration)", blocks[0], made_up, ROUNDS,
      each[1] / ROUNDS / ALL * 1e9);
  say("guide.14", usually(in_place, ROUNDS)[0] == 'h' ? SEEN : NOT_SEEN,
      "in place is cheaper in %d of %d rounds of 2000 small blocks", in_place, ROUNDS);
}
