// replacement.8, always: the global queues cannot be modified.
// Tried in fresh processes: suspend, a context, another target, a barrier, and a value by key. An effect is a
// modification; a trap is a refusal.
// Broken: a private concurrent queue.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    dispatch_queue_t queue =
        broken ? dispatch_queue_create("private", DISPATCH_QUEUE_CONCURRENT) : dispatch_get_global_queue(0, 0);
    dispatch_semaphore_t ran = dispatch_semaphore_create(0), other = dispatch_semaphore_create(0);
    static int key;
    __block long changed = 0;
    if (is("suspend")) {
      dispatch_suspend(queue);
      dispatch_async(queue, ^{ dispatch_semaphore_signal(ran); });
      changed = !within(ran, 0.1);
    }
    if (is("context")) {
      dispatch_set_context(queue, &key);
      changed = dispatch_get_context(queue) == &key;
    }
    if (is("target")) {
      dispatch_queue_t target = dispatch_queue_create("target", NULL);
      dispatch_queue_set_specific(target, &key, &key, NULL);
      dispatch_set_target_queue(queue, target);
      dispatch_async(queue, ^{
        changed = dispatch_get_specific(&key) == &key;
        dispatch_semaphore_signal(ran);
      });
      wait_for(ran);
    }
    if (is("barrier")) {  // A barrier excludes other blocks, unless the queue is global.
      dispatch_barrier_async(queue, ^{
        changed = !within(other, 0.1);
        dispatch_semaphore_signal(ran);
      });
      dispatch_async(queue, ^{ dispatch_semaphore_signal(other); });
      wait_for(ran);
    }
    if (is("specific")) {
      dispatch_queue_set_specific(queue, &key, &key, NULL);
      dispatch_async(queue, ^{
        changed = dispatch_get_specific(&key) == &key;
        dispatch_semaphore_signal(ran);
      });
      wait_for(ran);
    }
    tell(changed, 0, 0, 0);
    return 0;
  }
  const char *what[] = {"suspend", "context", "target", "barrier", "specific"};
  int changed = 0;
  char figures[300] = "";
  for (int i = 0; i < 5; i++) {
    Tally tally = attempt(what[i]);
    changed += tally.met[0] > 0;
    snprintf(figures + strlen(figures), sizeof figures - strlen(figures), "%s%s %d (trapped %d)", i ? ", " : "",
             what[i], tally.met[0], tally.trapped);
  }
  say("replacement.8",
      !changed                     ? HOLDS
          : changed < 5 && !broken ? PARTLY
                                   : FAILS,
      "had an effect, of %d each: %s", tries, figures);
}
