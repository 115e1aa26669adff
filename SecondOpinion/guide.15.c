// guide.15, always: thread-local data does not belong to a queue.
// Tried: a block of a serial queue stores a value in thread-local storage. A later block of that queue must not find
// the value if one of the two blocks is submitted by async and the other by sync. A block of another queue must find
// the value if the block that stored it submits by sync. The program also reports how often the value is found if both
// blocks are submitted by async. This report does not affect the verdict.
// Broken: the value is stored in the queue.
#include "program.h"

static _Thread_local void *kept;
static char key;
static void keep(dispatch_queue_t queue, void *value) {
  if (broken) dispatch_queue_set_specific(queue, &key, value, NULL);
  else kept = value;
}
static void *found(void) { return broken ? dispatch_get_specific(&key) : kept; }

int main(int count, char **words) {
  begin_program(count, words);
  enum { ROUNDS = 200 };
  atomic_int *seen = calloc(4, sizeof(atomic_int));
  for (long r = 1; r <= ROUNDS; r++) {
    void *value = (void *)(4 * r), *later = (void *)(4 * r + 1), *third = (void *)(4 * r + 2), *last = (void *)(4 * r + 3);
    dispatch_queue_t *queue = calloc(4, sizeof *queue);
    for (int i = 0; i < 4; i++) queue[i] = dispatch_queue_create("own", NULL);
    dispatch_queue_t other = dispatch_queue_create("other", NULL);
    dispatch_async(queue[0], ^{ keep(queue[0], value); });
    dispatch_sync(queue[0], ^{ seen[0] += found() == value; });
    dispatch_sync(queue[1], ^{ keep(queue[1], later); });
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_async(group, queue[1], ^{ seen[1] += found() == later; });
    dispatch_group_async(group, queue[2], ^{
      keep(queue[2], third);
      dispatch_sync(other, ^{ seen[2] += found() == third; });
    });
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_async(queue[3], ^{ keep(queue[3], last); });
    dispatch_group_async(group, queue[3], ^{ seen[3] += found() == last; });
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    for (int i = 0; i < 4; i++) dispatch_release(queue[i]);
    dispatch_release(other);
    free(queue);
  }
  say("guide.15", seen[0] == 0 && seen[1] == 0 && seen[2] == ROUNDS ? HOLDS : FAILS,
      "found by sync after async %d, by async after sync %d, by another queue's block %d, by async after async %d of %d",
      seen[0], seen[1], seen[2], seen[3], ROUNDS);
}
