// pool.3, recipe: an atomic counter of 32 bits selects the queues in turn.
// Tried: the document's code from four threads at once, where each queue must be selected equally often, and across the
// counter's overflow, with 2, 5 and 32 queues.
// Broken: two of three increments are lost.
#include "program.h"

enum { MAX_QUEUE_COUNT = 32 };
typedef struct {
  dispatch_queue_t queues[MAX_QUEUE_COUNT];
  uint32_t queueCount;
  int32_t counter;
} Context;

static dispatch_queue_t get(Context *context) {
  // OSAtomicIncrement32 returns the new value, and wraps on overflow.
  uint32_t counter = (uint32_t)__atomic_add_fetch(&context->counter, 1, __ATOMIC_SEQ_CST);
  if (broken) counter = counter / 3 * 3;
  return context->queues[counter % context->queueCount];
}

static Context *create(uint32_t count, int32_t start) {
  if (count == 0 || count > MAX_QUEUE_COUNT) return NULL;
  Context *context = calloc(1, sizeof *context);
  context->queueCount = count;
  context->counter = start;
  for (uint32_t i = 0; i < count; i++) context->queues[i] = dispatch_queue_create("pool", NULL);
  return context;
}

int main(int count, char **words) {
  begin_program(count, words);
  const uint32_t sizes[] = {2, 5, 32};
  int uneven = 0, broken_turn = 0;
  for (int s = 0; s < 3; s++) {
    Context *context = create(sizes[s], 0);
    atomic_int *given = calloc(MAX_QUEUE_COUNT, sizeof(atomic_int));
    const int each = 500;
    dispatch_apply(4, dispatch_get_global_queue(0, 0), ^(size_t t) {
      (void)t;
      for (uint32_t i = 0; i < each * context->queueCount; i++) {
        dispatch_queue_t queue = get(context);
        for (uint32_t q = 0; q < context->queueCount; q++) given[q] += context->queues[q] == queue;
      }
    });
    bool even = true;
    for (uint32_t q = 0; q < sizes[s]; q++) even = even && given[q] == 4 * each;
    uneven += !even;
    Context *wrapping = create(sizes[s], -3);  // As an unsigned number, this is 2^32 - 3.
    bool turn = true;
    uint32_t last = 0;
    for (int i = 0; i < 8; i++) {
      dispatch_queue_t queue = get(wrapping);
      uint32_t q = 0;
      while (wrapping->queues[q] != queue) q++;
      turn = turn && (i == 0 || q == (last + 1) % sizes[s]);
      last = q;
    }
    broken_turn += !turn;
  }
  say("pool.3",
      uneven            ? FAILS
          : broken_turn ? PARTLY
                        : HOLDS,
      "given unevenly in %d of 3 pools; not in turn across the wrap in %d of 3 (2, 5 and 32 queues)", uneven,
      broken_turn);
}
