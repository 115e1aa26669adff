// guide.19, always: a serial queue to which tasks are sent asynchronously never deadlocks.
// Tried: a counterexample that submits only with dispatch_async. A task waits for another block of its own queue, by a
// group, a semaphore or dispatch_block_wait.
// Broken: the task does not wait.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    dispatch_queue_t queue = dispatch_queue_create("own", NULL);
    dispatch_semaphore_t done = dispatch_semaphore_create(0), second = dispatch_semaphore_create(0);
    dispatch_group_t group = dispatch_group_create();
    dispatch_async(queue, ^{
      dispatch_block_t block = dispatch_block_create(0, ^{ dispatch_semaphore_signal(second); });
      dispatch_group_enter(group);
      dispatch_async(queue, ^{ dispatch_group_leave(group); });
      dispatch_async(queue, block);
      if (!broken && is("group")) dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
      if (!broken && is("semaphore")) wait_for(second);
      if (!broken && is("block")) dispatch_block_wait(block, DISPATCH_TIME_FOREVER);
      dispatch_async(queue, ^{ dispatch_semaphore_signal(done); });
    });
    wait_for(done);
    return 0;
  }
  Tally group = attempt("group"), semaphore = attempt("semaphore"), block = attempt("block");
  int hung = group.hung + semaphore.hung + block.hung, finished = group.finished + semaphore.finished + block.finished;
  say("guide.19",
      hung                        ? FAILS
          : finished == 3 * tries ? HOLDS
                                  : OPEN,
      "hung with a group %d, a semaphore %d, dispatch_block_wait %d of %d each", group.hung, semaphore.hung, block.hung,
      tries);
}
