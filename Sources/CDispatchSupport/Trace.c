#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // sched_getcpu
#endif
#include "Trace.h"

#include <errno.h>

#ifndef __linux__

int gcdlab_trace_create(void) {
  errno = ENOSYS;
  return -1;
}
struct gcdlab_traced *gcdlab_trace_events(int descriptor, size_t *count, struct gcdlab_trace_loss *loss) {
  (void)descriptor, (void)loss;
  *count = 0;
  errno = ENOSYS;
  return NULL;
}
bool gcdlab_trace_sees_calls(void) { return false; }
int gcdlab_trace_begin(int descriptor) {
  (void)descriptor;
  return ENOSYS;
}
void gcdlab_trace_end(void) {}

#else

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The linker's --wrap (Makefile) makes calls visible: a call of `dispatch_async` becomes one of
// `__wrap_dispatch_async`, which calls `__real_dispatch_async`. In a binary that is linked without it, the latter is
// null and the former is never called. Calls that take a few nanoseconds are never wrapped (`dispatch_semaphore_wait`).
// For a wait, only its slow path is wrapped, which is in another object of the library.

enum { CHUNK = 16 << 10, CHUNKS = 2048, EVENTS = CHUNK / sizeof(struct gcdlab_trace_event) - 1 };

struct chunk {
  uint32_t thread, unused;
  char name[16];
  uint64_t slot;
  struct gcdlab_trace_event events[EVENTS];
};

struct trace_file {
  // The number of chunks that were taken. It is higher than the number that exists if events are lost.
  uint64_t chunks;
  struct gcdlab_trace_loss loss;
  char unused[CHUNK - 24];
  struct chunk chunk[CHUNKS];
};

static bool tracing;
static struct trace_file *file;

