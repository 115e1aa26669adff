// guide.26, always: dispatch_sync to the queue on which its caller runs deadlocks, for every kind of queue.
// guide.27, always: such a call must be avoided on concurrent queues, too.
// guide.31, always: dispatch_apply on the serial queue on which its caller runs deadlocks.
// Tried: a deadlock means that the call never returns. Dispatch traps if it detects the deadlock. guide.27 holds if a
// call on a concurrent queue can deadlock: a call while a barrier waits, and a barrier sync.
// Broken: the inner call is to another queue.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    bool concurrent = is("concurrent") || is("barrier") || is("barrier-sync");
    dispatch_queue_t queue =
        dispatch_queue_create("own", concurrent ? DISPATCH_QUEUE_CONCURRENT : DISPATCH_QUEUE_SERIAL);
    dispatch_queue_t inner = broken ? dispatch_queue_create("other", DISPATCH_QUEUE_SERIAL) : queue;
    dispatch_sync(queue, ^{
      if (is("barrier")) dispatch_barrier_async(queue, ^{});
      if (is("apply")) dispatch_apply(4, inner, ^(size_t i) { (void)i; });
      else if (is("barrier-sync")) dispatch_barrier_sync(inner, ^{});
      else dispatch_sync(inner, ^{});
    });
    return 0;
  }
  Tally serial = attempt("serial"), plain = attempt("concurrent"), barrier = attempt("barrier"),
        apply = attempt("apply"), barrier_sync = attempt("barrier-sync");
  bool onSerial = serial.trapped + serial.hung == tries, onConcurrent = plain.trapped + plain.hung == tries;
  say("guide.26", onSerial && onConcurrent ? HOLDS : onSerial ? PARTLY : FAILS,
      "never returned on a serial queue %d of %d: trapped %d, hung %d; on a concurrent one %d of %d",
      serial.trapped + serial.hung, tries, serial.trapped, serial.hung, plain.trapped + plain.hung, tries);
  say("guide.27", barrier.hung == tries && barrier_sync.hung == tries ? HOLDS : FAILS,
      "hung with a barrier waiting %d of %d, by a barrier sync %d of %d; else returned %d of %d", barrier.hung, tries,
      barrier_sync.hung, tries, plain.finished, tries);
  say("guide.31", apply.trapped + apply.hung == tries ? HOLDS : FAILS, "never returned %d of %d: trapped %d, hung %d",
      apply.trapped + apply.hung, tries, apply.trapped, apply.hung);
}
