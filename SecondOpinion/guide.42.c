// guide.42, may: a concurrent queue takes out further tasks before earlier tasks have finished.
// replacement.7, may: blocks on a global queue may run concurrently.
// guide.45, always: a queue copies the block that is added, so the caller need not copy the block.
// Tried: the first task waits, for a limited time, until the second task has begun. For guide.45, a function submits a
// block on its stack and returns, and the stack is overwritten. The block must still find its captured values. With
// sync, the program checks whether a captured value is near the caller's own variables, where only the original block
// can be.
// Broken: the queue is serial, and a function with a pointer into that stack replaces the block.
#include "program.h"

static int met(dispatch_queue_t queue) {
  dispatch_semaphore_t second = dispatch_semaphore_create(0), done = dispatch_semaphore_create(0);
  __block int first = 0;
  dispatch_async(queue, ^{
    first = within(second, broken ? 0.01 : 2);
    dispatch_semaphore_signal(done);
  });
  dispatch_async(queue, ^{ dispatch_semaphore_signal(second); });
  wait_for(done);
  return first;
}

typedef struct {
  long value[16];
} Captured;
static atomic_int intact, ran;
static void look(void *pointer) {
  intact += ((volatile Captured *)pointer)->value[7] == 777;
  ran++;
}

__attribute__((noinline)) static void add(dispatch_queue_t queue) {
  Captured here;
  for (int i = 0; i < 16; i++) here.value[i] = 111 * i;
  __asm__ volatile("" : : "r"(&here) : "memory");
  if (broken) dispatch_async_f(queue, &here, look);
  else
    dispatch_async(queue, ^{
      Captured mine = here;
      look(&mine);
    });
}

__attribute__((noinline)) static void overwrite(void) {
  volatile char bytes[8192];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0x55;
}

static bool is_near(const void *captured, uintptr_t mine) { return (uintptr_t)captured - mine + 65536 < 131072; }

int main(int count, char **words) {
  begin_program(count, words);
  dispatch_queue_t serial = dispatch_queue_create("serial", NULL);
  int private = 0, global = 0;
  for (int i = 0; i < tries; i++) {
    private += met(broken ? serial : dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT));
    global += met(broken ? serial : dispatch_get_global_queue(0, 0));
  }
  say("guide.42", private ? SEEN : NOT_SEEN, "the second began while the first ran %d of %d", private, tries);
  say("replacement.7", global ? SEEN : NOT_SEEN, "two blocks of the global queue met %d of %d", global, tries);
  for (int i = 0; i < 100; i++) {
    dispatch_suspend(serial);
    add(serial);
    overwrite();
    dispatch_resume(serial);
    dispatch_sync(serial, ^{});
  }
  static int in_place[3];
  char here;
  uintptr_t mine = (uintptr_t)&here;
  long captured = random();
  dispatch_queue_t concurrent = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  for (int i = 0; i < 50; i++) {
    dispatch_sync(i % 2 ? serial : concurrent, ^{ in_place[0] += is_near(&captured, mine); });
    dispatch_barrier_sync(concurrent, ^{ in_place[1] += is_near(&captured, mine); });
    dispatch_async(serial, ^{ in_place[2] += is_near(&captured, mine); });
  }
  dispatch_sync(serial, ^{});
  bool kept = intact == 100 && ran == 100 && in_place[2] == 0;
  say("guide.45",
      !kept                            ? FAILS
          : in_place[0] || in_place[1] ? PARTLY
                                       : HOLDS,
      "found what it captured %d of %d; ran on the caller's stack: by sync %d, by barrier_sync %d, by async %d of 50",
      intact, ran, in_place[0], in_place[1], in_place[2]);
}