// The state of each thread.
struct thread {
  struct chunk *chunk;
  uint32_t used;
  bool known, is_pool;
  uint8_t reason;
  uint32_t depth, waits;
  uint64_t slot, blocks;
  void *queue;
};
static _Thread_local struct thread self;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool has_room(uint64_t time) {
  if (self.chunk && self.used < EVENTS) return true;
  uint64_t taken = __atomic_fetch_add(&file->chunks, 1, __ATOMIC_RELAXED);
  if (taken >= CHUNKS) {
    uint64_t none = 0;
    __atomic_compare_exchange_n(&file->loss.first, &none, time, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __atomic_fetch_add(&file->loss.events, 1, __ATOMIC_RELAXED);
    return false;
  }
  struct chunk *chunk = &file->chunk[taken];
  chunk->thread = (uint32_t)gettid();
  prctl(PR_GET_NAME, chunk->name);
  if (!self.known) {
    self.known = true;
    self.slot = taken + 1;
    // Dispatch names its threads. In some versions the name contains their class.
    self.is_pool = strncmp(chunk->name, "DispatchWorker", 14) == 0 || strstr(chunk->name, "-qos");
  }
  if (self.is_pool) strcpy(chunk->name, "pool");
  chunk->slot = self.slot;
  self.chunk = chunk;
  self.used = 0;
  return true;
}

static void record(enum gcdlab_trace_kind kind, unsigned how, uint32_t count, uint64_t a, uint64_t b) {
  uint64_t time = now();
  if (!has_room(time)) return;
  struct gcdlab_trace_event *event = &self.chunk->events[self.used++];
  event->time = time;
  event->how = (uint8_t)how;
  event->core = (uint16_t)sched_getcpu();
  event->count = count;
  event->a = a;
  event->b = b;
  // The kind is written last: an event is valid once it has a kind, whatever happens to the thread.
  __atomic_store_n(&event->kind, (uint8_t)kind, __ATOMIC_RELEASE);
}

// Returns a number that no other block has, without using shared memory.
static uint64_t numbers(uint64_t count) {
  if (!self.known) has_room(now());
  uint64_t first = self.slot << 40 | self.blocks;
  self.blocks += count;
  return first;
}

static void queue_is(void *queue, enum gcdlab_trace_queue kind, const char *label) {
  size_t length = label ? strlen(label) : 0;
  uint32_t parts = (uint32_t)((length < 64 ? length : 64) + 15) / 16;
  record(GCDLAB_TRACE_QUEUE, kind, parts, (uint64_t)queue, 0);
  for (uint32_t part = 0; part < parts; part++) {
    uint64_t words[2] = {0, 0};
    size_t left = length - part * 16;
    memcpy(words, label + part * 16, left < 16 ? left : 16);
    record(GCDLAB_TRACE_TEXT, 0, 0, words[0], words[1]);
  }
}

static void begin(uint64_t number, void *queue, unsigned how) {
  self.depth++;
  record(GCDLAB_TRACE_BEGIN, how, 1, number, (uint64_t)queue);
}

static void end(uint64_t number) {
  record(GCDLAB_TRACE_END, 0, 0, number, 0);
  self.depth--;
}

#define WEAK __attribute__((weak))
#define TRACED __builtin_expect(__atomic_load_n(&tracing, __ATOMIC_RELAXED), 0)

// Blocks, as the compiler lays them out: see StackBlock.c.

extern void *_NSConcreteStackBlock[32];
extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

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

// The function that all work items share, which identifies their blocks.
extern void (*const _dispatch_block_special_invoke)(void *) WEAK;
static bool is_item(const struct block *block) {
  return &_dispatch_block_special_invoke && (void (*)(void *))block->invoke == _dispatch_block_special_invoke;
}

static void run(struct block *block) {
  // A handler runs many times. One that was wrapped before tracing ended may run afterwards.
  if (!TRACED) return block->inner->invoke(block->inner);
  uint64_t number = (block->how & 15) == GCDLAB_TRACE_HANDLER ? numbers(1) : block->number;
  begin(number, block->queue, block->how);
  block->inner->invoke(block->inner);
  end(number);
}
static void copy(struct block *to, const struct block *from) { to->inner = _Block_copy(from->inner); }
static void dispose(const struct block *block) { _Block_release(block->inner); }
static const struct layout layout = {.size = sizeof(struct block), .copy = copy, .dispose = dispose};

static struct block around(void *inner, void *queue, uint64_t number, unsigned how) {
  return (struct block){
      .isa = _NSConcreteStackBlock, .flags = 1 << 25, .invoke = run, .layout = &layout, .number = number,
      .queue = queue, .inner = inner, .how = how};
}

// Functions with a context.

struct call {
  uint64_t number;
  void *queue, *context;
  void (*function)(void *);
  unsigned how;
};
static void run_here(void *context) {
  struct call *call = context;
  begin(call->number, call->queue, call->how);
  call->function(call->context);
  end(call->number);
}
static void run_once(void *context) {
  struct call call = *(struct call *)context;
  free(context);
  run_here(&call);
}

static uint64_t submitted(void *queue, unsigned how, uint32_t count) {
  uint64_t number = numbers(count);
  record(GCDLAB_TRACE_SUBMIT, how, count, number, (uint64_t)queue);
  return number;
}
static struct call *called(void *queue, void *context, void (*function)(void *), unsigned how) {
  struct call *call = malloc(sizeof *call);
  if (call) *call = (struct call){submitted(queue, how, 1), queue, context, function, how};
  return call;
}

// Swift's pool has queues of its own. Its jobs are recorded one by one instead.
static void *swift_queues[16];
static bool is_swift(void *queue) {
  for (int i = 0; i < 16 && swift_queues[i]; i++)
    if (swift_queues[i] == queue) return true;
  return false;
}

// Submits a block, or one that wraps it. A work item is submitted unchanged, since it has flags: its body was wrapped
// when it was created.
#define SUBMIT_BLOCK(how, call_real)                                                               \
  if (!TRACED) { void *given = block; call_real; return; }                                         \
  if (is_item(block)) {                                                                            \
    record(GCDLAB_TRACE_SUBMIT, (how) | GCDLAB_TRACE_BY_ITEM, 1, (uint64_t)block, (uint64_t)queue); \
    void *given = block;                                                                           \
    call_real;                                                                                     \
    return;                                                                                        \
  }                                                                                                \
  struct block wrapper = around(block, queue, submitted(queue, how, 1), how);                      \
  void *given = &wrapper;                                                                          \
  call_real;

#define ASYNC_BLOCK(name, how)                              \
  extern void __real_##name(void *queue, void *block) WEAK; \
  void __wrap_##name(void *queue, void *block) { SUBMIT_BLOCK(how, __real_##name(queue, given)) }

#define ASYNC_FUNCTION(name, how)                                                                    \
  extern void __real_##name(void *queue, void *context, void (*function)(void *)) WEAK;              \
  void __wrap_##name(void *queue, void *context, void (*function)(void *)) {                         \
    struct call *call = TRACED && !is_swift(queue) ? called(queue, context, function, how) : NULL;   \
    if (call) __real_##name(queue, call, run_once);                                                  \
    else __real_##name(queue, context, function);                                                    \
  }

