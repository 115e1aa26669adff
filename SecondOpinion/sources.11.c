// sources.11, always: dispatch_after submits a block once, when its time has come.
// Tried: 60 blocks, 0.5 ms apart. The runs of each block are counted, and the time of each run is compared with the due
// time.
// Broken: dispatch_async submits each block as well.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  enum { BLOCKS = 60 };
  atomic_int *runs = calloc(BLOCKS, sizeof(atomic_int)), *early = calloc(1, sizeof(atomic_int));
  dispatch_group_t group = dispatch_group_create();
  for (int i = 0; i < BLOCKS; i++) {
    int64_t delay = 500000 * (i + 1);
    double due = now() + (double)delay / 1e9;
    dispatch_block_t block = ^{
      early[0] += now() < due;
      if (runs[i]++ == 0 || broken) dispatch_group_leave(group);
    };
    dispatch_group_enter(group);
    if (broken) dispatch_group_enter(group), dispatch_async(dispatch_get_global_queue(0, 0), block);
    dispatch_after(dispatch_time(DISPATCH_TIME_NOW, delay), dispatch_get_global_queue(0, 0), block);
  }
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  rest(0.05);
  int once = 0;
  for (int i = 0; i < BLOCKS; i++) once += runs[i] == 1;
  say("sources.11", once == BLOCKS && !early[0] ? HOLDS : FAILS, "ran once %d of %d, before its time %d", once, BLOCKS,
      early[0]);
}
