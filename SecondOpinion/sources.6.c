// sources.6, always: if a source gets another target, a handler call that waits on the old queue runs there, and later
// calls run on either queue.
// Tried: the old queue is held, an event arrives, the source gets the new target, and the queue is released. The label
// of the current queue shows where the handler ran. Later handler calls must run on one of the two queues.
// Broken: the source gets no new target.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  int on_old = 0, on_new = 0, elsewhere = 0, rounds = 10 * tries;
  for (int r = 0; r < rounds; r++) {
    dispatch_queue_t old = dispatch_queue_create("old", NULL), new = dispatch_queue_create("new", NULL);
    dispatch_semaphore_t gate = dispatch_semaphore_create(0), ran = dispatch_semaphore_create(0);
    __block const char *where = NULL;
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, old);
    dispatch_source_set_event_handler(source, ^{
      where = dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL);
      dispatch_semaphore_signal(ran);
    });
    dispatch_activate(source);
    dispatch_source_merge_data(source, 1);  // The first event is delivered, so the source is active.
    wait_for(ran);
    if (!broken) dispatch_async(old, ^{ wait_for(gate); });
    dispatch_source_merge_data(source, 1);
    if (!broken) dispatch_set_target_queue(source, new);
    dispatch_semaphore_signal(gate);
    wait_for(ran);
    on_old += !strcmp(where, "old");
    on_new += !strcmp(where, "new");
    for (int i = 0; i < 10; i++) {
      dispatch_source_merge_data(source, 1);
      wait_for(ran);
      elsewhere += strcmp(where, "old") && strcmp(where, "new");
    }
    dispatch_source_cancel(source);
  }
  say("sources.6", on_old == rounds && !elsewhere ? HOLDS : FAILS,
      "the waiting handler ran on the old queue %d, on the new one %d of %d; later ones elsewhere %d of %d", on_old,
      on_new, rounds, elsewhere, 10 * rounds);
}
