// guide.23, always: a queue without references is freed asynchronously, after its last block.
// guide.24, always: the finalizer of the queue runs then, and only if the queue has a context.
// Tried: queues are released while ten blocks wait. The release must return first, then all blocks must run, then the
// finalizer must run once. Without a context, the finalizer must not run. Queues with a suspended target are released
// as well. For idle queues, the program's own free() reports whether the releasing thread frees the memory before
// dispatch_release returns.
// Broken: the queue keeps a reference, and the queue without a context gets a context.
#include "program.h"

extern void __libc_free(void *memory);
static void *volatile watched;
static volatile pthread_t freer;
static volatile bool in_release, freed_in_release;
void free(void *memory) {
  if (memory && memory == watched) {
    watched = NULL;
    freer = pthread_self();
    freed_in_release = in_release;
  }
  __libc_free(memory);
}

typedef struct {
  atomic_int ran, at_end, finalized;
  dispatch_semaphore_t gone;
} Context;

static void finalize(void *context) {
  Context *mine = context;
  mine->at_end = mine->ran;
  mine->finalized++;
  dispatch_semaphore_signal(mine->gone);
}

static int without;
static void never(void *context) {
  (void)context;
  without++;
}

static bool idle_is_freed_at_once(bool used) {
  dispatch_queue_t queue = dispatch_queue_create("idle", NULL);
  if (used) dispatch_sync(queue, ^{});
  if (broken) dispatch_retain(queue);
  freed_in_release = false;
  watched = (void *)queue;
  in_release = true;
  dispatch_release(queue);
  in_release = false;
  bool at_once = freed_in_release && pthread_equal(freer, pthread_self());
  watched = NULL;
  return at_once;
}

int main(int count, char **words) {
  begin_program(count, words);
  int asynchronously = 0, after_all = 0, once = 0, rounds = 4 * tries;
  for (int r = 0; r < rounds; r++) {
    Context *context = calloc(1, sizeof *context);
    context->gone = dispatch_semaphore_create(0);
    dispatch_semaphore_t gate = dispatch_semaphore_create(0);
    dispatch_queue_t queue = dispatch_queue_create("released", r % 2 ? DISPATCH_QUEUE_CONCURRENT : NULL),
                     bare = dispatch_queue_create("bare", NULL);
    dispatch_set_context(queue, context);
    dispatch_set_finalizer_f(queue, finalize);
    dispatch_set_finalizer_f(bare, never);
    if (broken) dispatch_retain(queue), dispatch_set_context(bare, context);
    dispatch_async(queue, ^{
      wait_for(gate);
      context->ran++;
    });
    for (int i = 1; i < 10; i++) dispatch_barrier_async(queue, ^{ context->ran++; });
    dispatch_release(queue);
    asynchronously += context->ran == 0 && context->finalized == 0;
    dispatch_semaphore_signal(gate);
    within(context->gone, broken ? 0.01 : 2);
    dispatch_sync(bare, ^{});
    dispatch_release(bare);
    rest(0.002);
    after_all += context->at_end == 10;
    once += context->finalized == 1;
  }
  int held_back = 0, came = 0;
  for (int r = 0; r < rounds; r++) {
    Context *context = calloc(1, sizeof *context);
    context->gone = dispatch_semaphore_create(0);
    dispatch_queue_t target = dispatch_queue_create("target", NULL), queue = dispatch_queue_create("targeting", NULL);
    dispatch_set_target_queue(queue, target);
    dispatch_set_context(queue, context);
    dispatch_set_finalizer_f(queue, finalize);
    dispatch_suspend(target);
    dispatch_release(queue);
    held_back += !within(context->gone, 0.01);
    dispatch_resume(target);
    came += context->finalized || within(context->gone, 2);
  }
  int at_once = 0;
  for (int i = 0; i < 200; i++) at_once += idle_is_freed_at_once(i % 2);
  say("guide.23",
      asynchronously < rounds || after_all < rounds ? FAILS
          : at_once                                 ? PARTLY
                                                    : HOLDS,
      "release returned before any block ran %d, freed after the tenth %d of %d; idle queues freed within release %d "
      "of 200",
      asynchronously, after_all, rounds, at_once);
  say("guide.24", once < rounds || after_all < rounds || without ? FAILS : held_back ? PARTLY : HOLDS,
      "the finalizer ran once %d of %d, without a context %d; with a suspended target it did not come in %d of %d, and "
      "came on resume in %d",
      once, rounds, without, held_back, rounds, came);
}
