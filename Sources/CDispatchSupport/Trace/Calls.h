// The calls of Dispatch that submit blocks and functions.
//
// The wrappers replace the functions of the same names, on the program's threads. While nothing is recorded, a wrapper
// consists of a load, a branch and a jump. Calls that Dispatch makes to its own functions are not recorded.
#pragma once
#include "Blocks.h"
#include "Queues.h"

// Defines the wrapper of a function. The recording code is a separate function, so that the wrapper itself is short.
#define CALL(name, parameters, arguments, ...)                                     \
  extern void __real_##name parameters WEAK;                                       \
  static __attribute__((noinline)) void traced_##name parameters { __VA_ARGS__ }   \
  void __wrap_##name parameters {                                                  \
    if (!TRACED) return __real_##name arguments;                                   \
    traced_##name arguments;                                                       \
  }

// Submits a block inside another block. A work item is submitted unchanged, since a wrapper would hide the item's
// flags. The body of the item was wrapped when the item was created.
#define SUBMIT_BLOCK(how, due, call_real)                                             \
  uint64_t item = is_item(block) ? (uint64_t)block : 0;                            \
  struct submission submission = submitting(queue, (how) | (item ? GCDLAB_TRACE_BY_ITEM : 0), item, due); \
  struct block wrapper = around(block, queue, submission.number, how);             \
  if (!item) block = &wrapper;                                                     \
  self.inside = true;                                                              \
  call_real;                                                                       \
  self.inside = false;                                                             \
  submitted(submission);