ASYNC_BLOCK(dispatch_async, GCDLAB_TRACE_ASYNC)
ASYNC_BLOCK(dispatch_barrier_async, GCDLAB_TRACE_ASYNC | GCDLAB_TRACE_BARRIER)
ASYNC_FUNCTION(dispatch_async_f, GCDLAB_TRACE_ASYNC)
ASYNC_FUNCTION(dispatch_barrier_async_f, GCDLAB_TRACE_ASYNC | GCDLAB_TRACE_BARRIER)

// Calls that submit a block and run it at once, and what they wait for meanwhile.
#define INSIDE(why, on, call_real)                                  \
  void *outer = self.queue;                                         \
  uint8_t outer_reason = self.reason;                               \
  self.queue = on;                                                  \
  self.reason = why;                                                \
  call_real;                                                        \
  self.queue = outer;                                               \
  self.reason = outer_reason;

// The traced half is a function of its own, so that the other half is a load, a branch and a jump.
#define SYNC_BLOCK(name, how)                                                                       \
  extern void __real_##name(void *queue, void *block) WEAK;                                         \
  static __attribute__((noinline)) void traced_##name(void *queue, void *block) {                   \
    SUBMIT_BLOCK(how, INSIDE(GCDLAB_TRACE_IN_SYNC, queue, __real_##name(queue, given)))             \
  }                                                                                                 \
  void __wrap_##name(void *queue, void *block) {                                                    \
    if (!TRACED) return __real_##name(queue, block);                                                \
    traced_##name(queue, block);                                                                    \
  }
#define SYNC_FUNCTION(name, how)                                                                    \
  extern void __real_##name(void *queue, void *context, void (*function)(void *)) WEAK;             \
  static __attribute__((noinline)) void traced_##name(void *queue, void *context, void (*function)(void *)) { \
    struct call call = {submitted(queue, how, 1), queue, context, function, how};                   \
    INSIDE(GCDLAB_TRACE_IN_SYNC, queue, __real_##name(queue, &call, run_here))                      \
  }                                                                                                 \
  void __wrap_##name(void *queue, void *context, void (*function)(void *)) {                        \
    if (!TRACED) return __real_##name(queue, context, function);                                    \
    traced_##name(queue, context, function);                                                        \
  }

SYNC_BLOCK(dispatch_sync, GCDLAB_TRACE_SYNC)
SYNC_BLOCK(dispatch_barrier_sync, GCDLAB_TRACE_SYNC | GCDLAB_TRACE_BARRIER)
SYNC_BLOCK(dispatch_async_and_wait, GCDLAB_TRACE_SYNC)
SYNC_BLOCK(dispatch_barrier_async_and_wait, GCDLAB_TRACE_SYNC | GCDLAB_TRACE_BARRIER)
SYNC_FUNCTION(dispatch_sync_f, GCDLAB_TRACE_SYNC)
SYNC_FUNCTION(dispatch_barrier_sync_f, GCDLAB_TRACE_SYNC | GCDLAB_TRACE_BARRIER)
SYNC_FUNCTION(dispatch_async_and_wait_f, GCDLAB_TRACE_SYNC)
SYNC_FUNCTION(dispatch_barrier_async_and_wait_f, GCDLAB_TRACE_SYNC | GCDLAB_TRACE_BARRIER)

