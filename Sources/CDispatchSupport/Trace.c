#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // sched_getcpu
#endif
#include "Trace.h"

#include <errno.h>

#ifndef __linux__

int gcdlab_trace_create(bool recycles) {
  (void)recycles;
  errno = ENOSYS;
  return -1;
}
void gcdlab_trace_stop(int descriptor) { (void)descriptor; }
struct gcdlab_traced *gcdlab_trace_events(int descriptor, size_t *count, struct gcdlab_trace_loss *loss) {
  (void)descriptor, (void)loss;
  *count = 0;
  errno = ENOSYS;
  return NULL;
}
bool gcdlab_trace_sees_calls(void) { return false; }
int gcdlab_trace_begin(int descriptor, const char *name) {
  (void)descriptor, (void)name;
  return ENOSYS;
}
void gcdlab_trace_end(void) {}

#else

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <link.h>
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
#include <unwind.h>

// The linker's --wrap makes calls visible (Wrapped.h lists their names): a call of `dispatch_async` becomes one of
// `__wrap_dispatch_async`, which calls `__real_dispatch_async`. In a binary that is linked without --wrap, the real
// name is null and the wrapper is never called. The library that is preloaded into other programs (GCDLAB_PRELOADED)
// has functions of both names. Other programs that are static have this file linked to them (GCDLAB_LINKED), with
// --wrap. Calls that take a few nanoseconds are never recorded (`dispatch_semaphore_wait`). Of a wait, only the slow
// path is recorded.
#if defined(GCDLAB_PRELOADED) || defined(GCDLAB_LINKED)
#define GCDLAB_PROGRAM
// All code of the recorder is in a section of its own, so that stacks can leave it out.
#pragma clang section text = "gcdlab_recorder"
#endif

enum { CHUNK = 16 << 10, CHUNKS = 2048, EVENTS = CHUNK / sizeof(struct gcdlab_trace_event) - 1 };

struct chunk {
  uint32_t thread, image;
  char name[16];
  uint64_t unused;
  struct gcdlab_trace_event events[EVENTS];
};

// The state of a chunk: unused, written by a thread, left by its thread, or kept to the end.
enum state { EMPTY, WRITTEN, LEFT, KEPT };

struct trace_file {
  // The number of chunks that were taken. It is higher than the number that exists if events are lost.
  uint64_t chunks;
  struct gcdlab_trace_loss loss;
  // The number of programs that wrote into the file.
  uint32_t images;
  // Whether old chunks are used again, and whether the reader wants no more events.
  bool recycles, stops;
  uint8_t states[CHUNKS];
  char unused[CHUNK - 32 - CHUNKS];
  struct chunk chunk[CHUNKS];
};

static bool tracing;
static struct trace_file *file;
static uint32_t image;

// A chunk that a thread writes.
struct pen {
  struct chunk *chunk;
  uint32_t used;
};

