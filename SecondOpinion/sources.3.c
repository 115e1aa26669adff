// sources.3, always: a signal source also reports how many signals arrived since its handler last ran.
// Tried in fresh processes, with a handler whose queue is held: 50 SIGUSR1 sent at once, of which the kernel keeps one
// at a time; 20 real-time signals, all of which the kernel keeps; and 20 SIGUSR1, each sent after another source has
// reported the previous signal, so that no signal waits in the kernel. Then the queue is released, and the source's
// data is added up.
// Broken: the queue is not held, and each signal is awaited before the next is sent.
#include "program.h"

static dispatch_source_t watch(int number, dispatch_queue_t queue, atomic_long *sum, dispatch_semaphore_t told) {
  dispatch_semaphore_t registered = dispatch_semaphore_create(0);
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, (uintptr_t)number, 0, queue);
  dispatch_source_set_event_handler(source, ^{
    *sum += (long)dispatch_source_get_data(source);
    dispatch_semaphore_signal(told);
  });
  dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(registered); });
  dispatch_activate(source);
  wait_for(registered);
  return source;
}

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    int number = is("queued") ? SIGRTMIN + 3 : SIGUSR1, sent = is("burst") ? 50 : 20;
    signal(number, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
    dispatch_queue_t queue = dispatch_queue_create("handler", NULL), other = dispatch_queue_create("other", NULL);
    dispatch_semaphore_t told = dispatch_semaphore_create(0), elsewhere = dispatch_semaphore_create(0),
                         gate = dispatch_semaphore_create(0), marked = dispatch_semaphore_create(0);
    atomic_long *sum = calloc(3, sizeof(atomic_long));
    if (is("spaced")) watch(number, other, &sum[1], elsewhere);
    watch(number, queue, &sum[0], told);
    watch(SIGUSR2, other, &sum[2], marked);
    dispatch_semaphore_t held = dispatch_semaphore_create(0);
    if (!broken) {
      dispatch_async(queue, ^{
        dispatch_semaphore_signal(held);
        wait_for(gate);
      });
      wait_for(held);
    }
    for (int i = 0; i < sent; i++) {
      kill(getpid(), number);
      if (is("spaced")) wait_for(elsewhere);
      if (broken) wait_for(told);
    }
    // All signals that are pending in the kernel are read before a later signal. Two later signals are sent.
    for (int i = 0; i < 2; i++) {
      kill(getpid(), SIGUSR2);
      wait_for(marked);
    }
    if (is("queued")) rest(0.05);  // Dispatch reads one signal in each turn of its event loop.
    dispatch_semaphore_signal(gate);
    for (int i = 0; i < 2; i++) dispatch_sync(queue, ^{});
    tell(sum[0], sent, sum[1], 0);
    return 0;
  }
  Tally burst = attempt("burst"), queued = attempt("queued"), spaced = attempt("spaced");
  bool all = burst.sum[0] == burst.sum[1] && queued.sum[0] == queued.sum[1] && spaced.sum[0] == spaced.sum[1];
  say("sources.3", all ? HOLDS : FAILS,
      "reported %ld of %ld at once, %ld of %ld real-time signals, %ld of %ld one by one (by another source %ld)",
      burst.sum[0], burst.sum[1], queued.sum[0], queued.sum[1], spaced.sum[0], spaced.sum[1], spaced.sum[2]);
}
