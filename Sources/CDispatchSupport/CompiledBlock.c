#include "CDispatchSupport.h"

// The build passes -fblocks for C on every system that has Dispatch.
void gcdlab_async_compiled(void *queue, void (^block)(void)) GCDLAB_SYMBOL("dispatch_async");

// The variables are volatile, so that the compiler cannot remove the assignments that follow the blocks.

void gcdlab_async_compiled_block(void *queue, void *context, intptr_t value,
                                 void (*function)(void *context, intptr_t value)) {
  volatile intptr_t x = value;
  gcdlab_async_compiled(queue, ^{ function(context, x); });
  x = 456;
}

void gcdlab_call_compiled_block(void *context, intptr_t value, void (*function)(void *context, intptr_t value)) {
  volatile intptr_t x = value;
  void (^block)(void) = ^{ function(context, x); };
  x = 456;
  block();
}
