// guide.21, always: inside a block, the current queue is the queue to which the block was submitted. Outside, it is the
// default concurrent queue.
// Tried: dispatch_get_current_queue inside blocks of five queues, submitted by async, by sync and from a group; and
// outside, on the main thread and on another thread.
// Broken: inside the blocks, a separate thread calls the function.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#include "program.h"

static void *ask(void *answer) {
  *(dispatch_queue_t *)answer = dispatch_get_current_queue();
  return NULL;
}

static dispatch_queue_t current(bool outside) {
  dispatch_queue_t answer = NULL;
  pthread_t thread;
  if (!outside) ask(&answer);
  else {
    pthread_create(&thread, NULL, ask, &answer);
    pthread_join(thread, NULL);
  }
  return answer;
}

int main(int count, char **words) {
  begin_program(count, words);
  dispatch_queue_t target = dispatch_queue_create("target", NULL);
  dispatch_queue_t queue[] = {dispatch_queue_create("serial", NULL),
                              dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT),
                              dispatch_queue_create_with_target("targeted", NULL, target),
                              dispatch_get_global_queue(0, 0), dispatch_get_global_queue(-2, 0)};
  atomic_int *correct = calloc(1, sizeof(atomic_int));
  dispatch_group_t group = dispatch_group_create();
  for (int i = 0; i < 5; i++) {
    dispatch_queue_t one = queue[i];
    dispatch_block_t block = ^{ correct[0] += current(broken) == one; };
    dispatch_async(one, block);
    dispatch_barrier_sync(one, ^{});
    dispatch_sync(one, block);
    dispatch_group_async(group, one, block);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  }
  int right = correct[0];
  dispatch_queue_t normal = dispatch_get_global_queue(0, 0), here = current(false), there = current(true);
  bool outside = here == normal && there == normal;
  say("guide.21",
      right == 15 && outside ? HOLDS
          : right == 15      ? PARTLY
                             : FAILS,
      "inside %d of 15; outside: on the main thread \"%s\", on another \"%s\" (%s)", right,
      here ? dispatch_queue_get_label(here) : "none", there ? dispatch_queue_get_label(there) : "none",
      there == normal ? "the default global queue" : "not the default global queue");
}
