// groups.1, always: notify runs once everything is done, including work that tasks added to the group.
// groups.2, recipe: nothing blocks the caller, so nothing deadlocks.
// groups.3, always: the nested blocks run on the queue that is named for them.
// Tried: the document's listing, in fresh processes whose main queue dispatch_main drains. The listing runs five times
// in turn, with slow nested blocks. It must return before the main queue has run a nested block, and the notify block
// must run.
// Broken: the nested blocks are sent to another queue without the group, and the caller waits for the group on the main
// thread.
#include "program.h"

static int foo, bar, early, there, returned, times;

static void listing(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_queue_t queue = dispatch_get_global_queue(0, 0), elsewhere = dispatch_queue_create("elsewhere", NULL);
  int *value[] = {&foo, &bar};
  foo = bar = 0;
  for (int i = 0; i < 2; i++) {
    int *mine = value[i];
    dispatch_block_t set = ^{
      there += !strcmp(dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL), "com.apple.main-thread");
      rest(0.003);
      *mine = 42;
    };
    dispatch_group_async(group, queue, ^{
      spin(0.0002);
      if (broken) dispatch_async(elsewhere, set);
      else dispatch_group_async(group, dispatch_get_main_queue(), set);
    });
  }
  dispatch_group_notify(group, dispatch_get_main_queue(), ^{
    early += foo != 42 || bar != 42;
    if (++times == 5) {
      tell(early, there, returned, times);
      exit(0);
    }
    listing();
  });
  if (broken) dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  returned += foo == 0 && bar == 0 && !broken;  // This is the main queue, so no nested block can have run.
}

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    dispatch_async(dispatch_get_main_queue(), ^{ listing(); });
    dispatch_main();
  }
  Tally tally = attempt("");
  int all = 5 * tries;
  say("groups.1",
      tally.sum[3] != all ? OPEN
          : tally.sum[0]  ? FAILS
                          : HOLDS,
      "notified before the nested blocks had finished: %ld of %ld", tally.sum[0], tally.sum[3]);
  say("groups.2", tally.hung || tally.sum[2] < all ? FAILS : HOLDS,
      "hung %d of %d processes; the caller continued at once %ld of %d", tally.hung, tries, tally.sum[2], all);
  say("groups.3", tally.sum[1] == 2 * all ? HOLDS : FAILS, "blocks on the named queue: %ld of %d", tally.sum[1], 2 * all);
}