extern void __real_dispatch_group_async(void *group, void *queue, void *block) WEAK;
void __wrap_dispatch_group_async(void *group, void *queue, void *block) {
  SUBMIT_BLOCK(GCDLAB_TRACE_ASYNC, __real_dispatch_group_async(group, queue, given))
}
extern void __real_dispatch_group_notify(void *group, void *queue, void *block) WEAK;
void __wrap_dispatch_group_notify(void *group, void *queue, void *block) {
  SUBMIT_BLOCK(GCDLAB_TRACE_NOTIFY, __real_dispatch_group_notify(group, queue, given))
}
extern void __real_dispatch_after(uint64_t when, void *queue, void *block) WEAK;
void __wrap_dispatch_after(uint64_t when, void *queue, void *block) {
  SUBMIT_BLOCK(GCDLAB_TRACE_AFTER, __real_dispatch_after(when, queue, given))
}
typedef void (*function)(void *);
extern void __real_dispatch_group_async_f(void *group, void *queue, void *context, function f) WEAK;
void __wrap_dispatch_group_async_f(void *group, void *queue, void *context, function f) {
  struct call *call = TRACED ? called(queue, context, f, GCDLAB_TRACE_ASYNC) : NULL;
  if (call) __real_dispatch_group_async_f(group, queue, call, run_once);
  else __real_dispatch_group_async_f(group, queue, context, f);
}
extern void __real_dispatch_group_notify_f(void *group, void *queue, void *context, function f) WEAK;
void __wrap_dispatch_group_notify_f(void *group, void *queue, void *context, function f) {
  struct call *call = TRACED ? called(queue, context, f, GCDLAB_TRACE_NOTIFY) : NULL;
  if (call) __real_dispatch_group_notify_f(group, queue, call, run_once);
  else __real_dispatch_group_notify_f(group, queue, context, f);
}
extern void __real_dispatch_after_f(uint64_t when, void *queue, void *context, function f) WEAK;
void __wrap_dispatch_after_f(uint64_t when, void *queue, void *context, function f) {
  struct call *call = TRACED && !is_swift(queue) ? called(queue, context, f, GCDLAB_TRACE_AFTER) : NULL;
  if (call) __real_dispatch_after_f(when, queue, call, run_once);
  else __real_dispatch_after_f(when, queue, context, f);
}

// Parallel loops: all iterations are submitted at once, each with a number.

static void iterate(struct block *block, size_t index) {
  uint64_t number = block->number + index;
  begin(number, block->queue, GCDLAB_TRACE_APPLY);
  ((void (*)(struct block *, size_t))block->inner->invoke)(block->inner, index);
  end(number);
}
extern void __real_dispatch_apply(size_t count, void *queue, void *block) WEAK;
static __attribute__((noinline)) void traced_apply(size_t count, void *queue, void *block) {
  struct block wrapper = around(block, queue, submitted(queue, GCDLAB_TRACE_APPLY, (uint32_t)count), GCDLAB_TRACE_APPLY);
  wrapper.invoke = (void (*)(struct block *))iterate;
  INSIDE(GCDLAB_TRACE_IN_APPLY, queue, __real_dispatch_apply(count, queue, &wrapper))
}
void __wrap_dispatch_apply(size_t count, void *queue, void *block) {
  if (!TRACED) return __real_dispatch_apply(count, queue, block);
  traced_apply(count, queue, block);
}

struct loop {
  uint64_t number;
  void *queue, *context;
  void (*work)(void *, size_t);
};
static void iterate_function(void *context, size_t index) {
  struct loop *loop = context;
  begin(loop->number + index, loop->queue, GCDLAB_TRACE_APPLY);
  loop->work(loop->context, index);
  end(loop->number + index);
}
extern void __real_dispatch_apply_f(size_t count, void *queue, void *context, void (*work)(void *, size_t)) WEAK;
static __attribute__((noinline)) void traced_apply_f(size_t count, void *queue, void *context,
                                                     void (*work)(void *, size_t)) {
  struct loop loop = {submitted(queue, GCDLAB_TRACE_APPLY, (uint32_t)count), queue, context, work};
  INSIDE(GCDLAB_TRACE_IN_APPLY, queue, __real_dispatch_apply_f(count, queue, &loop, iterate_function))
}
void __wrap_dispatch_apply_f(size_t count, void *queue, void *context, void (*work)(void *, size_t)) {
  if (!TRACED) return __real_dispatch_apply_f(count, queue, context, work);
  traced_apply_f(count, queue, context, work);
}

// Handlers of sources: the source submits them itself, and may run them many times. For the reader, a source is its own
// queue.

#define HANDLER(name)                                                        \
  extern void __real_##name(void *source, void *block) WEAK;                 \
  void __wrap_##name(void *source, void *block) {                            \
    if (!TRACED || !block || is_item(block)) return __real_##name(source, block); \
    struct block wrapper = around(block, source, 0, GCDLAB_TRACE_HANDLER);   \
    __real_##name(source, &wrapper);                                         \
  }
HANDLER(dispatch_source_set_event_handler)
HANDLER(dispatch_source_set_cancel_handler)
HANDLER(dispatch_source_set_registration_handler)

// Work items.

