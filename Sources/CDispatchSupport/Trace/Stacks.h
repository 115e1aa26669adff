// Determines the location of a call by a walk of the thread's stack, and records each stack once.
//
// The wrappers call site() on the thread that makes the call. site() allocates no memory, and takes no lock except in
// the case that Frames.h describes. In the lab itself, site() returns 0, since the locations of calls in trials are not
// needed.
#pragma once
#include "Writing.h"

#ifndef GCDLAB_PROGRAM

static uint16_t site(void) { return 0; }
static void prepare_stacks(void) {}

#else

#include <link.h>

#include "Frames.h"

enum { SITES = 1 << 14, DEPTH = 16, MODULES = 512 };
// The recorded stacks, by their hashes. A stack's number is its index in this table.
static uint64_t sites[SITES];
static const struct link_map *modules[MODULES];
// A function of glibc 2.35 that finds the file of an address without a lock.
static int (*find_object)(void *address, struct dl_find_object *found);
#ifdef GCDLAB_LINKED
#pragma weak _dl_find_object
#endif
// An address above all frames of the first thread's stack.
static uintptr_t first_stack;
// The beginning and the end of the recorder's section, which the linker defines.
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

// The stacks that the thread has walked most recently.
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
    // An address outside of all files is not a return address. The frames from this address on are not valid.
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

// Walks the stack of the calling thread, and returns the stack's number; 0 if the stack is not known. The end of the
// stack is known for the first thread, and for threads of the C library. The C library places its data at the end of a
// thread's stack. No memory outside the stack is read.
static __attribute__((noinline)) uint16_t site(void) {
  if (!find_object) return 0;
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0), end = (uintptr_t)pthread_self();
  if (frame < first_stack && first_stack - frame < 64 << 20) end = first_stack;
  else if (frame > end || end - frame > (uintptr_t)1 << 30) return 0;
  // Stacks with the same calls at the same addresses are equal.
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

// Looks up the functions that are needed to walk stacks.
static void prepare_stacks(void) {
  *(void **)&find_object = FIND(_dl_find_object);
  first_stack = (uintptr_t)environ;
  prepare_frames();
}

#endif
