// sources.3, always: a signal source also tells how many signals came since its handler last ran.
// Tried in fresh processes: 50 SIGUSR1 sent by kill while the handler's queue is held, then one more that is told by
// itself; the source's data is added up. Broken: each signal is awaited before the next is sent.
#include "probe.h"

int main(int count, char **words) {
  probe(count, words);
  if (part) {
    signal(SIGUSR1, SIG_IGN);
    dispatch_queue_t queue = dispatch_queue_create("handler", NULL);
    dispatch_semaphore_t registered = dispatch_semaphore_create(0), told = dispatch_semaphore_create(0),
                         gate = dispatch_semaphore_create(0);
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR1, 0, queue);
    __block long sum = 0;
    dispatch_source_set_event_handler(source, ^{
      sum += (long)dispatch_source_get_data(source);
      dispatch_semaphore_signal(told);
    });
    dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(registered); });
    dispatch_activate(source);
    wait_for(registered);
    if (!broken) dispatch_async(queue, ^{ wait_for(gate); });
    for (int i = 0; i < 50; i++) {
      kill(getpid(), SIGUSR1);
      if (broken) wait_for(told);
    }
    dispatch_semaphore_signal(gate);
    if (!broken) {
      while (within(told, 0.05)) {}  // What came meanwhile has been told.
      kill(getpid(), SIGUSR1);
      wait_for(told);
      while (within(told, 0.05)) {}
    }
    dispatch_sync(queue, ^{ tell(sum, broken ? 50 : 51, 0, 0); });
    return 0;
  }
  Tally tally = attempt("");
  say("sources.3", tally.sum[0] == tally.sum[1] ? HOLDS : FAILS, "told %ld of %ld signals in %d processes",
      tally.sum[0], tally.sum[1], tally.finished);
}