extern void *__real_dispatch_block_create(unsigned long flags, void *block) WEAK;
void *__wrap_dispatch_block_create(unsigned long flags, void *block) {
  if (!TRACED) return __real_dispatch_block_create(flags, block);
  struct block wrapper = around(block, NULL, numbers(1), GCDLAB_TRACE_ASYNC | GCDLAB_TRACE_BY_ITEM);
  void *item = __real_dispatch_block_create(flags, &wrapper);
  record(GCDLAB_TRACE_ITEM, 0, 0, (uint64_t)item, wrapper.number);
  return item;
}
extern void *__real_dispatch_block_create_with_qos_class(unsigned long flags, unsigned qos, int priority, void *block) WEAK;
void *__wrap_dispatch_block_create_with_qos_class(unsigned long flags, unsigned qos, int priority, void *block) {
  if (!TRACED) return __real_dispatch_block_create_with_qos_class(flags, qos, priority, block);
  struct block wrapper = around(block, NULL, numbers(1), GCDLAB_TRACE_ASYNC | GCDLAB_TRACE_BY_ITEM);
  void *item = __real_dispatch_block_create_with_qos_class(flags, qos, priority, &wrapper);
  record(GCDLAB_TRACE_ITEM, 0, 0, (uint64_t)item, wrapper.number);
  return item;
}

// Queues, which are recorded when they are created, since another queue may have the same address later.

extern struct anything concurrent_vtable __asm__("__OS_dispatch_queue_concurrent_vtable") WEAK;
extern const char *dispatch_queue_get_label(void *queue);

static void *made(void *queue) {
  const char *label = dispatch_queue_get_label(queue);
  bool is_concurrent = *(void **)queue == (void *)&concurrent_vtable;
  bool is_pool = label && strncmp(label, "Swift global concurrent queue", 29) == 0;
  if (is_pool)
    for (int i = 0; i < 16; i++) {
      void *none = NULL;
      if (__atomic_compare_exchange_n(&swift_queues[i], &none, queue, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    }
  queue_is(queue, is_concurrent ? GCDLAB_TRACE_CONCURRENT : GCDLAB_TRACE_SERIAL, label);
  return queue;
}
extern void *__real_dispatch_queue_create(const char *label, void *attributes) WEAK;
void *__wrap_dispatch_queue_create(const char *label, void *attributes) {
  void *queue = __real_dispatch_queue_create(label, attributes);
  return TRACED ? made(queue) : queue;
}
extern void *__real_dispatch_queue_create_with_target(const char *label, void *attributes, void *target) WEAK;
void *__wrap_dispatch_queue_create_with_target(const char *label, void *attributes, void *target) {
  void *queue = __real_dispatch_queue_create_with_target(label, attributes, target);
  return TRACED ? made(queue) : queue;
}
extern void *__real_dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) WEAK;
void *__wrap_dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
  void *source = __real_dispatch_source_create(type, handle, mask, queue);
  if (TRACED && source) queue_is(source, GCDLAB_TRACE_SERIAL, "source");
  return source;
}

// Jobs of Swift concurrency.

#define SWIFT __attribute__((swiftcall))
extern SWIFT void __real_swift_task_enqueueGlobal(void *job) WEAK;
SWIFT void __wrap_swift_task_enqueueGlobal(void *job) {
  if (TRACED) record(GCDLAB_TRACE_SUBMIT, GCDLAB_TRACE_JOB, 1, (uint64_t)job, 0);
  __real_swift_task_enqueueGlobal(job);
}
struct swift_string {
  const char *bytes;
  uintptr_t count;
};
extern SWIFT struct swift_string swift_getTypeName(const void *metadata, bool qualified) WEAK;
static _Thread_local void *known_actor;
extern SWIFT void __real_swift_job_run(void *job, void *identity, void *implementation) WEAK;
SWIFT void __wrap_swift_job_run(void *job, void *identity, void *implementation) {
  if (!TRACED) return __real_swift_job_run(job, identity, implementation);
  if (identity && identity != known_actor) {
    known_actor = identity;
    struct swift_string name = swift_getTypeName(*(void **)identity, false);
    char label[64] = "";
    memcpy(label, name.bytes, name.count < 63 ? name.count : 63);
    queue_is(identity, GCDLAB_TRACE_ACTOR, label);
  }
  begin((uint64_t)job, identity, GCDLAB_TRACE_JOB);
  __real_swift_job_run(job, identity, implementation);
  end((uint64_t)job);
}

// Waits: only the slow paths are wrapped, in which there is something to wait for. If one wait is inside another, the
// outer one defines the reason.

