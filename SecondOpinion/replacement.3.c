// replacement.3, recipe: entering a group lets a block enter a queue by other means and run as the group's task. The
// sentence holds in part: entering alone runs nothing, so the group waits.
// groups.4, recipe: an asynchronous call belongs to a group if its caller enters the group and its handler leaves the
// group.
// groups.5, recipe: without a group, the call passes straight through.
// Tried: late callbacks of a plain thread and of dispatch_after on two queues. The group's notify must find all three
// callbacks done.
// Broken: no call enters the group.
#include "program.h"

static void *later(void *block) {
  rest(0.004);
  ((dispatch_block_t)block)();
  return NULL;
}

static void perform(int how, dispatch_block_t block) {
  if (how == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, later, (void *)block);
    pthread_detach(thread);
  } else
    dispatch_after(dispatch_time(DISPATCH_TIME_NOW, 3000000), dispatch_get_global_queue(how == 1 ? 0 : -2, 0), block);
}

static void with_group(dispatch_group_t group, int how, dispatch_block_t block) {
  if (group == NULL) {
    perform(how, block);
    return;
  }
  if (!broken) dispatch_group_enter(group);
  perform(how, dispatch_block_create(0, ^{
            block();
            if (!broken) dispatch_group_leave(group);
          }));
}

int main(int count, char **words) {
  begin_program(count, words);
  int early = 0, through = 0, waits = 0, rounds = 4 * tries;
  for (int r = 0; r < rounds; r++) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_semaphore_t told = dispatch_semaphore_create(0);
    atomic_int *done = calloc(2, sizeof(atomic_int));
    __block int found = 0;
    for (int how = 0; how < 3; how++) with_group(group, how, dispatch_block_create(0, ^{ done[0]++; }));
    dispatch_group_notify(group, dispatch_get_global_queue(0, 0), ^{
      found = done[0];
      dispatch_semaphore_signal(told);
    });
    wait_for(told);
    early += found < 3;
    if (!broken)
      with_group(NULL, 1, dispatch_block_create(0, ^{
                   done[1]++;
                   dispatch_semaphore_signal(told);
                 }));
    through += within(told, broken ? 0.005 : 2) && done[1] == 1;
    while (done[0] < 3) sched_yield();
    dispatch_group_t alone = dispatch_group_create();
    dispatch_group_enter(alone);
    waits += dispatch_group_wait(alone, dispatch_time(DISPATCH_TIME_NOW, 5000000)) != 0;
    dispatch_group_leave(alone);
  }
  say("replacement.3", early ? FAILS : waits ? PARTLY : HOLDS,
      "notify came before the callbacks in %d of %d, and a group that was only entered waited in %d", early, rounds, waits);
  say("groups.4", early ? FAILS : HOLDS, "notify came before the callbacks in %d of %d", early, rounds);
  say("groups.5", through == rounds ? HOLDS : FAILS, "ran once without a group %d of %d", through, rounds);
}
