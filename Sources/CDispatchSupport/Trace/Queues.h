// Records queues, so that a trace contains their kinds and labels.
//
// The wrappers replace the functions of the same names, on the program's threads. A queue is recorded when it is
// created, since another queue may have the same address later.
#pragma once
#include "Writing.h"

static void queue_is(void *queue, enum gcdlab_trace_queue kind, const char *label) {
  explain(GCDLAB_TRACE_QUEUE, kind, (uint64_t)queue, label, 64);
}

extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags) WEAK;
extern const char *dispatch_queue_get_label(void *queue) WEAK;
extern struct anything _dispatch_main_q WEAK;
extern struct anything concurrent_vtable __asm__("__OS_dispatch_queue_concurrent_vtable") WEAK;
// The first word of a concurrent queue, which identifies its kind.
static void *concurrent = &concurrent_vtable;

// The largest number of queues of Swift's pool that are recognized.
enum { SWIFT_QUEUES = 16 };
static void *swift_queues[SWIFT_QUEUES];
static bool is_swift(void *queue) {
#ifdef GCDLAB_PRELOADED
  if (!queue) return true;
#endif
  for (int i = 0; i < SWIFT_QUEUES && swift_queues[i]; i++)
    if (swift_queues[i] == queue) return true;
  return false;
}
static void note_swift(void *queue) {
  for (int i = 0; i < SWIFT_QUEUES; i++) {
    void *none = NULL;
    if (__atomic_compare_exchange_n(&swift_queues[i], &none, queue, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  }
}

static void *made(void *queue) {
  if (!queue) return queue;
  const char *label = dispatch_queue_get_label(queue);
  if (label && strncmp(label, "Swift global concurrent queue", 29) == 0) note_swift(queue);
  queue_is(queue, *(void **)queue == concurrent ? GCDLAB_TRACE_CONCURRENT : GCDLAB_TRACE_SERIAL, label);
  return queue;
}
// Records that blocks of a queue may have to wait for the queue's target or for a resume, and not only for a thread; or
// records the queue of a source.
static void holds(void *queue, void *target) { record(GCDLAB_TRACE_HOLDS, 0, 0, (uint64_t)queue, (uint64_t)target); }

extern void *__real_dispatch_queue_create(const char *label, void *attributes) WEAK;
void *__wrap_dispatch_queue_create(const char *label, void *attributes) {
  void *queue = __real_dispatch_queue_create(label, attributes);
  return TRACED ? made(queue) : queue;
}
extern void *__real_dispatch_queue_create_with_target(const char *label, void *attributes, void *target) WEAK;
void *__wrap_dispatch_queue_create_with_target(const char *label, void *attributes, void *target) {
  void *queue = __real_dispatch_queue_create_with_target(label, attributes, target);
  if (!TRACED) return queue;
  made(queue);
  if (target) holds(queue, target);
  return queue;
}
// A source runs its handlers on its queue. Without a queue, the handlers run on a global queue, one at a time.
extern void *__real_dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) WEAK;
void *__wrap_dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
  void *source = __real_dispatch_source_create(type, handle, mask, queue);
  if (!TRACED || !source) return source;
  queue_is(source, GCDLAB_TRACE_SOURCE, "source");
  if (queue) holds(source, queue);
  return source;
}

#ifdef GCDLAB_PROGRAM
extern void __real_dispatch_suspend(void *object) WEAK;
void __wrap_dispatch_suspend(void *object) {
  if (TRACED) holds(object, NULL);
  __real_dispatch_suspend(object);
}
extern void __real_dispatch_set_target_queue(void *object, void *target) WEAK;
void __wrap_dispatch_set_target_queue(void *object, void *target) {
  if (TRACED) holds(object, target);
  __real_dispatch_set_target_queue(object, target);
}
#endif

#ifdef GCDLAB_PRELOADED
extern struct anything _dispatch_queue_attr_concurrent WEAK;
extern void dispatch_release(void *object) WEAK;
#endif

// Records the system's queues, before anything else of the program is recorded.
static void prepare_queues(void) {
#ifdef GCDLAB_PRELOADED
  // Dispatch has no function that returns the kind of a queue. A queue is recognized as concurrent by comparison with a
  // concurrent queue that is created here.
  void *queue = __real_dispatch_queue_create("gcdlab", &_dispatch_queue_attr_concurrent);
  concurrent = queue ? *(void **)queue : NULL;
  if (queue) dispatch_release(queue);
#endif
  static const int classes[] = {0x21, 0x19, 0x15, 0x11, 0x09, 0x05};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    void *global = dispatch_get_global_queue(classes[i], 0);
    if (global) queue_is(global, GCDLAB_TRACE_GLOBAL, dispatch_queue_get_label(global));
  }
  queue_is(&_dispatch_main_q, GCDLAB_TRACE_MAIN, "main");
}
