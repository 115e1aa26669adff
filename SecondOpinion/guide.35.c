// guide.35, always: suspending a queue prevents blocks from beginning, and never stops a running block. Each suspend
// needs a resume.
// Tried: 40 blocks on a serial and on a concurrent queue, which is suspended once the first block runs. The program
// counts blocks that begin after suspend has returned, until 10 ms after the running block has ended. Then a queue is
// suspended twice and resumed once; no block may begin before the second resume.
// Broken: the queue is not suspended.
#include "program.h"

static long late(dispatch_queue_attr_t kind, int *stopped) {
  dispatch_queue_t queue = dispatch_queue_create("suspended", kind);
  dispatch_semaphore_t running = dispatch_semaphore_create(0), go = dispatch_semaphore_create(0);
  atomic_int *begun = calloc(2, sizeof(atomic_int));
  dispatch_async(queue, ^{
    dispatch_semaphore_signal(running);
    wait_for(go);
    begun[1] = 1;
  });
  for (int i = 0; i < 40; i++)
    dispatch_async(queue, ^{
      begun[0]++;
      spin(0.0002);
    });
  wait_for(running);
  if (!broken) dispatch_suspend(queue);
  int before = begun[0];
  dispatch_semaphore_signal(go);  // The running block continues to its end.
  for (double end = now() + 1; !begun[1] && now() < end;) rest(0.001);
  *stopped += !begun[1];
  rest(0.01);
  long after = begun[0] - before;
  if (!broken) dispatch_resume(queue);
  dispatch_barrier_sync(queue, ^{});
  return after;
}

int main(int count, char **words) {
  begin_program(count, words);
  int stopped = 0, serial = 0, concurrent = 0, unpaired = 0, rounds = 4 * tries;
  for (int i = 0; i < rounds; i++) {
    serial += late(DISPATCH_QUEUE_SERIAL, &stopped) > 0;
    concurrent += late(DISPATCH_QUEUE_CONCURRENT, &stopped) > 0;
  }
  for (int i = 0; i < tries; i++) {
    dispatch_queue_t queue = dispatch_queue_create("paired", NULL);
    dispatch_semaphore_t ran = dispatch_semaphore_create(0);
    dispatch_suspend(queue);
    if (!broken) dispatch_suspend(queue);
    dispatch_async(queue, ^{ dispatch_semaphore_signal(ran); });
    dispatch_resume(queue);
    unpaired += within(ran, 0.01);
    if (!broken) {
      dispatch_resume(queue);
      wait_for(ran);
    }
  }
  bool whole = !serial && !concurrent && !stopped && !unpaired;
  say("guide.35",
      whole                               ? HOLDS
          : stopped || unpaired || serial ? FAILS
                                          : PARTLY,
      "began after suspend: on a serial queue in %d, on a concurrent one in %d of %d; a running block stopped in %d; "
      "ran with a resume too few %d of %d",
      serial, concurrent, rounds, stopped, unpaired, tries);
}
