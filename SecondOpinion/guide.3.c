// guide.3, always: all queues, including concurrent queues, are first in, first out: tasks are executed in the order in
// which they were added.
// Tried: the order in which tasks begin, since a program can observe only this order. In the first case, 64 tasks
// occupy the threads of a concurrent queue. Another task is added by async, and then a task by sync; the program
// reports which of these two begins first. In the second case, 20,000 tasks take a number as they begin, on several
// threads, and on a queue with a serial target, which runs only one task at a time.
// Broken: the queue is serial.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  int overtaken = 0, inverted[2] = {0, 0}, rounds = 2 * tries;
  enum { TASKS = 20000 };
  int *place = calloc(TASKS, sizeof(int));
  for (int r = 0; r < rounds; r++) {
    dispatch_queue_t queue = dispatch_queue_create("order", broken ? DISPATCH_QUEUE_SERIAL : DISPATCH_QUEUE_CONCURRENT);
    dispatch_semaphore_t gate = dispatch_semaphore_create(0);
    atomic_int *turn = calloc(1, sizeof(atomic_int));
    __block int third = 0, fourth = 0;
    for (int i = 0; i < 64; i++) dispatch_async(queue, ^{ (void)within(gate, 0.02); });
    dispatch_async(queue, ^{ third = atomic_fetch_add(turn, 1); });
    if (broken)
      for (int i = 0; i < 64; i++) dispatch_semaphore_signal(gate);
    dispatch_sync(queue, ^{ fourth = atomic_fetch_add(turn, 1); });
    for (int i = 0; i < 64; i++) dispatch_semaphore_signal(gate);
    dispatch_barrier_sync(queue, ^{});
    overtaken += fourth < third;
    dispatch_queue_t target = dispatch_queue_create("target", DISPATCH_QUEUE_SERIAL);
    dispatch_queue_t narrow = dispatch_queue_create_with_target(
        "narrow", broken ? DISPATCH_QUEUE_SERIAL : DISPATCH_QUEUE_CONCURRENT, target);
    for (int way = 0; way < 2; way++) {
      dispatch_queue_t order = way ? narrow : queue;
      atomic_store(turn, 0);
      for (int i = 0; i < TASKS; i++) dispatch_async(order, ^{ place[i] = atomic_fetch_add(turn, 1); });
      dispatch_barrier_sync(order, ^{});
      int wrong = 0;
      for (int i = 1; i < TASKS; i++) wrong += place[i] < place[i - 1];
      inverted[way] += wrong > 0;
    }
  }
  say("guide.3", overtaken + inverted[0] + inverted[1] ? FAILS : HOLDS,
      "a sync overtook an async added before it in %d of %d; %d asyncs began in another order in %d runs, and in %d where "
      "the target is serial",
      overtaken, rounds, TASKS, inverted[0], inverted[1]);
}
