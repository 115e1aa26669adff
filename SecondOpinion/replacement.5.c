// replacement.5, recipe: when the completion runs, the library is loaded. The document's loader has three builders in a
// group, whose items go to a serial queue outside the group. A notify on the background queue submits to another queue.
// replacement.4, always: appending on one serial queue keeps every item.
// Tried: the loader as written, repeatedly. The items are counted when the completion runs, and again after the load
// has settled. In every other load, an item takes 10 us to make on the items' queue, where the document makes the item.
// Broken: the items are appended in the group, on a concurrent queue.
#include "program.h"

static long items;
static int *library;

int main(int count, char **words) {
  begin_program(count, words);
  dispatch_queue_t appends = dispatch_queue_create("items", broken ? DISPATCH_QUEUE_CONCURRENT : DISPATCH_QUEUE_SERIAL);
  dispatch_queue_t one = dispatch_queue_create("items in the group", NULL),
                   completions = dispatch_queue_create("completions", NULL);
  dispatch_queue_t load = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_BACKGROUND, 0);
  enum { EACH = 300 };
  library = calloc(3 * EACH + 1, sizeof(int));
  int loads = 0, short_loads[2] = {0};
  long missing = 0, lost = 0;
  double end = now() + 0.7;
  while ((loads < 400 && now() < end) || loads < 4) {
    bool costly = loads % 2;
    dispatch_group_t group = dispatch_group_create();
    dispatch_semaphore_t done = dispatch_semaphore_create(0);
    items = 0;
    for (int b = 0; b < 3; b++)
      dispatch_group_async(group, load, ^{
        for (int i = 0; i < EACH; i++) {
          if (broken)
            dispatch_group_async(group, one, ^{
              library[items] = i;
              items++;
            });
          else
            dispatch_async(appends, ^{
              if (costly) spin(0.00001);
              library[items] = i;
              items++;
            });
        }
      });
    __block long found = 0;
    dispatch_group_notify(group, load, ^{
      dispatch_async(completions, ^{
        found = *(volatile long *)&items;
        dispatch_semaphore_signal(done);
      });
    });
    wait_for(done);
    dispatch_barrier_sync(broken ? one : appends, ^{});
    loads++;
    short_loads[costly] += found < 3 * EACH;
    missing += 3 * EACH - found;
    lost += 3 * EACH - items;
    dispatch_release(group);
  }
  int all_short = short_loads[0] + short_loads[1];
  say("replacement.5", all_short ? FAILS : HOLDS,
      "items missing in %d of %d loads, and in %d of %d where an item takes 10 us; %ld of %d on average",
      short_loads[0], loads - loads / 2, short_loads[1], loads / 2, all_short ? missing / all_short : 0, 3 * EACH);

  long volatile *sum = calloc(1, sizeof(long));
  dispatch_apply(4, dispatch_get_global_queue(0, 0), ^(size_t t) {
    (void)t;
    for (int i = 0; i < 20000; i++)
      dispatch_async(appends, ^{
        long had = *sum;
        if (i % 500 == 0) rest(1e-9);  // A task that is not excluded runs here.
        *sum = had + 1;
      });
  });
  dispatch_barrier_sync(appends, ^{});
  lost += 80000 - *sum;
  say("replacement.4", lost ? FAILS : HOLDS, "%ld items lost of %d", lost, 80000 + 3 * EACH * loads);
}
