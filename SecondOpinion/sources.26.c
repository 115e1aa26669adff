// sources.26, always: a suspended source merges the events that arrive into one delivery.
// sources.2, always: events that arrive while the handler waits or runs are merged.
// Tried with a custom source: 1000 merges from four threads while the source is suspended, while its handler waits for
// a queue that is held, and while the handler runs. Tried with a timer: the source is suspended for eight intervals.
// Tried with a read source: its pipe receives one byte and, after a pause in which Dispatch can notice this byte, 99
// more bytes, while the source is suspended or its handler waits for a queue that is held. The handler reads as many
// bytes as estimated. The program counts deliveries, their sum, and read sources whose first estimate is less than 100
// bytes.
// Broken: each merge is awaited, and the handler of the read source reads byte by byte.
#include "program.h"

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
    wait_for(begun);  // Otherwise the activation could deliver the first merges.
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

// Returns whether one handler call, which reads as many bytes as estimated, read 100 bytes. Stores the first estimate
// in `first`.
static int read_once(bool waits, int *first) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  int reader = ends[0];
  fcntl(reader, F_SETFL, O_NONBLOCK);
  dispatch_queue_t queue = dispatch_queue_create("read", NULL);
  dispatch_semaphore_t ran = dispatch_semaphore_create(0), registered = dispatch_semaphore_create(0),
                       gate = dispatch_semaphore_create(0);
  __block int runs = 0, told = -1, bytes = 0;
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)reader, 0, queue);
  dispatch_source_set_event_handler(source, ^{
    char buffer[1000];
    size_t estimated = dispatch_source_get_data(source);
    if (told < 0) told = (int)estimated;
    ssize_t got = read(reader, buffer, broken ? 1 : estimated < sizeof buffer ? estimated : sizeof buffer);
    bytes += got > 0 ? (int)got : 0;
    runs++;
    if (bytes == 100) dispatch_semaphore_signal(ran);
  });
  dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(registered); });
  dispatch_activate(source);
  wait_for(registered);
  dispatch_sync(queue, ^{});  // Otherwise the source could call its handler before its registration ends.
  if (waits) {
    dispatch_async(queue, ^{
      dispatch_semaphore_signal(registered);
      wait_for(gate);
    });
    wait_for(registered);
  } else dispatch_suspend(source);
  for (int i = 0; i < 100; i++) {
    if (write(ends[1], "x", 1) != 1) return 0;
    if (i == 0) rest(0.05);
  }
  if (waits) dispatch_semaphore_signal(gate);
  else dispatch_resume(source);
  wait_for(ran);
  rest(0.002);
  __block int one = 0;
  dispatch_sync(queue, ^{ one = runs == 1 && bytes == 100; });
  *first = told;
  dispatch_source_cancel(source);
  return one;
}

int main(int count, char **words) {
  begin_program(count, words);
  int suspended = 0, waiting = 0, running = 0, timers = 0, reads = 0, low = 0, held = 0, least = 0;
  for (int i = 0; i < tries; i++) {
    suspended += merged('s');
    waiting += merged('w');
    running += merged('r');
    timers += timer();
    int told = 0, other = 0;
    reads += read_once(false, &told);
    held += read_once(true, &other);
    low += told < 100;
    least += other < 100;
  }
  say("sources.26",
      suspended < tries || timers < tries ? FAILS
          : reads < tries                 ? PARTLY
                                          : HOLDS,
      "one delivery of all: of 1000 merges %d of %d, of a timer's 8 fires %d of %d, of 100 bytes %d of %d, with too low "
      "a first estimate %d",
      suspended, tries, timers, tries, reads, tries, low);
  say("sources.2",
      waiting < tries || running < tries ? FAILS
          : held < tries                 ? PARTLY
                                         : HOLDS,
      "one delivery of 1000: while the handler waited %d, while it ran %d, of %d; of a pipe's 100 bytes, which came "
      "while it waited, %d of %d, with too low a first estimate %d",
      waiting, running, tries, held, tries, least);
}