static void waits(enum gcdlab_trace_reason reason, void *queue) {
  if (self.waits++ == 0) record(GCDLAB_TRACE_WAIT, reason, 0, 0, (uint64_t)queue);
}
static void waited(void) {
  int error = errno;
  if (--self.waits == 0) record(GCDLAB_TRACE_WAITED, 0, 0, 0, 0);
  errno = error;
}
// A pool thread that is in no block waits for one.
static enum gcdlab_trace_reason or_work(enum gcdlab_trace_reason reason) {
  if (!self.known) has_room(now());
  return self.is_pool && self.depth == 0 ? GCDLAB_TRACE_WORK : reason;
}

#define WAIT(type, name, parameters, arguments, reason, queue)  \
  extern type __real_##name parameters WEAK;                    \
  type __wrap_##name parameters {                               \
    if (!TRACED) return __real_##name arguments;                \
    waits(reason, queue);                                       \
    type came = __real_##name arguments;                        \
    waited();                                                   \
    return came;                                                \
  }
#define WAIT_VOID(name, parameters, arguments, reason, queue)   \
  extern void __real_##name parameters WEAK;                    \
  void __wrap_##name parameters {                               \
    if (!TRACED) return __real_##name arguments;                \
    waits(reason, queue);                                       \
    __real_##name arguments;                                    \
    waited();                                                   \
  }

WAIT_VOID(_dispatch_sema4_wait, (void *semaphore), (semaphore), or_work(GCDLAB_TRACE_SEMAPHORE), NULL)
WAIT(bool, _dispatch_sema4_timedwait, (void *semaphore, uint64_t until), (semaphore, until),
     or_work(GCDLAB_TRACE_SEMAPHORE), NULL)
WAIT_VOID(_dispatch_thread_event_wait_slow, (void *event), (event), self.reason, self.queue)
WAIT_VOID(_dispatch_once_wait, (void *gate), (gate), GCDLAB_TRACE_ONCE, NULL)
WAIT(int, _dispatch_wait_on_address, (volatile uint32_t *address, uint32_t value, uint64_t until, unsigned flags),
     (address, value, until, flags), GCDLAB_TRACE_GROUP, NULL)
// Only Dispatch's manager waits in this way.
static enum gcdlab_trace_reason of_manager(void) {
  if (has_room(now())) strcpy(self.chunk->name, "manager");
  return GCDLAB_TRACE_DESCRIPTOR;
}
WAIT(int, epoll_wait, (int descriptor, struct epoll_event *events, int most, int timeout),
     (descriptor, events, most, timeout), of_manager(), NULL)
WAIT(int, poll, (struct pollfd *descriptors, nfds_t count, int timeout), (descriptors, count, timeout),
     GCDLAB_TRACE_DESCRIPTOR, NULL)
WAIT(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left), GCDLAB_TRACE_SLEEP, NULL)
WAIT(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
     (clock, flags, time, left), GCDLAB_TRACE_SLEEP, NULL)
WAIT(int, usleep, (useconds_t time), (time), GCDLAB_TRACE_SLEEP, NULL)
WAIT(unsigned, sleep, (unsigned seconds), (seconds), GCDLAB_TRACE_SLEEP, NULL)
WAIT(int, pthread_join, (pthread_t thread, void **result), (thread, result), GCDLAB_TRACE_JOIN, NULL)
WAIT(int, pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *mutex), (condition, mutex),
     GCDLAB_TRACE_CONDITION, NULL)
// Waits in the C library: for a mutex, a reader-writer lock, and a POSIX semaphore.
WAIT_VOID(__lll_lock_wait, (int *word, int private), (word, private), GCDLAB_TRACE_LOCK, NULL)
WAIT(int, __futex_abstimed_wait64,
     (unsigned *word, unsigned value, clockid_t clock, const struct timespec *until, int private),
     (word, value, clock, until, private), GCDLAB_TRACE_LOCK, NULL)
WAIT(int, __futex_abstimed_wait_cancelable64,
     (unsigned *word, unsigned value, clockid_t clock, const struct timespec *until, int private),
     (word, value, clock, until, private), GCDLAB_TRACE_SEMAPHORE, NULL)

