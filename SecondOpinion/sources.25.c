// sources.25, always: cancelling is asynchronous: what runs goes on, nothing new comes, the cancel handler is last.
// Tried 200 times: a source is cancelled from outside while its handler runs and more events are pending and come.
// Counted: handlers that did not end, handlers that began after cancel had returned and the running one had ended,
// anything after the cancel handler. Broken: the source is not cancelled, and the cancel handler's block is submitted
// by hand. sources.30, always: a source may be released right after it is cancelled; its cancel handler still runs.
#include "probe.h"

int main(int count, char **words) {
  probe(count, words);
  __block int unfinished = 0;
  int new = 0, after = 0, released = 0, rounds = 40 * tries;
  for (int r = 0; r < rounds; r++) {
    dispatch_queue_t queue = dispatch_queue_create("handler", r % 2 ? DISPATCH_QUEUE_CONCURRENT : NULL);
    dispatch_semaphore_t running = dispatch_semaphore_create(0), go = dispatch_semaphore_create(0),
                         gone = dispatch_semaphore_create(0);
    atomic_int *begun = calloc(3, sizeof(atomic_int));  // begun, ended, begun after the cancel handler
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
  say("sources.25", unfinished + new + after ? FAILS : HOLDS,
      "of %d cancelled beside a running handler: cancel handler before its end %d, began after the cancel %d, after "
      "the cancel handler %d",
      rounds, unfinished, new, after);
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
  say("sources.30", handled == 20 * tries && unfinished + after == 0 ? HOLDS : FAILS,
      "cancel handler ran %d of %d, and %d of %d released beside a running handler", handled, 20 * tries, released,
      released);
}
