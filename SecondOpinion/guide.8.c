// guide.8, may: 100 tasks in 100 queues may not all run at once, unless there are 100 cores.
// guide.7, always: queues run concurrently with each other.
// Tried: the tasks of 100 serial queues compute until 150 ms after the start. Their processor time divided by the
// elapsed time is the average number of tasks that ran at once. For guide.7, each of two tasks waits, without sleeping,
// until the other task has begun. The two queues have separate targets, or one serial target.
// Broken: one task in one queue.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  int tasks = broken ? 1 : 100, together = 0;
  atomic_long *time = calloc(1, sizeof(atomic_long));
  dispatch_group_t group = dispatch_group_create();
  atomic_int *ready = calloc(1, sizeof(atomic_int));
  double start = now(), end = start + 0.15;
  for (int i = 0; i < tasks; i++)
    dispatch_group_async(group, dispatch_queue_create("one of many", NULL), ^{
      double mine = busy();
      while (now() < end) {}
      time[0] += (long)((busy() - mine) * 1e9);
      ready[0]++;
    });
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  double running = (double)time[0] / 1e9 / (end - start);
  say("guide.8", running < tasks - 1 ? SEEN : NOT_SEEN, "of %d tasks %.1f ran at once on average, on %ld cores", tasks,
      running, sysconf(_SC_NPROCESSORS_ONLN));

  int sharing = 0;
  for (int r = 0; r < 2 * tries; r++) {
    bool shared = r >= tries;
    dispatch_queue_t target = shared ? dispatch_queue_create("target", NULL) : NULL;
    dispatch_queue_t one = dispatch_queue_create_with_target("one", NULL, target);
    dispatch_queue_t two = broken ? one : dispatch_queue_create_with_target("two", NULL, target);
    atomic_int *begun = calloc(2, sizeof(atomic_int));
    dispatch_block_t task = ^{
      begun[0]++;
      for (double limit = now() + (broken || shared ? 0.01 : 2); begun[0] < 2 && now() < limit;) sched_yield();
      begun[1]++;
      if (begun[0] == 1) begun[1] += 2;  // This task ended before the other task began.
    };
    dispatch_group_async(group, one, task);
    dispatch_group_async(group, two, task);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    if (shared) sharing += begun[1] == 2;
    else together += begun[1] == 2;
  }
  say("guide.7",
      together < tries      ? FAILS
          : sharing < tries ? PARTLY
                            : HOLDS,
      "two queues' tasks met %d of %d; with one serial target %d of %d", together, tries, sharing, tries);
}
