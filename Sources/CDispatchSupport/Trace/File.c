// The lab's side of a trace, which creates the file, ends the record, and reads the events.
//
// Recorder.swift calls these functions in the lab, on any thread. The functions may allocate memory, since no recorded
// program contains these functions.
#ifdef __linux__

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // memfd_create
#endif
#include "File.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int gcdlab_trace_create(bool recycles) {
  int descriptor = memfd_create("gcdlab-trace", MFD_CLOEXEC);
  if (descriptor < 0) return -1;
  size_t place = offsetof(struct trace_file, recycles);
  if (ftruncate(descriptor, sizeof(struct trace_file)) == 0 &&
      (!recycles || pwrite(descriptor, &recycles, sizeof recycles, place) >= 0)) {
    return descriptor;
  }
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

void gcdlab_trace_stop(int descriptor) {
  struct trace_file *written = mmap(NULL, sizeof *written, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (written == MAP_FAILED) return;
  __atomic_store_n(&written->stops, true, __ATOMIC_RELEASE);
  munmap(written, sizeof *written);
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
    struct gcdlab_trace_event name = {.time = chunk->events[0].time, .kind = GCDLAB_TRACE_THREAD};
    memcpy(&name.a, chunk->name, 8);
    memcpy(&name.b, chunk->name + 8, 8);
    events[found] = (struct gcdlab_traced){chunk->thread, chunk->image, (uint32_t)found, name};
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

#endif
