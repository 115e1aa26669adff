// sources.21, may: the handler of a signal source may call any function, which may add latency.
// Tried in fresh processes: a signal interrupts a thread that holds a mutex, and the source's handler takes this mutex.
// The thread continues and releases the mutex. A signal handler that takes the mutex would never end. Then 100 pairs of
// signals compare the time from kill until the source's handler begins with the time until a signal handler begins.
// Broken: a signal handler replaces the source.
#include "program.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_long begun;
static dispatch_semaphore_t told;

static long nanoseconds(void) { return (long)(now() * 1e9); }

static void handle(void *unused) {
  (void)unused;
  begun = nanoseconds();
  pthread_mutex_lock(&mutex);
  free(malloc(100));
  pthread_mutex_unlock(&mutex);
  dispatch_semaphore_signal(told);
}
static void on_signal(int number) {
  if (number == SIGUSR1) handle(NULL);
  else begun = nanoseconds();
}

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    told = dispatch_semaphore_create(0);
    dispatch_semaphore_t registered = dispatch_semaphore_create(0);
    signal(SIGUSR2, on_signal);
    if (broken) signal(SIGUSR1, on_signal);
    else {
      signal(SIGUSR1, SIG_IGN);
      dispatch_source_t source =
          dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR1, 0, dispatch_queue_create("handler", NULL));
      dispatch_source_set_event_handler_f(source, handle);
      dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(registered); });
      dispatch_activate(source);
      wait_for(registered);
    }
    pthread_mutex_lock(&mutex);
    raise(SIGUSR1);
    pthread_mutex_unlock(&mutex);
    wait_for(told);
    long later = 0, pairs = 100;
    for (int i = 0; i < pairs; i++) {
      long sent = nanoseconds();
      kill(getpid(), SIGUSR1);
      wait_for(told);
      long source = begun - sent;
      sent = nanoseconds();
      begun = 0;
      kill(getpid(), SIGUSR2);
      while (!begun) sched_yield();
      later += source > begun - sent;
    }
    tell(1, later, pairs, 0);
    return 0;
  }
  Tally tally = attempt("");
  bool any = tally.sum[0] == tries, later = 2 * tally.sum[1] > tally.sum[2];
  say("sources.21", any && later ? SEEN : NOT_SEEN,
      "a handler took the mutex of the interrupted thread in %ld of %d (%d hung); it began later than a signal handler in "
      "%ld of %ld pairs",
      tally.sum[0], tries, tally.hung, tally.sum[1], tally.sum[2]);
}
