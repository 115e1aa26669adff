// sources.25, always: cancelling is asynchronous. The running handler call continues, no new handler call begins, and
// the cancellation handler runs last.
// sources.30, always: a source may be released right after it is cancelled, and its cancellation handler still runs.
// The sentence holds in part: a child process that releases a suspended source traps.
// Tried 200 times: a source is cancelled from outside while its handler runs and more events are pending and arrive.
// The program counts handler calls that did not end, handler calls that began after cancel had returned and the running
// call had ended, and handler calls after the cancellation handler. Then another thread cancels busy sources of several
// kinds at random times. This ends when a handler call begins after cancel has returned, or after three seconds.
// Finally, busy sources are cancelled in a block of their own serial queue, after which no handler call may begin.
// Broken: the source is not cancelled, and the program submits the block of the cancellation handler.
#include "program.h"

// Cancels busy sources until a handler call begins after cancel has returned, until `seconds` have passed, or until
// `most` sources are cancelled. Returns the number of cancelled sources.
static int cancel_busy(int kind, bool on_queue, double seconds, int most, int *late) {
  unsigned seed = 1;
  int cancelled = 0;
  int ends[2];
  if (pipe(ends) || write(ends[1], "x", 1) != 1) exit(1);
  for (double end = now() + seconds; cancelled < most && *late == 0 && now() < end; cancelled++) {
    dispatch_queue_t queue = kind == 0 || on_queue ? dispatch_queue_create("handler", NULL)
                             : kind == 1           ? dispatch_queue_create("handler", DISPATCH_QUEUE_CONCURRENT)
                                                   : dispatch_get_global_queue(0, 0);
    dispatch_semaphore_t gone = dispatch_semaphore_create(0);
    atomic_bool *returned = calloc(1, sizeof(atomic_bool));
    atomic_int *begun = calloc(1, sizeof(atomic_int));
    // A custom source that triggers itself, or a source for a pipe that is never read and therefore always ready.
    dispatch_source_t source =
        kind < 2 ? dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_OR, 0, 0, queue)
                 : dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)ends[0], 0, queue);
    dispatch_source_set_event_handler(source, ^{
      if (*returned) ++*begun;
      if (kind < 2) dispatch_source_merge_data(source, 1);
    });
    dispatch_source_set_cancel_handler(source, ^{ dispatch_semaphore_signal(gone); });
    dispatch_activate(source);
    if (kind < 2) dispatch_source_merge_data(source, 1);
    rest((double)(rand_r(&seed) % 40) * 1e-6);
    if (on_queue) dispatch_sync(queue, ^{ dispatch_source_cancel(source); });
    else dispatch_source_cancel(source);
    *returned = true;
    wait_for(gone);
    *late += *begun;
    dispatch_release(source);
    if (on_queue || kind < 2) dispatch_release(queue);
    free(returned);
    free(begun);
  }
  return cancelled;
}

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    dispatch_source_t source =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, dispatch_get_global_queue(0, 0));
    dispatch_activate(source);
    if (!broken) dispatch_suspend(source);
    dispatch_source_cancel(source);
    dispatch_release(source);
    return 0;
  }
  __block int unfinished = 0;
  int new = 0, after = 0, released = 0, rounds = 40 * tries;
  for (int r = 0; r < rounds; r++) {
    dispatch_queue_t queue = dispatch_queue_create("handler", r % 2 ? DISPATCH_QUEUE_CONCURRENT : NULL);
    dispatch_semaphore_t running = dispatch_semaphore_create(0), go = dispatch_semaphore_create(0),
                         gone = dispatch_semaphore_create(0);
    atomic_int *begun = calloc(3, sizeof(atomic_int));  // calls: begun, ended, begun after the cancellation handler
    atomic_bool *last = calloc(1, sizeof(atomic_bool));
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue);
    dispatch_source_set_event_handler(source, ^{
      if (begun[0]++ == 0) {
        dispatch_semaphore_signal(running);
        wait_for(go);
      }
      begun[2] += *last;
      begun[1]++;
    });
    dispatch_block_t cancelled = ^{
      *last = true;
      unfinished += begun[1] != begun[0];
      dispatch_semaphore_signal(gone);
    };
    dispatch_source_set_cancel_handler(source, cancelled);
    dispatch_activate(source);
    dispatch_source_merge_data(source, 1);
    wait_for(running);
    dispatch_source_merge_data(source, 1);  // pending
    if (!broken) dispatch_source_cancel(source);
    for (int i = 0; i < 5; i++) dispatch_source_merge_data(source, 1);
    if (broken) dispatch_async(queue, cancelled);
    else if (r % 4 < 2) dispatch_release(source), released++;
    dispatch_semaphore_signal(go);
    wait_for(gone);
    dispatch_sync(queue, ^{});
    new += begun[0] - 1;
    after += begun[2];
  }
  int late[3] = {0}, cancelled[3], kinds = 0, on_queue = 0, inside = 0;
  for (int kind = 0; kind < 3; kind++) {
    cancelled[kind] = cancel_busy(kind, false, 3, 1 << 20, &late[kind]);
    kinds += late[kind] > 0;
    inside += cancel_busy(kind, true, 3, 100 * tries, &on_queue);
  }
  say("sources.25", unfinished + new + after + on_queue ? FAILS : kinds ? PARTLY : OPEN,
      "of %d cancelled beside a running handler: cancel handler before its end %d, began after the cancel %d, after "
      "the cancel handler %d; a handler began after another thread's cancel had returned with %d of 3 kinds (the %dth, "
      "%dth, %dth source cancelled), after one on its own serial queue %d of %d",
      rounds, unfinished, new, after, kinds, cancelled[0], cancelled[1], cancelled[2], on_queue, inside);
  int handled = 0;
  for (int r = 0; r < 20 * tries; r++) {
    dispatch_semaphore_t gone = dispatch_semaphore_create(0);
    dispatch_source_t source =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, dispatch_get_global_queue(0, 0));
    if (!broken) dispatch_source_set_cancel_handler(source, ^{ dispatch_semaphore_signal(gone); });
    dispatch_activate(source);
    dispatch_source_cancel(source);
    dispatch_release(source);
    handled += within(gone, broken ? 0.001 : 2);
  }
  Tally suspended = attempt("suspended");
  say("sources.30", handled != 20 * tries || unfinished + after > 0 ? FAILS : suspended.trapped ? PARTLY : HOLDS,
      "cancel handler ran %d of %d, and %d of %d released beside a running handler; released while suspended: trapped "
      "%d of %d",
      handled, 20 * tries, released, released, suspended.trapped, tries);
}