#define BLOCK(name, parameters, arguments, how) \
  CALL(name, parameters, arguments, SUBMIT_BLOCK(how, 0, __real_##name arguments))
#define SYNC_BLOCK(name, how)                            \
  CALL(name, (void *queue, void *block), (queue, block), \
       SUBMIT_BLOCK(how, 0, INSIDE(GCDLAB_TRACE_IN_SYNC, queue, __real_##name(queue, block))))

BLOCK(dispatch_async, (void *queue, void *block), (queue, block), GCDLAB_TRACE_ASYNC)
BLOCK(dispatch_barrier_async, (void *queue, void *block), (queue, block), GCDLAB_TRACE_ASYNC | GCDLAB_TRACE_BARRIER)
BLOCK(dispatch_group_async, (void *group, void *queue, void *block), (group, queue, block), GCDLAB_TRACE_ASYNC)
BLOCK(dispatch_group_notify, (void *group, void *queue, void *block), (group, queue, block), GCDLAB_TRACE_NOTIFY)
CALL(dispatch_after, (uint64_t when, void *queue, void *block), (when, queue, block),
     SUBMIT_BLOCK(GCDLAB_TRACE_AFTER, due(when), __real_dispatch_after(when, queue, block)))
SYNC_BLOCK(dispatch_sync, GCDLAB_TRACE_SYNC)
SYNC_BLOCK(dispatch_barrier_sync, GCDLAB_TRACE_SYNC | GCDLAB_TRACE_BARRIER)
SYNC_BLOCK(dispatch_async_and_wait, GCDLAB_TRACE_SYNC)
SYNC_BLOCK(dispatch_barrier_async_and_wait, GCDLAB_TRACE_SYNC | GCDLAB_TRACE_BARRIER)

// Returns the call that is submitted instead of a function and its context; NULL if the submission is not recorded.
static struct call *wrapped(void *queue, void *context, body *function, unsigned how) {
  if (is_swift(queue)) {
#ifdef GCDLAB_PRELOADED
    // A submission to a queue of Swift's pool is a job.
    queue = NULL;
    how = GCDLAB_TRACE_JOB;
#else
    // Jobs.h records the jobs.
    return NULL;
#endif
  }
  struct call *call = malloc(sizeof *call);
  if (call) *call = (struct call){0, queue, context, function, how};
  return call;
}
// A job that is due later, such as the rest of a task after Task.sleep, is submitted when the time has come. The record
// contains only its start.
static struct submission submitting_call(const struct call *call, unsigned kind, uint32_t due) {
  if (kind == GCDLAB_TRACE_AFTER && call->how == GCDLAB_TRACE_JOB) return (struct submission){.number = numbers(1)};
  return submitting(call->queue, call->how, 0, due);
}
#define FUNCTION(name, parameters, arguments, kind, due)                  \
  CALL(name, parameters, arguments,                                       \
    struct call *call = wrapped(queue, context, function, kind);          \
    if (!call) return __real_##name arguments;                            \
    struct submission submission = submitting_call(call, kind, due);      \
    call->number = submission.number;                                     \
    context = call;                                                       \
    function = run_once;                                                  \
    self.inside = true;                                                   \
    __real_##name arguments;                                              \
    self.inside = false;                                                  \
    submitted(submission);)
#define SYNC_FUNCTION(name, how)                                                                    \
  CALL(name, (void *queue, void *context, body *function), (queue, context, function),              \
    struct call call = {submitting(queue, how, 0, 0).number, queue, context, function, how};           \
    INSIDE(GCDLAB_TRACE_IN_SYNC, queue, __real_##name(queue, &call, run_here)))

FUNCTION(dispatch_async_f, (void *queue, void *context, body *function), (queue, context, function),
         GCDLAB_TRACE_ASYNC, 0)
FUNCTION(dispatch_barrier_async_f, (void *queue, void *context, body *function), (queue, context, function),
         GCDLAB_TRACE_ASYNC | GCDLAB_TRACE_BARRIER, 0)
FUNCTION(dispatch_group_async_f, (void *group, void *queue, void *context, body *function),
         (group, queue, context, function), GCDLAB_TRACE_ASYNC, 0)
FUNCTION(dispatch_group_notify_f, (void *group, void *queue, void *context, body *function),
         (group, queue, context, function), GCDLAB_TRACE_NOTIFY, 0)
FUNCTION(dispatch_after_f, (uint64_t when, void *queue, void *context, body *function),
         (when, queue, context, function), GCDLAB_TRACE_AFTER, due(when))
SYNC_FUNCTION(dispatch_sync_f, GCDLAB_TRACE_SYNC)
SYNC_FUNCTION(dispatch_barrier_sync_f, GCDLAB_TRACE_SYNC | GCDLAB_TRACE_BARRIER)
SYNC_FUNCTION(dispatch_async_and_wait_f, GCDLAB_TRACE_SYNC)
SYNC_FUNCTION(dispatch_barrier_async_and_wait_f, GCDLAB_TRACE_SYNC | GCDLAB_TRACE_BARRIER)

// Parallel loops: all iterations are submitted at once, each with its own number.

static uint64_t loops(void *queue, uint32_t count) {
  uint64_t number = numbers(count);
  write_with(&self.pen, GCDLAB_TRACE_SUBMIT, GCDLAB_TRACE_APPLY, site(), count, number, (uint64_t)queue);
  return number;
}
static void iterate(struct block *block, size_t index) {
  uint64_t number = block->number + index;
  struct place outer = begin(number, block->queue, GCDLAB_TRACE_APPLY);
  ((void (*)(struct block *, size_t))block->inner->invoke)(block->inner, index);
  end(number, outer);
}
CALL(dispatch_apply, (size_t count, void *queue, void *block), (count, queue, block),
  struct block wrapper = around(block, queue, loops(queue, (uint32_t)count), GCDLAB_TRACE_APPLY);
  wrapper.invoke = (void (*)(struct block *))iterate;
  INSIDE(GCDLAB_TRACE_IN_APPLY, queue, __real_dispatch_apply(count, queue, &wrapper)))

typedef void iteration(void *context, size_t index);
static void iterate_here(void *context, size_t index) {
  struct call *loop = context;
  struct place outer = begin(loop->number + index, loop->queue, GCDLAB_TRACE_APPLY);
  ((iteration *)loop->function)(loop->context, index);
  end(loop->number + index, outer);
}
CALL(dispatch_apply_f, (size_t count, void *queue, void *context, iteration *function),
     (count, queue, context, function),
  struct call loop = {loops(queue, (uint32_t)count), queue, context, (body *)function, GCDLAB_TRACE_APPLY};
  INSIDE(GCDLAB_TRACE_IN_APPLY, queue, __real_dispatch_apply_f(count, queue, &loop, iterate_here)))

// Handlers of sources. A source submits its handlers itself, and may run a handler many times.
#define HANDLER(name)                                                             \
  extern void __real_##name(void *source, void *block) WEAK;                      \
  void __wrap_##name(void *source, void *block) {                                 \
    if (!TRACED || !block || is_item(block)) return __real_##name(source, block); \
    struct block wrapper = around(block, source, 0, GCDLAB_TRACE_HANDLER);        \
    __real_##name(source, &wrapper);                                              \
  }
HANDLER(dispatch_source_set_event_handler)
HANDLER(dispatch_source_set_cancel_handler)
HANDLER(dispatch_source_set_registration_handler)

// Work items.
#define ITEM(name, parameters, arguments)                                                            \
  extern void *__real_##name parameters WEAK;                                                        \
  void *__wrap_##name parameters {                                                                   \
    if (!TRACED) return __real_##name arguments;                                                     \
    struct block wrapper = around(block, NULL, numbers(1), GCDLAB_TRACE_ASYNC | GCDLAB_TRACE_BY_ITEM); \
    block = &wrapper;                                                                                \
    void *item = __real_##name arguments;                                                            \
    record(GCDLAB_TRACE_ITEM, 0, 0, (uint64_t)item, wrapper.number);                                 \
    return item;                                                                                     \
  }
ITEM(dispatch_block_create, (unsigned long flags, void *block), (flags, block))
ITEM(dispatch_block_create_with_qos_class, (unsigned long flags, unsigned qos, int priority, void *block),
     (flags, qos, priority, block))

#ifdef GCDLAB_PROGRAM
extern void __real_dispatch_block_cancel(void *item) WEAK;
void __wrap_dispatch_block_cancel(void *item) {
  if (TRACING) record(GCDLAB_TRACE_CANCEL, 0, 0, (uint64_t)item, 0);
  __real_dispatch_block_cancel(item);
}
#endif