// Swift's Mutex calls the kernel itself.
extern long __real_syscall(long number, long a, long b, long c, long d, long e, long f) WEAK;
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (!TRACED || number != SYS_futex) return __real_syscall(number, a, b, c, d, e, f);
  long operation = b & FUTEX_CMD_MASK;
  if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET && operation != FUTEX_LOCK_PI) {
    return __real_syscall(number, a, b, c, d, e, f);
  }
  waits(GCDLAB_TRACE_LOCK, NULL);
  long result = __real_syscall(number, a, b, c, d, e, f);
  waited();
  return result;
}

// Beginning and ending.

bool gcdlab_trace_sees_calls(void) { return &__real_dispatch_async && &__real_dispatch_sync; }

// Records the running time of each thread according to the system.
static void account(void) {
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return;
  for (struct dirent *entry; (entry = readdir(threads));) {
    if (entry->d_name[0] == '.') continue;
    char path[64], text[96];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", entry->d_name);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    ssize_t length = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    if (length <= 0) continue;
    text[length] = 0;
    record(GCDLAB_TRACE_ACCOUNT, 0, 0, strtoull(entry->d_name, NULL, 10), strtoull(text, NULL, 10));
  }
  closedir(threads);
}

int gcdlab_trace_create(void) {
  int descriptor = memfd_create("gcdlab-trace", MFD_CLOEXEC);
  if (descriptor >= 0 && ftruncate(descriptor, sizeof(struct trace_file)) != 0) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  return descriptor;
}

static int earlier(const void *left, const void *right) {
  const struct gcdlab_traced *a = left, *b = right;
  if (a->event.time != b->event.time) return a->event.time < b->event.time ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

struct gcdlab_traced *gcdlab_trace_events(int descriptor, size_t *count, struct gcdlab_trace_loss *loss) {
  struct trace_file *written = mmap(NULL, sizeof *written, PROT_READ, MAP_SHARED, descriptor, 0);
  if (written == MAP_FAILED) return NULL;
  uint64_t chunks = written->chunks < CHUNKS ? written->chunks : CHUNKS;
  struct gcdlab_traced *events = malloc((chunks * (EVENTS + 1) + 1) * sizeof *events);
  size_t found = 0;
  for (uint64_t i = 0; i < chunks && events; i++) {
    const struct chunk *chunk = &written->chunk[i];
    if (chunk->events[0].kind == GCDLAB_TRACE_NONE) continue;
    struct gcdlab_traced *name = &events[found];
    *name = (struct gcdlab_traced){
        chunk->thread, (uint32_t)found, {.time = chunk->events[0].time, .kind = GCDLAB_TRACE_THREAD}};
    memcpy(&name->event.a, chunk->name, 8);
    memcpy(&name->event.b, chunk->name + 8, 8);
    found++;
    for (uint32_t e = 0; e < EVENTS; e++) {
      if (__atomic_load_n(&chunk->events[e].kind, __ATOMIC_ACQUIRE) == GCDLAB_TRACE_NONE) break;
      events[found] = (struct gcdlab_traced){chunk->thread, (uint32_t)found, chunk->events[e]};
      found++;
    }
  }
  *loss = written->loss;
  munmap(written, sizeof *written);
  if (events) qsort(events, found, sizeof *events, earlier);
  *count = found;
  return events;
}

static void forked(void) { tracing = false; }

extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
extern struct anything _dispatch_main_q;

int gcdlab_trace_begin(int descriptor) {
  void *memory = mmap(NULL, sizeof(struct trace_file), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return errno;
  file = memory;
  int error = pthread_atfork(NULL, NULL, forked);
  if (error) return error;
  static const int classes[] = {0x21, 0x19, 0x15, 0x11, 0x09, 0x05};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    void *queue = dispatch_get_global_queue(classes[i], 0);
    if (queue) queue_is(queue, GCDLAB_TRACE_GLOBAL, dispatch_queue_get_label(queue));
  }
  queue_is(&_dispatch_main_q, GCDLAB_TRACE_MAIN, "main");
  account();
  __atomic_store_n(&tracing, gcdlab_trace_sees_calls(), __ATOMIC_RELEASE);
  record(GCDLAB_TRACE_BODY_BEGINS, 0, 0, 0, 0);
  return 0;
}

void gcdlab_trace_end(void) {
  if (!file) return;
  record(GCDLAB_TRACE_BODY_ENDS, 0, 0, 0, 0);
  __atomic_store_n(&tracing, false, __ATOMIC_RELEASE);
  // The system updates a thread's running time when the thread leaves its core.
  sched_yield();
  account();
}

#endif
