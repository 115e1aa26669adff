// Wraps the blocks and functions that a program submits, so that their beginnings and ends are recorded.
//
// Calls.h submits the wrappers in place of the program's blocks. run(), run_here() and iterate() run on the thread that
// Dispatch chooses, around the program's code. These functions must not call a wrapped function. The recorder allocates
// memory for each submission of a function and its context. The recorder allocates no memory for a block, since
// Dispatch copies the block.
#pragma once
#include <stdlib.h>

#include "Stacks.h"
#include "Writing.h"

// The position of a thread: whether the thread is in a call of Dispatch, the reason of any wait inside this call, and
// the queue of the wait.
struct place {
  bool inside;
  uint8_t why;
  void *queue;
};
static void restore(struct place place) {
  self.inside = place.inside;
  self.why = place.why;
  self.queue = place.queue;
}
static struct place enter(struct place place) {
  struct place outer = {self.inside, self.why, self.queue};
  restore(place);
  return outer;
}
// Makes a call that may wait. The reason of the wait is set during the call.
#define INSIDE(reason, on, call_real)                               \
  struct place outer = enter((struct place){true, (reason) + 1, on}); \
  call_real;                                                        \
  restore(outer);

// Records the beginning of a block. Calls inside the block are the program's own calls.
static struct place begin(uint64_t number, void *queue, unsigned how) {
  struct place outer = enter((struct place){false, 0, NULL});
  self.depth++;
  record(GCDLAB_TRACE_BEGIN, how, 1, number, (uint64_t)queue);
  return outer;
}
static void end(uint64_t number, struct place outer) {
  record(GCDLAB_TRACE_END, 0, 0, number, 0);
  self.depth--;
  restore(outer);
}

// Returns the first of `count` unused block numbers. The function accesses no shared memory.
static uint64_t numbers(uint64_t count) {
  know();
  uint64_t first = self.slot << 40 | self.blocks;
  self.blocks += count;
  return first;
}

// A submission. The duration of a submission is measured for one in eight blocks of a thread.
struct submission {
  uint64_t number;
  struct gcdlab_trace_event *event;
  const struct chunk *chunk;
  uint64_t begun;
};
// Returns the time until a delayed block is due, as the event of the submission contains it. `when` is a
// `dispatch_time_t`, whose two highest bits define the clock (libdispatch, src/shims/time.h).
static uint32_t due(uint64_t when) {
  if (when == UINT64_MAX) return 0;
  clockid_t clock = when >> 63 == 0 ? CLOCK_MONOTONIC : when >> 62 == 3 ? CLOCK_REALTIME : CLOCK_BOOTTIME;
  uint64_t value = clock == CLOCK_REALTIME ? -when : when & INT64_MAX;
  struct timespec time;
  clock_gettime(clock, &time);
  uint64_t present = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  uint64_t microseconds = value > present ? (value - present + 999) / 1000 : 0;
  return microseconds < UINT32_MAX ? (uint32_t)microseconds + 1 : 0;
}
// Records a submission. `due` is the result of due() for a delayed block, and 0 for other blocks.
static struct submission submitting(void *queue, unsigned how, uint64_t item, uint32_t due) {
  struct submission submission = {.number = item ? item : numbers(1)};
  submission.event = write_with(&self.pen, GCDLAB_TRACE_SUBMIT, how, site(), due, submission.number, (uint64_t)queue);
  submission.chunk = self.pen.chunk;
  unsigned kind = how & 15;
  if (submission.number % 8 || item || kind == GCDLAB_TRACE_SYNC || kind == GCDLAB_TRACE_AFTER) submission.event = NULL;
  else submission.begun = now();
  return submission;
}
static void submitted(struct submission submission) {
  // A wait in the call may have filled the chunk. Another thread may then own the chunk, and have written other events.
  if (!submission.event || submission.chunk != self.pen.chunk) return;
  uint64_t took = now() - submission.begun;
  submission.event->count = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}

// Blocks in the compiler's layout: see StackBlock.c.

extern void *_NSConcreteStackBlock[32] WEAK;
extern void *_Block_copy(const void *block) WEAK;
extern void _Block_release(const void *block) WEAK;

struct block;
struct layout {
  unsigned long reserved, size;
  void (*copy)(struct block *to, const struct block *from);
  void (*dispose)(const struct block *block);
};
struct block {
  void *isa;
  int flags, reserved;
  void (*invoke)(struct block *block);
  const struct layout *layout;
  // The captured variables.
  uint64_t number;
  void *queue;
  struct block *inner;
  unsigned how;
};

// The invoke function that all work items share, and by which their blocks are recognized.
extern void (*const _dispatch_block_special_invoke)(void *) WEAK;
static bool is_item(const struct block *block) {
  return &_dispatch_block_special_invoke && (void (*)(void *))block->invoke == _dispatch_block_special_invoke;
}

static void run(struct block *block) {
  // A handler that was wrapped before tracing ended may still run afterwards.
  if (!TRACING) return block->inner->invoke(block->inner);
  uint64_t number = (block->how & 15) == GCDLAB_TRACE_HANDLER ? numbers(1) : block->number;
  struct place outer = begin(number, block->queue, block->how);
  block->inner->invoke(block->inner);
  end(number, outer);
}
static void copy(struct block *to, const struct block *from) { to->inner = _Block_copy(from->inner); }
static void dispose(const struct block *block) { _Block_release(block->inner); }
static const struct layout layout = {.size = sizeof(struct block), .copy = copy, .dispose = dispose};

static struct block around(void *inner, void *queue, uint64_t number, unsigned how) {
  return (struct block){
      .isa = _NSConcreteStackBlock, .flags = 1 << 25, .invoke = run, .layout = &layout, .number = number,
      .queue = queue, .inner = inner, .how = how};
}

// Functions with a context pointer.

typedef void body(void *context);
struct call {
  uint64_t number;
  void *queue, *context;
  body *function;
  unsigned how;
};
static void run_here(void *context) {
  struct call *call = context;
  struct place outer = begin(call->number, call->queue, call->how);
  call->function(call->context);
  end(call->number, outer);
}
static void run_once(void *context) {
  struct call call = *(struct call *)context;
  free(context);
  run_here(&call);
}
