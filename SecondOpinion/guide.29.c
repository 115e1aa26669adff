// guide.29, always: dispatch_apply passes each index once, and returns when all iterations are done.
// guide.30, always: dispatch_apply is allowed on a serial queue.
// Tried: 0, 1, 2, 7, 1000 and 10,007 iterations on global, concurrent and serial queues, and inside another
// dispatch_apply. Some of the iterations are slow.
// Broken: each index is submitted by async, and the caller does not wait.
#include "program.h"

static long wrong(size_t n, dispatch_queue_t queue) {
  atomic_int *visits = calloc(n + 1, sizeof(atomic_int));
  void (^visit)(size_t) = ^(size_t i) {
    if (i % 500 == 3) rest(0.0003);
    visits[i < n ? i : n]++;
  };
  if (broken)
    for (size_t i = 0; i < n; i++) dispatch_async(queue, ^{ visit(i); });
  else dispatch_apply(n, queue, visit);
  long count = visits[n];
  for (size_t i = 0; i < n; i++) count += visits[i] != 1;
  return count;
}

int main(int count, char **words) {
  begin_program(count, words);
  const size_t n[] = {0, 1, 2, 7, 1000, 10007};
  dispatch_queue_t global = dispatch_get_global_queue(0, 0), serial = dispatch_queue_create("serial", NULL);
  dispatch_queue_t concurrent = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  long found = 0, in_serial = 0, nested;
  for (int r = 0; r < tries; r++)
    for (int i = 0; i < 6; i++) {
      found += wrong(n[i], global) + wrong(n[i], concurrent);
      in_serial += wrong(n[i], serial);
    }
  atomic_long *inner = calloc(1, sizeof(atomic_long));
  dispatch_apply(8, global, ^(size_t i) {
    (void)i;
    inner[0] += wrong(1000, global);
  });
  nested = inner[0];
  long all = 2 * (long)tries * 11017 + 8000;
  say("guide.29", found || nested ? FAILS : HOLDS,
      "of %ld indices %ld were not visited exactly once when apply returned", all, found + nested);
  say("guide.30", in_serial ? FAILS : HOLDS, "on a serial queue: of %ld indices %ld were not", all / 2 - 4000,
      in_serial);
}
