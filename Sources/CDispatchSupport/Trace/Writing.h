// Writes events into the file, and stores the state of each thread.
//
// All other files of the recorder call these functions, on every recorded thread. The functions take no lock, allocate
// no memory, and make system calls only for the time of an event and when a thread takes a chunk.
#pragma once
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "File.h"

static bool tracing;
static struct trace_file *file;
static uint32_t image;

#define WEAK __attribute__((weak))
#define TRACING __builtin_expect(__atomic_load_n(&tracing, __ATOMIC_RELAXED), 0)
// Whether a call is recorded. Calls that libdispatch.so makes to its own public functions are not recorded.
#define TRACED (TRACING && !self.inside)

// The write position of a thread in a chunk.
struct pen {
  struct chunk *chunk;
  uint32_t used;
};

// The recorder's state of a thread.
struct thread {
  // `pen` is the write position for events of blocks and waits. `keeps` is the write position for events that describe
  // blocks and waits; these events are never dropped.
  struct pen pen, keeps;
  // Whether the thread is in a call of Dispatch. Calls inside this call are not the program's own calls.
  bool inside;
  bool known, is_pool, has_ended;
  // The reason, plus 1, of any wait inside the current call of Dispatch; 0 outside of such a call.
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

// Counts the events of a chunk as lost, and clears the events.
static void lose(struct chunk *chunk) {
  struct gcdlab_trace_loss *loss = &file->loss;
  uint32_t events = 0;
  while (events < EVENTS && chunk->events[events].kind != GCDLAB_TRACE_NONE) events++;
  uint64_t last = events ? chunk->events[events - 1].time : 0, until = __atomic_load_n(&loss->until, __ATOMIC_RELAXED);
  while (until < last &&
         !__atomic_compare_exchange_n(&loss->until, &until, last, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  __atomic_fetch_add(&loss->events, events, __ATOMIC_RELAXED);
  memset(chunk->events, 0, sizeof chunk->events);
}

// Returns the number of a free chunk for this thread, from 1; 0 if no chunk is free.
static uint64_t take(uint64_t time, enum state state) {
  for (uint32_t tries = 0; tries < 2 * CHUNKS; tries++) {
    uint64_t taken = __atomic_fetch_add(&file->chunks, 1, __ATOMIC_RELAXED);
    if (taken >= CHUNKS && !file->recycles) break;
    uint8_t *found = &file->states[taken % CHUNKS], empty = EMPTY, left = LEFT;
    if (__atomic_compare_exchange_n(found, &empty, state, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return taken + 1;
    if (!__atomic_compare_exchange_n(found, &left, state, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) continue;
    lose(&file->chunk[taken % CHUNKS]);
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

static pthread_key_t leaves;
// Ends the thread's record. The chunk with the events that describe the thread's blocks and waits is not reused.
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
    // Dispatch names its threads. In some versions of Dispatch, the name contains the QoS class of the thread.
    self.is_pool = strncmp(chunk->name, "DispatchWorker", 14) == 0 || strstr(chunk->name, "-qos");
    if (file->recycles) pthread_setspecific(leaves, &self);
  }
  if (self.is_pool) strcpy(chunk->name, "pool");
  pen->chunk = chunk;
  pen->used = 0;
  return true;
}

// Determines whether the calling thread is a pool thread, if the answer is not known yet.
static void know(void) {
  if (!self.known) has_room(&self.pen, now());
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
  // The kind is written last. An event without a kind is not valid, for example if the thread was killed while it wrote
  // the event.
  __atomic_store_n(&event->kind, (uint8_t)kind, __ATOMIC_RELEASE);
  return event;
}

static void record(enum gcdlab_trace_kind kind, unsigned how, uint32_t count, uint64_t a, uint64_t b) {
  write_with(&self.pen, kind, how, 0, count, a, b);
}

// Records an event that describes other events, with at most `most` bytes of a text.
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
