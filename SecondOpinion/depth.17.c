// depth.17, always: the completion of a group runs on the queue that the caller names.
// replacement.2, always: the notify block is submitted when all associated blocks have completed.
// Tried: nine queues (serial, concurrent, with a target, inactive until later, four global queues, the main queue),
// each with an empty group and with a group that has a task. The completion compares the label of the current queue.
// For replacement.2, the tasks of many groups race; no task may be unfinished when the block runs.
// Broken: the completion's check runs on another queue, and each task starts another task that the group does not know.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    dispatch_queue_t target = dispatch_queue_create("target", NULL), other = dispatch_queue_create("other", NULL);
    dispatch_queue_t queue[] = {dispatch_queue_create("serial", NULL),
                                dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT),
                                dispatch_queue_create_with_target("targeted", NULL, target),
                                dispatch_queue_create("inactive", dispatch_queue_attr_make_initially_inactive(NULL)),
                                dispatch_get_global_queue(2, 0),
                                dispatch_get_global_queue(0, 0),
                                dispatch_get_global_queue(-2, 0),
                                dispatch_get_global_queue(INT16_MIN, 0),
                                dispatch_get_main_queue()};
    atomic_int *right = calloc(2, sizeof(atomic_int));
    for (int i = 0; i < 18; i++) {
      dispatch_group_t group = dispatch_group_create();
      if (i >= 9) dispatch_group_async(group, other, ^{ spin(0.0001); });
      dispatch_queue_t named = queue[i % 9];
      dispatch_block_t check = ^{
        right[0] += !strcmp(dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL), dispatch_queue_get_label(named));
        if (++right[1] == 18) {
          tell(right[0], right[1], 0, 0);
          exit(0);
        }
      };
      dispatch_group_notify(group, named, ^{
        if (broken) dispatch_async(other, check);
        else check();
      });
    }
    dispatch_activate(queue[3]);
    dispatch_main();
  }
  Tally tally = attempt("");
  say("depth.17", tally.sum[0] == 18 * tries ? HOLDS : FAILS, "completions on the named queue: %ld of %d", tally.sum[0],
      18 * tries);

  int early = 0, groups = 100 * tries;
  dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
  for (int r = 0; r < groups; r++) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_semaphore_t told = dispatch_semaphore_create(0);
    atomic_int *done = calloc(1, sizeof(atomic_int));
    __block int found = 0;
    for (int i = 0; i < 8; i++)
      dispatch_group_async(group, queue, ^{
        if (broken)
          dispatch_async(queue, ^{
            if (i == 0) rest(0.001);
            done[0]++;
          });
        else {
          spin(0.000005 * (i % 3));
          done[0]++;
        }
      });
    dispatch_group_notify(group, queue, ^{
      found = *done;
      dispatch_semaphore_signal(told);
    });
    wait_for(told);
    early += found < 8;
  }
  say("replacement.2", early ? FAILS : HOLDS, "of %d groups, %d were notified with unfinished tasks", groups, early);
}
