// sources.26, always: a source that is suspended merges what arrives into one delivery.
// sources.2, always: events that arrive while the handler waits or runs are merged.
// Tried with 1000 merges from four threads while the source is suspended, while its handler waits for a queue that is
// held, and while it runs; and with a timer that is suspended for eight intervals. Counted: deliveries, and their sum.
// Broken: each merge is awaited.
#include "probe.h"

static void thousand(dispatch_source_t source, dispatch_semaphore_t ran) {
  if (!broken)
    dispatch_apply(4, dispatch_get_global_queue(0, 0), ^(size_t t) {
      (void)t;
      for (int i = 0; i < 250; i++) dispatch_source_merge_data(source, 1);
    });
  else
    for (int i = 0; i < 1000; i++) {
      dispatch_source_merge_data(source, 1);
      wait_for(ran);
    }
}

static int merged(char how) {
  dispatch_queue_t queue = dispatch_queue_create("handler", NULL);
  dispatch_semaphore_t ran = dispatch_semaphore_create(0), begun = dispatch_semaphore_create(0),
                       gate = dispatch_semaphore_create(0);
  __block long runs = 0, sum = 0;
  __block bool held = false;
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue);
  dispatch_source_set_event_handler(source, ^{
    if (how == 'r' && !held) {
      held = true;
      dispatch_semaphore_signal(begun);
      wait_for(gate);
      return;
    }
    runs++;
    sum += (long)dispatch_source_get_data(source);
    dispatch_semaphore_signal(ran);
  });
  dispatch_activate(source);
  if (how == 'r') {
    dispatch_source_merge_data(source, 1);
    wait_for(begun);
  }
  if (how == 'w' && !broken) {
    dispatch_async(queue, ^{
      dispatch_semaphore_signal(begun);
      wait_for(gate);
    });
    wait_for(begun);  // Or the source's activation, which is ahead of it, finds the first merges.
  }
  if (how == 's' && !broken) dispatch_suspend(source);
  if (broken) dispatch_semaphore_signal(gate);
  thousand(source, ran);
  if (how == 's' && !broken) dispatch_resume(source);
  if (!broken) {
    dispatch_semaphore_signal(gate);
    wait_for(ran);
    rest(0.002);
  }
  __block int one = 0;
  dispatch_sync(queue, ^{ one = runs == 1 && sum == 1000; });
  dispatch_source_cancel(source);
  return one;
}

static int timer(void) {
  dispatch_queue_t queue = dispatch_queue_create("timer", NULL);
  __block int runs = 0, due = 0;
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
  dispatch_source_set_event_handler(source, ^{
    runs++;
    due += (int)dispatch_source_get_data(source);
    if (!broken) dispatch_source_cancel(source);
  });
  dispatch_source_set_timer(source, dispatch_time(DISPATCH_TIME_NOW, 2000000), 2000000, 0);
  dispatch_activate(source);
  if (!broken) dispatch_suspend(source);
  rest(0.0165);
  if (!broken) dispatch_resume(source);
  for (double end = now() + 1; runs == 0 && now() < end;) rest(0.001);
  dispatch_source_cancel(source);
  __block int one = 0;
  dispatch_sync(queue, ^{ one = runs == 1 && due >= 8; });
  return one;
}

int main(int count, char **words) {
  probe(count, words);
  int suspended = 0, waiting = 0, running = 0, timers = 0;
  for (int i = 0; i < tries; i++) {
    suspended += merged('s');
    waiting += merged('w');
    running += merged('r');
    timers += timer();
  }
  say("sources.26", suspended == tries && timers == tries ? HOLDS : FAILS,
      "one delivery of all: of 1000 merges %d of %d, of a timer's 8 fires %d of %d", suspended, tries, timers, tries);
  say("sources.2", waiting == tries && running == tries ? HOLDS : FAILS,
      "one delivery of 1000: while the handler waited %d, while it ran %d, of %d", waiting, running, tries);
}