// The state of each thread.
struct thread {
  // The chunk for events of blocks and waits, and the chunk for events that explain them, which are never dropped.
  struct pen pen, keeps;
  // Whether the thread is in a call of Dispatch. Calls that are made inside that call are not the program's.
  bool inside;
  bool known, is_pool, has_ended;
  // The reason, plus 1, of any wait inside the call in which the thread is.
  uint8_t why;
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

static pthread_key_t leaves;

// Returns the number of a chunk for this thread, from 1; 0 if there is none.
static uint64_t take(uint64_t time, enum state state) {
  for (uint32_t tries = 0; tries < 2 * CHUNKS; tries++) {
    uint64_t taken = __atomic_fetch_add(&file->chunks, 1, __ATOMIC_RELAXED);
    if (taken >= CHUNKS && !file->recycles) break;
    uint8_t *found = &file->states[taken % CHUNKS], empty = EMPTY, left = LEFT;
    if (__atomic_compare_exchange_n(found, &empty, state, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return taken + 1;
    if (!__atomic_compare_exchange_n(found, &left, state, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) continue;
    struct chunk *chunk = &file->chunk[taken % CHUNKS];
    uint32_t events = 0;
    while (events < EVENTS && chunk->events[events].kind != GCDLAB_TRACE_NONE) events++;
    uint64_t last = events ? chunk->events[events - 1].time : 0, until = __atomic_load_n(&file->loss.until, __ATOMIC_RELAXED);
    while (until < last && !__atomic_compare_exchange_n(&file->loss.until, &until, last, false, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED)) {}
    __atomic_fetch_add(&file->loss.events, events, __ATOMIC_RELAXED);
    memset(chunk->events, 0, sizeof chunk->events);
    return taken + 1;
  }
  uint64_t none = 0;
  __atomic_compare_exchange_n(&file->loss.first, &none, time, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  __atomic_fetch_add(&file->loss.events, 1, __ATOMIC_RELAXED);
  return 0;
}

static void leave(struct pen *pen) {
  if (pen->chunk) __atomic_store_n(&file->states[pen->chunk - file->chunk], LEFT, __ATOMIC_RELEASE);
  pen->chunk = NULL;
}
// Ends the thread's record. The events that it kept stay.
static void thread_ends(void *unused) {
  (void)unused;
  leave(&self.pen);
  self.has_ended = true;
}

static bool has_room(struct pen *pen, uint64_t time) {
  if (pen->chunk && pen->used < EVENTS) return true;
  if (self.has_ended) return false;
  bool keeps = pen == &self.keeps;
  if (!keeps) leave(pen);
  uint64_t taken = take(time, keeps ? KEPT : WRITTEN);
  if (taken == 0) return false;
  struct chunk *chunk = &file->chunk[(taken - 1) % CHUNKS];
  chunk->thread = (uint32_t)gettid();
  chunk->image = image;
  prctl(PR_GET_NAME, chunk->name);
  if (!self.known) {
    self.known = true;
    self.slot = taken;
    // Dispatch names its threads. In some versions the name contains their class.
    self.is_pool = strncmp(chunk->name, "DispatchWorker", 14) == 0 || strstr(chunk->name, "-qos");
    if (file->recycles) pthread_setspecific(leaves, &self);
  }
  if (self.is_pool) strcpy(chunk->name, "pool");
  pen->chunk = chunk;
  pen->used = 0;
  return true;
}

static struct gcdlab_trace_event *write_with(struct pen *pen, enum gcdlab_trace_kind kind, unsigned how, uint16_t site,
                                             uint32_t count, uint64_t a, uint64_t b) {
  uint64_t time = now();
  if (__builtin_expect(__atomic_load_n(&file->stops, __ATOMIC_RELAXED), 0)) {
    __atomic_store_n(&tracing, false, __ATOMIC_RELAXED);
    return NULL;
  }
  if (!has_room(pen, time)) return NULL;
  struct gcdlab_trace_event *event = &pen->chunk->events[pen->used++];
  event->time = time;
  event->how = (uint8_t)how;
  event->site = site;
  event->count = count;
  event->a = a;
  event->b = b;
  // The kind is written last: an event is valid once it has a kind, whatever happens to the thread.
  __atomic_store_n(&event->kind, (uint8_t)kind, __ATOMIC_RELEASE);
  return event;
}
static void record(enum gcdlab_trace_kind kind, unsigned how, uint32_t count, uint64_t a, uint64_t b) {
  write_with(&self.pen, kind, how, 0, count, a, b);
}
// Records an event that explains others, with a text.
static void explain(enum gcdlab_trace_kind kind, unsigned how, uint64_t a, const char *text, size_t most) {
  size_t length = text ? strlen(text) : 0;
  uint32_t parts = (uint32_t)((length < most ? length : most) + 15) / 16;
  write_with(&self.keeps, kind, how, 0, parts, a, 0);
  for (uint32_t part = 0; part < parts; part++) {
    uint64_t words[2] = {0, 0};
    size_t left = length - part * 16;
    memcpy(words, text + part * 16, left < 16 ? left : 16);
    write_with(&self.keeps, GCDLAB_TRACE_TEXT, 0, 0, 0, words[0], words[1]);
  }
}

// Returns a number that no other block has. It uses no shared memory.
static uint64_t numbers(uint64_t count) {
  if (!self.known) has_room(&self.pen, now());
  uint64_t first = self.slot << 40 | self.blocks;
  self.blocks += count;
  return first;
}

// The place from which a call is made.

#ifdef GCDLAB_PROGRAM

enum { SITES = 1 << 14, DEPTH = 16, MODULES = 512 };
// The stacks that were recorded, by their hashes. A stack's number is its place.
static uint64_t sites[SITES];
static const struct link_map *modules[MODULES];
// glibc 2.35: finds the file that an address belongs to, without a lock.
static int (*find_object)(void *address, struct dl_find_object *found);
// The first thread's stack ends below this address.
static uintptr_t first_stack;
// The linker defines them: the beginning and the end of the section.
extern const char __start_gcdlab_recorder[] __attribute__((visibility("hidden")));
extern const char __stop_gcdlab_recorder[] __attribute__((visibility("hidden")));

static const struct link_map *module_of(uint64_t address) {
  struct dl_find_object found;
  return find_object((void *)address, &found) == 0 ? found.dlfo_link_map : NULL;
}

static void note_module(const struct link_map *module) {
  for (uint32_t i = 0, at = (uint32_t)((uintptr_t)module >> 4) % MODULES; i < MODULES; i++, at = (at + 1) % MODULES) {
    const struct link_map *none = NULL;
    if (__atomic_compare_exchange_n(&modules[at], &none, module, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      char own[512] = "";
      bool is_own = !module->l_name[0];
      if (is_own && readlink("/proc/self/exe", own, sizeof own - 1) < 0) own[0] = 0;
      return explain(GCDLAB_TRACE_MODULE, 0, module->l_addr, is_own ? own : module->l_name, 512);
    }
    if (none == module) return;
  }
}

#ifdef __x86_64__

// The distance in words from the place of a call's return address to that of its caller's. The unwinder finds it once
// for each call, which takes microseconds. From then on this table serves, and the stack is walked in nanoseconds.
// Libraries of Swift have no frame pointers to follow. An entry has 48 bits of the address of a call, and 16 of the
// distance, which is 0 if no caller is known, and OPEN if it varies.
enum { HOPS = 1 << 14, LEARNED = 40, OPEN = UINT16_MAX };
static uint64_t hops[HOPS];
static _Unwind_Reason_Code (*unwind)(_Unwind_Trace_Fn each, void *argument);
static uintptr_t (*frame_call)(struct _Unwind_Context *context), (*frame_end)(struct _Unwind_Context *context);

static uint64_t *hop(uint64_t call) {
  for (uint32_t tries = 0, at = (uint32_t)(call * 2654435761u >> 7) % HOPS; tries < 32; tries++, at = (at + 1) % HOPS) {
    uint64_t found = __atomic_load_n(&hops[at], __ATOMIC_RELAXED);
    if (found == 0 || found >> 16 == call) return &hops[at];
  }
  return NULL;
}

struct learned {
  uint64_t call, place;
  uint32_t frames;
};
static _Unwind_Reason_Code learn_hop(struct _Unwind_Context *context, void *argument) {
  struct learned *last = argument;
  uint64_t call = frame_call(context), place = frame_end(context) - 8;
  if (call == 0) return _URC_END_OF_STACK;
  uint64_t words = (place - last->place) / 8, *found = last->call ? hop(last->call) : NULL;
  if (found) {
    uint64_t old = __atomic_load_n(found, __ATOMIC_RELAXED) & OPEN;
    if (words > OPEN || (old && old != words)) words = OPEN;
    __atomic_store_n(found, last->call << 16 | words, __ATOMIC_RELAXED);
  }
  uint64_t *own = hop(call), none = 0;
  if (own) __atomic_compare_exchange_n(own, &none, call << 16, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  last->call = call;
  last->place = place;
  return last->frames++ < LEARNED ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// Returns the place of the caller's return address, or `end`.
static uintptr_t next_call(uintptr_t place, uintptr_t end, bool *has_learned) {
  for (;;) {
    uint64_t *found = hop(*(uint64_t *)place), known = found ? __atomic_load_n(found, __ATOMIC_RELAXED) : 0;
    uint64_t words = known & OPEN;
    if (known && (words == 0 || words == OPEN)) return end;
    uintptr_t next = place + words * 8;
    if (known && next < end) {
      uint64_t *after = hop(*(uint64_t *)next);
      if (after && __atomic_load_n(after, __ATOMIC_RELAXED)) return next;
    }
    // There is no known call at this place: the distance varies, or the call is new.
    if (*has_learned || !unwind) return end;
    *has_learned = true;
    struct learned last = {0};
    unwind(learn_hop, &last);
  }
}

#else

static uintptr_t next_call(uintptr_t place, uintptr_t end, bool *has_learned) {
  (void)has_learned;
  // The frames of an asynchronous function in Swift are marked.
  uintptr_t frame = ((uintptr_t *)place)[-1] & ~((uintptr_t)1 << 60);
  return frame + 8 > place && frame % 8 == 0 && frame < end - 16 ? frame + 8 : end;
}

#endif

// The stacks that the thread has walked.
enum { WALKS = 4 };
static _Thread_local struct walk {
  uintptr_t frame, places[DEPTH];
  uint64_t calls[DEPTH];
  uint32_t count;
  uint16_t site;
} walks[WALKS];

// Returns the number of a stack, and records the stack if it is new.
static uint16_t number(const uint64_t *calls, uint32_t count, uint64_t hash) {
  if (count == 0) return 0;
  hash ^= hash >> 29;
  if (hash == 0) hash = 1;
  for (uint32_t tries = 0, at = (uint32_t)(hash % SITES); tries < 32; tries++, at = (at + 1) % SITES) {
    if (at == 0) continue;
    uint64_t none = __atomic_load_n(&sites[at], __ATOMIC_RELAXED);
    if (none == hash) return (uint16_t)at;
    if (none || !__atomic_compare_exchange_n(&sites[at], &none, hash, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      if (none == hash) return (uint16_t)at;
      continue;
    }
    // An address that lies in no file is not a call, and the frames from there on are not frames.
    uint32_t known = 0;
    for (; known < count; known++) {
      const struct link_map *module = module_of(calls[known] - 1);
      if (!module) break;
      note_module(module);
    }
    write_with(&self.keeps, GCDLAB_TRACE_SITE, 0, 0, known, at, 0);
    for (uint32_t i = 0; i < known; i += 2) {
      write_with(&self.keeps, GCDLAB_TRACE_CALLS, 0, 0, 0, calls[i], i + 1 < known ? calls[i + 1] : 0);
    }
    return (uint16_t)at;
  }
  return 0;
}

// Walks the stack. The end of the stack is known for the first thread, and for threads of the C library: there the
// thread's own data lies at the end of the stack. Nothing outside of the stack is read.
static __attribute__((noinline)) uint16_t site(void) {
  if (!find_object) return 0;
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0), end = (uintptr_t)pthread_self();
  if (frame < first_stack && first_stack - frame < 64 << 20) end = first_stack;
  else if (frame > end || end - frame > (uintptr_t)1 << 30) return 0;
  // The same calls at the same places are the same stack.
  struct walk *walk = &walks[frame / 16 % WALKS];
  uint32_t same = 0;
  while (walk->frame == frame && same < walk->count && *(uint64_t *)walk->places[same] == walk->calls[same]) same++;
  if (walk->frame == frame && same == walk->count) return walk->site;
  *walk = (struct walk){.frame = frame};
  uint64_t calls[DEPTH], hash = 14695981039346656037u;
  uint32_t count = 0;
  bool has_learned = false;
  for (uintptr_t place = frame + 8; walk->count < DEPTH && place < end; place = next_call(place, end, &has_learned)) {
    uint64_t call = *(uint64_t *)place;
    walk->places[walk->count] = place;
    walk->calls[walk->count++] = call;
    if (call >= (uint64_t)__start_gcdlab_recorder && call < (uint64_t)__stop_gcdlab_recorder) continue;
    calls[count++] = call;
    hash = (hash ^ call) * 1099511628211u;
  }
  return walk->site = number(calls, count, hash);
}

#else
static uint16_t site(void) { return 0; }
#endif

static void queue_is(void *queue, enum gcdlab_trace_queue kind, const char *label) {
  explain(GCDLAB_TRACE_QUEUE, kind, (uint64_t)queue, label, 64);
}

// The state of the thread when a block began on it. Inside of the block, calls are the program's again.
struct outer {
  bool inside;
  uint8_t why;
  void *queue;
};

static struct outer begin(uint64_t number, void *queue, unsigned how) {
  struct outer outer = {self.inside, self.why, self.queue};
  self.inside = false;
  self.why = 0;
  self.queue = NULL;
  self.depth++;
  record(GCDLAB_TRACE_BEGIN, how, 1, number, (uint64_t)queue);
  return outer;
}

static void end(uint64_t number, struct outer outer) {
  record(GCDLAB_TRACE_END, 0, 0, number, 0);
  self.depth--;
  self.inside = outer.inside;
  self.why = outer.why;
  self.queue = outer.queue;
}

#define WEAK __attribute__((weak))
#define TRACING __builtin_expect(__atomic_load_n(&tracing, __ATOMIC_RELAXED), 0)
// Whether a call is recorded. libdispatch.so calls some of its own functions as a program would, and those calls are
// not.
#define TRACED (TRACING && !self.inside)

// Blocks, as the compiler lays them out: see StackBlock.c.

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

// The function that all work items share, which identifies their blocks.
extern void (*const _dispatch_block_special_invoke)(void *) WEAK;
static bool is_item(const struct block *block) {
  return &_dispatch_block_special_invoke && (void (*)(void *))block->invoke == _dispatch_block_special_invoke;
}

static void run(struct block *block) {
  // A handler runs many times. One that was wrapped before tracing ended may run afterwards.
  if (!TRACING) return block->inner->invoke(block->inner);
  uint64_t number = (block->how & 15) == GCDLAB_TRACE_HANDLER ? numbers(1) : block->number;
  struct outer outer = begin(number, block->queue, block->how);
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

// Functions with a context.

struct call {
  uint64_t number;
  void *queue, *context;
  void (*function)(void *);
  unsigned how;
};
static void run_here(void *context) {
  struct call *call = context;
  struct outer outer = begin(call->number, call->queue, call->how);
  call->function(call->context);
  end(call->number, outer);
}
static void run_once(void *context) {
  struct call call = *(struct call *)context;
  free(context);
  run_here(&call);
}

// A submission, whose time is measured for one in eight of a thread's blocks.
struct submission {
  uint64_t number;
  struct gcdlab_trace_event *event;
  uint64_t begun;
};
static struct submission submitting(void *queue, unsigned how, uint64_t item) {
  struct submission submission = {.number = item ? item : numbers(1)};
  submission.event = write_with(&self.pen, GCDLAB_TRACE_SUBMIT, how, site(), 0, submission.number, (uint64_t)queue);
  if (submission.number % 8 || item || (how & 15) == GCDLAB_TRACE_SYNC) submission.event = NULL;
  else submission.begun = now();
  return submission;
}
static void submitted(struct submission submission) {
  if (!submission.event) return;
  uint64_t took = now() - submission.begun;
  submission.event->count = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}
static uint64_t loops(void *queue, uint32_t count) {
  uint64_t number = numbers(count);
  write_with(&self.pen, GCDLAB_TRACE_SUBMIT, GCDLAB_TRACE_APPLY, site(), count, number, (uint64_t)queue);
  return number;
}

// Swift's pool has queues of its own. Its jobs are recorded one by one instead.
static void *swift_queues[16];
static bool is_swift(void *queue) {
#ifdef GCDLAB_PRELOADED
  if (!queue) return true;
#endif
  for (int i = 0; i < 16 && swift_queues[i]; i++)
    if (swift_queues[i] == queue) return true;
  return false;
}

// Submits a block, or one that wraps it. A work item is submitted unchanged, since it has flags: its body was wrapped
// when it was created.
#define SUBMIT_BLOCK(how, call_real)                                                               \
  if (!TRACED) { void *given = block; call_real; return; }                                         \
  bool passes = is_item(block);                                                                    \
  struct submission submission = submitting(queue, (how) | (passes ? GCDLAB_TRACE_BY_ITEM : 0), passes ? (uint64_t)block : 0); \
  struct block wrapper = around(block, queue, submission.number, how);                             \
  void *given = passes ? block : (void *)&wrapper;                                                 \
  self.inside = true;                                                                              \
  call_real;                                                                                       \
  self.inside = false;                                                                             \
  submitted(submission);
// Submits a function with its context.
#define SUBMIT_FUNCTION(records, how, call_real)                                                   \
  struct call *call = TRACED && (records) ? malloc(sizeof *call) : NULL;                           \
  if (!call) { call_real; return; }                                                                \
  struct submission submission = submitting(queue, how, 0);                                        \
  *call = (struct call){submission.number, queue, context, function, how};                         \
  context = call;                                                                                  \
  function = run_once;                                                                             \
  self.inside = true;                                                                              \
  call_real;                                                                                       \
  self.inside = false;                                                                             \
  submitted(submission);

// The traced half of a call is a function of its own, so that the other half consists of a load, a branch and a jump.
#define ASYNC_BLOCK(name, how)                                                                      \
  extern void __real_##name(void *queue, void *block) WEAK;                                         \
  static __attribute__((noinline)) void traced_##name(void *queue, void *block) {                   \
    SUBMIT_BLOCK(how, __real_##name(queue, given))                                                  \
  }                                                                                                 \
  void __wrap_##name(void *queue, void *block) {                                                    \
    if (!TRACED) return __real_##name(queue, block);                                                \
    traced_##name(queue, block);                                                                    \
  }

#define ASYNC_FUNCTION(name, how)                                                                    \
  extern void __real_##name(void *queue, void *context, void (*function)(void *)) WEAK;              \
  static __attribute__((noinline)) void traced_##name(void *on, void *context, void (*function)(void *)) { \
    JOB_OR(on, how)                                                                                  \
    SUBMIT_FUNCTION(records, kind, __real_##name(on, context, function))                             \
  }                                                                                                  \
  void __wrap_##name(void *queue, void *context, void (*function)(void *)) {                         \
    if (!TRACED) return __real_##name(queue, context, function);                                     \
    traced_##name(queue, context, function);                                                         \
  }

// A submission to a queue of Swift's pool is a job. In a static binary, jobs are recorded one by one elsewhere.
#ifdef GCDLAB_PRELOADED
#define JOB_OR(on, how)                             \
  bool is_job = TRACED && is_swift(on);             \
  void *queue = is_job ? NULL : on;                 \
  unsigned kind = is_job ? GCDLAB_TRACE_JOB : (how); \
  bool records = true;
#else
#define JOB_OR(on, how)       \
  void *queue = on;           \
  unsigned kind = how;        \
  bool records = TRACED && !is_swift(on);
#endif

ASYNC_BLOCK(dispatch_async, GCDLAB_TRACE_ASYNC)
ASYNC_BLOCK(dispatch_barrier_async, GCDLAB_TRACE_ASYNC | GCDLAB_TRACE_BARRIER)
ASYNC_FUNCTION(dispatch_async_f, GCDLAB_TRACE_ASYNC)
ASYNC_FUNCTION(dispatch_barrier_async_f, GCDLAB_TRACE_ASYNC | GCDLAB_TRACE_BARRIER)

// Calls that wait, and what they wait for.
#define INSIDE(reason, on, call_real)                               \
  struct outer outer = {self.inside, self.why, self.queue};         \
  self.inside = true;                                               \
  self.queue = on;                                                  \
  self.why = (reason) + 1;                                          \
  call_real;                                                        \
  self.inside = outer.inside;                                       \
  self.queue = outer.queue;                                         \
  self.why = outer.why;

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
    struct call call = {submitting(queue, how, 0).number, queue, context, function, how};           \
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
void __wrap_dispatch_group_async_f(void *group, void *queue, void *context, function function) {
  SUBMIT_FUNCTION(true, GCDLAB_TRACE_ASYNC, __real_dispatch_group_async_f(group, queue, context, function))
}
extern void __real_dispatch_group_notify_f(void *group, void *queue, void *context, function f) WEAK;
void __wrap_dispatch_group_notify_f(void *group, void *queue, void *context, function function) {
  SUBMIT_FUNCTION(true, GCDLAB_TRACE_NOTIFY, __real_dispatch_group_notify_f(group, queue, context, function))
}
extern void __real_dispatch_after_f(uint64_t when, void *queue, void *context, function f) WEAK;
void __wrap_dispatch_after_f(uint64_t when, void *on, void *context, function function) {
  JOB_OR(on, GCDLAB_TRACE_AFTER)
  SUBMIT_FUNCTION(records, kind, __real_dispatch_after_f(when, on, context, function))
}

// Parallel loops: all iterations are submitted at once, each with a number.

static void iterate(struct block *block, size_t index) {
  uint64_t number = block->number + index;
  struct outer outer = begin(number, block->queue, GCDLAB_TRACE_APPLY);
  ((void (*)(struct block *, size_t))block->inner->invoke)(block->inner, index);
  end(number, outer);
}
extern void __real_dispatch_apply(size_t count, void *queue, void *block) WEAK;
static __attribute__((noinline)) void traced_apply(size_t count, void *queue, void *block) {
  struct block wrapper = around(block, queue, loops(queue, (uint32_t)count), GCDLAB_TRACE_APPLY);
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
  struct outer outer = begin(loop->number + index, loop->queue, GCDLAB_TRACE_APPLY);
  loop->work(loop->context, index);
  end(loop->number + index, outer);
}
extern void __real_dispatch_apply_f(size_t count, void *queue, void *context, void (*work)(void *, size_t)) WEAK;
static __attribute__((noinline)) void traced_apply_f(size_t count, void *queue, void *context,
                                                     void (*work)(void *, size_t)) {
  struct loop loop = {loops(queue, (uint32_t)count), queue, context, work};
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
// The first word of a queue of each kind.
static void *concurrent = &concurrent_vtable;
extern const char *dispatch_queue_get_label(void *queue) WEAK;

static void *made(void *queue) {
  if (!queue) return queue;
  const char *label = dispatch_queue_get_label(queue);
  bool is_concurrent = *(void **)queue == concurrent;
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
  if (!TRACED) return queue;
  made(queue);
  if (target) record(GCDLAB_TRACE_HOLDS, 0, 0, (uint64_t)queue, (uint64_t)target);
  return queue;
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
    // A default actor has no implementation of an executor. The executors of a program may run jobs at the same time.
    queue_is(identity, implementation ? GCDLAB_TRACE_UNKNOWN : GCDLAB_TRACE_ACTOR, label);
  }
  struct outer outer = begin((uint64_t)job, identity, GCDLAB_TRACE_JOB);
  __real_swift_job_run(job, identity, implementation);
  end((uint64_t)job, outer);
}

// Waits. Only the slow paths are wrapped, in which a thread does have to wait. If one wait is inside another, the outer
// one defines the reason.

// Begins a wait. The owner is the thread that holds the lock or queue that is waited for; 0 if it is not known.
static void waits(enum gcdlab_trace_reason reason, void *queue, uint32_t owner) {
  if (self.waits++ == 0) write_with(&self.pen, GCDLAB_TRACE_WAIT, reason, site(), 0, owner, (uint64_t)queue);
}
static void waited(void) {
  int error = errno;
  if (--self.waits == 0) record(GCDLAB_TRACE_WAITED, 0, 0, 0, 0);
  errno = error;
}
// Returns the reason of a wait: a pool thread that is in no block waits for work.
static enum gcdlab_trace_reason or_work(enum gcdlab_trace_reason reason) {
  if (!self.known) has_room(&self.pen, now());
  return self.is_pool && self.depth == 0 ? GCDLAB_TRACE_WORK : reason;
}
static enum gcdlab_trace_reason inside_or(enum gcdlab_trace_reason reason) { return self.why ? self.why - 1 : reason; }

#define WAIT(type, name, parameters, arguments, reason, queue)  \
  extern type __real_##name parameters WEAK;                    \
  type __wrap_##name parameters {                               \
    if (!TRACING) return __real_##name arguments;               \
    waits(reason, queue, 0);                                       \
    type came = __real_##name arguments;                        \
    waited();                                                   \
    return came;                                                \
  }
#define WAIT_VOID(name, parameters, arguments, reason, queue)   \
  extern void __real_##name parameters WEAK;                    \
  void __wrap_##name parameters {                               \
    if (!TRACING) return __real_##name arguments;               \
    waits(reason, queue, 0);                                       \
    __real_##name arguments;                                    \
    waited();                                                   \
  }

WAIT_VOID(_dispatch_sema4_wait, (void *semaphore), (semaphore), or_work(GCDLAB_TRACE_SEMAPHORE), NULL)
WAIT(bool, _dispatch_sema4_timedwait, (void *semaphore, uint64_t until), (semaphore, until),
     or_work(GCDLAB_TRACE_SEMAPHORE), NULL)
WAIT_VOID(_dispatch_thread_event_wait_slow, (void *event), (event), inside_or(GCDLAB_TRACE_IN_SYNC), self.queue)
WAIT_VOID(_dispatch_once_wait, (void *gate), (gate), GCDLAB_TRACE_ONCE, NULL)
WAIT(int, _dispatch_wait_on_address, (volatile uint32_t *address, uint32_t value, uint64_t until, unsigned flags),
     (address, value, until, flags), GCDLAB_TRACE_GROUP, NULL)
// Returns the reason of a wait for events: a pool thread that waits in this way outside of any block is Dispatch's
// manager.
static enum gcdlab_trace_reason of_manager(void) {
  if (has_room(&self.pen, now()) && self.is_pool && self.depth == 0) strcpy(self.pen.chunk->name, "manager");
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

// Dispatch and Swift's Mutex call the kernel themselves. The word of a Mutex has the thread that holds it.
extern long __real_syscall(long number, long a, long b, long c, long d, long e, long f) WEAK;
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (!TRACING || number != SYS_futex) return __real_syscall(number, a, b, c, d, e, f);
  long operation = b & FUTEX_CMD_MASK;
  if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET && operation != FUTEX_LOCK_PI) {
    return __real_syscall(number, a, b, c, d, e, f);
  }
  uint32_t owner =
      operation == FUTEX_LOCK_PI ? __atomic_load_n((uint32_t *)a, __ATOMIC_RELAXED) & FUTEX_TID_MASK : 0;
  waits(owner ? GCDLAB_TRACE_LOCK : inside_or(GCDLAB_TRACE_LOCK), owner ? NULL : self.queue, owner);
  long result = __real_syscall(number, a, b, c, d, e, f);
  waited();
  return result;
}

#ifdef GCDLAB_PRELOADED

// Calls whose slow path cannot be seen from outside of the library.

WAIT(int, sem_wait, (sem_t *semaphore), (semaphore), or_work(GCDLAB_TRACE_SEMAPHORE), NULL)
WAIT(int, sem_timedwait, (sem_t *semaphore, const struct timespec *until), (semaphore, until),
     or_work(GCDLAB_TRACE_SEMAPHORE), NULL)
WAIT(int, pthread_cond_timedwait, (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until),
     (condition, mutex, until), GCDLAB_TRACE_CONDITION, NULL)
extern int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (!TRACING) return __real_pthread_mutex_lock(mutex);
  int result = pthread_mutex_trylock(mutex);
  if (result != EBUSY) return result;
  waits(GCDLAB_TRACE_LOCK, NULL, (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED));
  result = __real_pthread_mutex_lock(mutex);
  waited();
  return result;
}

#define EXPECTED(type, name, parameters, arguments, reason)   \
  extern type __real_##name parameters;                       \
  type __wrap_##name parameters {                             \
    if (!TRACING) return __real_##name arguments;             \
    INSIDE(reason, NULL, type came = __real_##name arguments) \
    return came;                                              \
  }
EXPECTED(long, dispatch_group_wait, (void *group, uint64_t until), (group, until), GCDLAB_TRACE_GROUP)
EXPECTED(long, dispatch_block_wait, (void *item, uint64_t until), (item, until), GCDLAB_TRACE_GROUP)
// The once's function is the program's: what it calls is recorded.
#define ONCE(name, parameters, arguments)            \
  extern void __real_##name parameters;              \
  void __wrap_##name parameters {                    \
    if (!TRACING) return __real_##name arguments;    \
    uint8_t outer = self.why;                        \
    self.why = GCDLAB_TRACE_ONCE + 1;                \
    __real_##name arguments;                         \
    self.why = outer;                                \
  }
ONCE(dispatch_once, (long *gate, void *block), (gate, block))
ONCE(dispatch_once_f, (long *gate, void *context, void (*function)(void *)), (gate, context, function))

#endif

#ifdef GCDLAB_PROGRAM

// Calls that explain other events.

extern void __real_dispatch_block_cancel(void *item) WEAK;
void __wrap_dispatch_block_cancel(void *item) {
  if (TRACING) record(GCDLAB_TRACE_CANCEL, 0, 0, (uint64_t)item, 0);
  __real_dispatch_block_cancel(item);
}
// Blocks of such a queue may have to wait for something other than a thread.
extern void __real_dispatch_suspend(void *object) WEAK;
void __wrap_dispatch_suspend(void *object) {
  if (TRACED) record(GCDLAB_TRACE_HOLDS, 0, 0, (uint64_t)object, 0);
  __real_dispatch_suspend(object);
}
extern void __real_dispatch_set_target_queue(void *object, void *target) WEAK;
void __wrap_dispatch_set_target_queue(void *object, void *target) {
  if (TRACED) record(GCDLAB_TRACE_HOLDS, 0, 0, (uint64_t)object, (uint64_t)target);
  __real_dispatch_set_target_queue(object, target);
}

#endif

// Beginning and ending.

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

void gcdlab_trace_stop(int descriptor) {
  struct trace_file *written = mmap(NULL, sizeof *written, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (written == MAP_FAILED) return;
  __atomic_store_n(&written->stops, true, __ATOMIC_RELEASE);
  munmap(written, sizeof *written);
}

int gcdlab_trace_create(bool recycles) {
  int descriptor = memfd_create("gcdlab-trace", MFD_CLOEXEC);
  if (descriptor >= 0 && ftruncate(descriptor, sizeof(struct trace_file)) != 0) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  if (descriptor >= 0 && recycles &&
      pwrite(descriptor, &recycles, sizeof recycles, offsetof(struct trace_file, recycles)) < 0) {
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
        chunk->thread, chunk->image, (uint32_t)found, {.time = chunk->events[0].time, .kind = GCDLAB_TRACE_THREAD}};
    memcpy(&name->event.a, chunk->name, 8);
    memcpy(&name->event.b, chunk->name + 8, 8);
    found++;
    for (uint32_t e = 0; e < EVENTS; e++) {
      if (__atomic_load_n(&chunk->events[e].kind, __ATOMIC_ACQUIRE) == GCDLAB_TRACE_NONE) break;
      events[found] = (struct gcdlab_traced){chunk->thread, chunk->image, (uint32_t)found, chunk->events[e]};
      found++;
    }
  }
  *loss = written->loss;
  munmap(written, sizeof *written);
  if (events) qsort(events, found, sizeof *events, earlier);
  *count = found;
  return events;
}

// Ends the record in a child. A child that has not called exec is recorded as its own program, if at all.
static void forked(void) {
  memset(&self, 0, sizeof self);
  tracing = false;
}

extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags) WEAK;
extern struct anything _dispatch_main_q WEAK;

#ifdef GCDLAB_PROGRAM
// What is weak here may be missing in a static program.
#ifdef GCDLAB_LINKED
#pragma weak _dl_find_object
#pragma weak _Unwind_GetIP
#pragma weak _Unwind_GetCFA
#pragma weak _Unwind_Backtrace
#define FIND(name) &name
#else
#define FIND(name) dlsym(RTLD_DEFAULT, #name)
#endif
// Finds the functions that stacks are walked with.
static void prepare_stacks(void) {
  *(void **)&find_object = FIND(_dl_find_object);
  first_stack = (uintptr_t)environ;
#ifdef __x86_64__
  *(void **)&frame_call = FIND(_Unwind_GetIP);
  *(void **)&frame_end = FIND(_Unwind_GetCFA);
  if (frame_call && frame_end) *(void **)&unwind = FIND(_Unwind_Backtrace);
#endif
}
#else
static void prepare_stacks(void) {}
#endif

#ifdef GCDLAB_PRELOADED
extern struct anything _dispatch_queue_attr_concurrent WEAK;
extern void dispatch_release(void *object) WEAK;

bool gcdlab_trace_sees_calls(void) {
  return &dispatch_get_global_queue && &dispatch_release && &_NSConcreteStackBlock && &_dispatch_main_q;
}

// Learns the kinds of queues. A queue's kind cannot be asked for: it is compared with that of queues that are created
// here.
static void learn(void) {
  void *queue = __real_dispatch_queue_create("gcdlab", &_dispatch_queue_attr_concurrent);
  concurrent = queue ? *(void **)queue : NULL;
  if (queue) dispatch_release(queue);
}
#else
// Slow paths are visible only where Dispatch itself is linked statically.
bool gcdlab_trace_sees_calls(void) {
  return &__real_dispatch_async && &__real_dispatch_sync && &__real__dispatch_sema4_wait;
}
static void learn(void) {}
#endif

int gcdlab_trace_begin(int descriptor, const char *name) {
  // Another version of the lab may have made the file.
  if (lseek(descriptor, 0, SEEK_END) != sizeof(struct trace_file)) return EINVAL;
  void *memory = mmap(NULL, sizeof(struct trace_file), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return errno;
  file = memory;
  image = __atomic_fetch_add(&file->images, 1, __ATOMIC_RELAXED) + 1;
  int error = file->recycles ? pthread_key_create(&leaves, thread_ends) : 0;
  if (!error) error = pthread_atfork(NULL, NULL, forked);
  if (error) return error;
  learn();
  prepare_stacks();
  explain(GCDLAB_TRACE_IMAGE, 0, (uint64_t)getpid(), name, 64);
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
