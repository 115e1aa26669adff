// sources.9, always: a timer that starts now fires at once, and then at its interval.
// Tried: both clocks (DISPATCH_TIME_NOW and the listing's dispatch_walltime(NULL, 0)), with an interval of 120 ms. The
// first fire must occur in the first tenth of the interval, and the second fire not before the interval is over.
// Broken: the timer starts after an interval.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  enum { MOST = 64 };
  int all = 2 * tries, at_once = 0, then = 0;
  double *fired = calloc(2 * 2 * MOST, sizeof(double)), earliest = 1e9;
  double *begun = calloc(2 * MOST, sizeof(double));
  dispatch_semaphore_t twice = dispatch_semaphore_create(0);
  const double interval = 0.12;
  int64_t delay = broken ? (int64_t)(interval * 1e9) : 0;
  dispatch_async(dispatch_get_global_queue(0, 0), ^{});  // Starts the pool's first thread before the timers.
  rest(0.005);
  for (int i = 0; i < all; i++) {
    dispatch_source_t timer =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, dispatch_queue_create("timer", NULL));
    dispatch_time_t start = i % 2 ? dispatch_walltime(NULL, delay)
        : delay                   ? dispatch_time(DISPATCH_TIME_NOW, delay)
                                  : DISPATCH_TIME_NOW;
    begun[i] = now();
    dispatch_source_set_timer(timer, start, (uint64_t)(interval * 1e9), 0);
    __block int runs = 0;
    dispatch_source_set_event_handler(timer, ^{
      fired[2 * i + runs++] = now() - begun[i];
      if (runs == 2) {
        dispatch_source_cancel(timer);
        dispatch_semaphore_signal(twice);
      }
    });
    dispatch_activate(timer);
  }
  // The delay of a block that is submitted now shows the latency that the machine currently allows.
  __block double block = 0;
  double submitted = now();
  dispatch_async(dispatch_queue_create("block", NULL), ^{
    block = now() - submitted;
    dispatch_semaphore_signal(twice);
  });
  for (int i = 0; i <= all; i++) wait_for(twice);
  for (int i = 0; i < all; i++) {
    at_once += fired[2 * i] < interval / 10;
    then += fired[2 * i + 1] >= interval * 0.999;
    if (fired[2 * i] < earliest) earliest = fired[2 * i];
  }
  const char *verdict = then < all || (earliest > interval * 0.9 && block < interval / 10) ? FAILS
      : at_once == all                                                                     ? HOLDS
                                                                                           : OPEN;
  say("sources.9", verdict,
      "first fire within a tenth of the interval %d, the second not before it %d, of %d; the earliest first fire after "
      "%.2f ms of %.0f, a block beside them after %.2f",
      at_once, then, all, earliest * 1e3, interval * 1e3, block * 1e3);
}
