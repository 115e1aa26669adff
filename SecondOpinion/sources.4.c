// sources.4, always: a source starts suspended, and collects events meanwhile.
// Tried in fresh processes: events arrive before the source is activated. The sum that its handler receives afterwards
// is compared with the number of events, for a custom source, a pipe, a timer that was due, and an ignored signal.
// Broken: the events arrive after the source is registered, each after the previous event was reported.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    enum { EVENTS = 20 };
    signal(SIGUSR1, SIG_IGN);
    int ends[2];
    if (pipe2(ends, O_NONBLOCK)) return 1;
    int reader = ends[0];
    dispatch_queue_t queue = dispatch_queue_create("handler", NULL);
    dispatch_semaphore_t registered = dispatch_semaphore_create(0), told = dispatch_semaphore_create(0);
    dispatch_source_t source =
        is("custom")   ? dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue)
        : is("pipe")   ? dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)reader, 0, queue)
        : is("signal") ? dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR1, 0, queue)
                       : dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    atomic_long *sum = calloc(1, sizeof(atomic_long)), *early = calloc(1, sizeof(atomic_long));
    atomic_bool *active = calloc(1, sizeof(atomic_bool));
    dispatch_source_set_event_handler(source, ^{
      char bytes[EVENTS];
      *early += !*active;
      long data = (long)dispatch_source_get_data(source);
      *sum += is("pipe") ? (long)read(reader, bytes, sizeof bytes) : data;
      dispatch_semaphore_signal(told);
    });
    dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(registered); });
    // The first fire is due at once, the others every hundredth of a second.
    if (is("timer")) dispatch_source_set_timer(source, dispatch_time(DISPATCH_TIME_NOW, 0), NSEC_PER_SEC / 100, 0);
    for (int late = 0; late < 2; late++) {
      if (late) {
        if (is("timer")) rest(0.055);
        *active = true;
        dispatch_activate(source);
        wait_for(registered);
      }
      if (late != broken) continue;
      for (int i = 0; i < EVENTS; i++) {
        if (is("custom")) dispatch_source_merge_data(source, 1);
        if (is("pipe") && write(ends[1], "x", 1) != 1) return 1;
        if (is("signal")) kill(getpid(), SIGUSR1);
        if (broken && !is("timer")) wait_for(told);
      }
    }
    within(told, 0.08);  // A signal that is reported at all is reported by then.
    for (int i = 0; i < 2; i++) dispatch_sync(queue, ^{});
    tell(*sum, is("timer") ? 6 : EVENTS, *early, 0);
    return 0;
  }
  const char *names[] = {"custom", "pipe", "timer", "signal"};
  Tally tally[4];
  int kept = 0;
  long early = 0;
  for (int i = 0; i < 4; i++) {
    tally[i] = attempt(names[i]);
    kept += tally[i].sum[0] >= tally[i].sum[1];
    early += tally[i].sum[2];
  }
  say("sources.4", early ? FAILS : kept == 4 ? HOLDS : kept ? PARTLY : FAILS,
      "reported earlier events: custom %ld of %ld, pipe %ld of %ld, timer at least %ld of %ld, ignored signal %ld of "
      "%ld; handlers before the activation %ld",
      tally[0].sum[0], tally[0].sum[1], tally[1].sum[0], tally[1].sum[1], tally[2].sum[0], tally[2].sum[1],
      tally[3].sum[0], tally[3].sum[1], early);
}
