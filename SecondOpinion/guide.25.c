// guide.25, always: dispatch_async may return before or after the block has run; dispatch_sync returns after the block
// has run.
// guide.40, always: tasks can be submitted from any thread without a lock.
// Tried for guide.25: async with a block that a gate holds, after which the caller waits for the block; and 20,000
// syncs from four threads. For guide.40, eight threads submit 5,000 blocks each to one serial queue by async. No block
// may be lost or run twice.
// Broken: async replaces sync, and the tasks of guide.40 change one variable without a queue.
#include "program.h"

static dispatch_queue_t queue;
static long sum;
static void *submit(void *from) {
  for (int i = 0; i < 5000; i++) {
    if (broken) {
      long had = *(volatile long *)&sum;
      if (i % 50 == 0) sched_yield();
      *(volatile long *)&sum = had + 1;
    } else dispatch_async(queue, ^{ sum += from == NULL; });
  }
  return NULL;
}

int main(int count, char **words) {
  begin_program(count, words);
  queue = dispatch_queue_create("tasks", NULL);
  int before = 0, after = 0;
  for (int r = 0; r < 20 * tries; r++) {
    atomic_int *ran = calloc(1, sizeof(atomic_int));
    dispatch_semaphore_t gate = dispatch_semaphore_create(0);
    dispatch_async(queue, ^{ wait_for(gate); });
    dispatch_async(queue, ^{ *ran = 1; });
    before += *ran == 0;
    dispatch_semaphore_signal(gate);
    while (!*ran) sched_yield();
    after++;
  }
  atomic_int *unfinished = calloc(1, sizeof(atomic_int));
  dispatch_apply(4, dispatch_get_global_queue(0, 0), ^(size_t t) {
    (void)t;
    for (int i = 0; i < 5000; i++) {
      atomic_int *ran = calloc(1, sizeof(atomic_int));
      if (broken) dispatch_async(queue, ^{ *ran = 1; });
      else dispatch_sync(queue, ^{ *ran = 1; });
      unfinished[0] += *ran == 0;
    }
  });
  say("guide.25", before == after && !unfinished[0] ? HOLDS : FAILS,
      "async returned before a held block %d of %d; sync before its block %d of 20000", before, after, unfinished[0]);
  pthread_t thread[8];
  for (int i = 0; i < 8; i++) pthread_create(&thread[i], NULL, submit, NULL);
  for (int i = 0; i < 8; i++) pthread_join(thread[i], NULL);
  dispatch_sync(queue, ^{});
  say("guide.40", sum == 40000 ? HOLDS : FAILS, "ran %ld of 40000", sum);
}
