// guide.17, always: the second argument of dispatch_get_global_queue must be 0.
// guide.18, always: retain and release have no effect on global queues.
// Tried for guide.17: an argument with each single bit, and with all bits. If the result is not NULL, the program also
// reports whether the queue works. For guide.18, in fresh processes: each global queue and the main queue are released
// 1000 times, and the global queues are then used.
// Broken: the argument is always 0, and the queue of guide.18 is private.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    intptr_t id[] = {2, 0, -2, INT16_MIN};
    for (int i = 0; i < 5; i++) {
      dispatch_queue_t queue = i == 4 ? dispatch_get_main_queue() : dispatch_get_global_queue(id[i], 0);
      if (broken) queue = dispatch_queue_create("private", NULL);
      for (int n = 0; n < 1000; n++) dispatch_release(queue);
      if (i < 4) dispatch_sync(queue, ^{});
      for (int n = 0; n < 1000; n++) dispatch_retain(queue);
    }
    return 0;
  }
  int given = 0, works = 0;
  unsigned long last = 0;
  for (int bit = 0; bit <= 64; bit++) {
    unsigned long flags = broken ? 0 : bit == 64 ? ~0UL : 1UL << bit;
    dispatch_queue_t queue = dispatch_get_global_queue(0, flags);
    if (!queue) continue;
    dispatch_semaphore_t ran = dispatch_semaphore_create(0);
    given++;
    last = flags;
    dispatch_async(queue, ^{ dispatch_semaphore_signal(ran); });
    works += within(ran, 1);
  }
  say("guide.17",
      !given           ? HOLDS
          : given < 65 ? PARTLY
                       : FAILS,
      "%d of 65 values other than 0 give NULL, %d a queue that works (the last of them %lu)", 65 - given, works, last);
  Tally tally = attempt("");
  say("guide.18", tally.finished == tries ? HOLDS : FAILS, "continued after 1000 releases of each %d of %d, trapped %d",
      tally.finished, tries, tally.trapped + tally.killed);
}
