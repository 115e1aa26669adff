#include "CDispatchSupport.h"

#include <string.h>

// A block with the layout that the compiler uses on the stack (the Block ABI,
// https://clang.llvm.org/docs/Block-ABI-Apple.html). The layout is declared by hand, so that the lab can count the
// copies of the block.

extern void *_NSConcreteStackBlock[32];
void gcdlab_async_block(void *queue, void *block) GCDLAB_SYMBOL("dispatch_async");
void gcdlab_sync_block(void *queue, void *block) GCDLAB_SYMBOL("dispatch_sync");

enum { BLOCK_HAS_COPY_DISPOSE = 1 << 25 };

struct stack_block;

struct block_descriptor {
  unsigned long reserved;
  unsigned long size;
  void (*copy)(struct stack_block *to, const struct stack_block *from);
  void (*dispose)(const struct stack_block *block);
};

struct stack_block {
  void *isa;
  int flags;
  int reserved;
  void (*invoke)(struct stack_block *block);
  const struct block_descriptor *descriptor;
  // The captured variables.
  const struct stack_block *origin;
  void *context;
  intptr_t value;
  gcdlab_stack_block_function function;
  void (*copied)(void *context);
  void (*freed)(void *context);
};

static void invoke(struct stack_block *block) {
  block->function(block->context, block->value, block == block->origin);
}

static void copy(struct stack_block *to, const struct stack_block *from) {
  (void)to;
  from->copied(from->context);
}

static void dispose(const struct stack_block *block) { block->freed(block->context); }

static const struct block_descriptor descriptor = {
    .size = sizeof(struct stack_block), .copy = copy, .dispose = dispose};

static void submit(void (*submit_block)(void *queue, void *block), void *queue, void *context, intptr_t value,
                   gcdlab_stack_block_function function, void (*copied)(void *context), void (*freed)(void *context)) {
  struct stack_block block = {
      .isa = _NSConcreteStackBlock, .flags = BLOCK_HAS_COPY_DISPOSE, .invoke = invoke, .descriptor = &descriptor,
      .origin = &block, .context = context, .value = value, .function = function, .copied = copied, .freed = freed};
  submit_block(queue, &block);
  // The stack of this function is reused after the function returns. Only the value is overwritten here, so that the
  // use of a block that was not copied is detected without a crash.
  *(volatile intptr_t *)&block.value = -1;
}

void gcdlab_async_stack_block(void *queue, void *context, intptr_t value, gcdlab_stack_block_function function,
                              void (*copied)(void *context), void (*freed)(void *context)) {
  submit(gcdlab_async_block, queue, context, value, function, copied, freed);
}

void gcdlab_sync_stack_block(void *queue, void *context, intptr_t value, gcdlab_stack_block_function function,
                             void (*copied)(void *context), void (*freed)(void *context)) {
  submit(gcdlab_sync_block, queue, context, value, function, copied, freed);
}
