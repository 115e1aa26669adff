// Finds callers on the stack.
//
// Stacks.h calls next_call() on the thread that owns the stack. For an unknown function, the compiler's library unwinds
// the stack, which takes microseconds and may take a lock of the loader.
#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unwind.h>

// The address of a function of the C library or of the compiler's library; null if the program lacks the function. A
// static program contains a function only if the linker has added it.
#ifdef GCDLAB_LINKED
#define FIND(name) &name
#else
#define FIND(name) dlsym(RTLD_DEFAULT, #name)
#endif

#ifdef __x86_64__

// A table of the distances in words between the stack slots of a call's return address and of its caller's return
// address. The unwinder determines a distance once for each call, which takes microseconds. With the table, a later
// walk of the stack takes nanoseconds. Frame pointers are not sufficient, since Swift's libraries do not have frame
// pointers. An entry has 48 bits for the address of a call, and 16 bits for the distance. The distance is 0 if no
// caller is known, and OPEN if the distance varies.
enum { HOPS = 1 << 14, LEARNED = 40, OPEN = UINT16_MAX };
static uint64_t hops[HOPS];
static _Unwind_Reason_Code (*unwind)(_Unwind_Trace_Fn each, void *argument);
static uintptr_t (*frame_call)(struct _Unwind_Context *context), (*frame_end)(struct _Unwind_Context *context);
#ifdef GCDLAB_LINKED
#pragma weak _Unwind_GetIP
#pragma weak _Unwind_GetCFA
#pragma weak _Unwind_Backtrace
#endif

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
// Adds a distance to the table. If the table has another distance of the call, the distance varies. An entry is added
// only when its distance is known, since another thread may walk a stack with the same call at the same time.
static void add_hop(uint64_t call, uint64_t words) {
  for (uint64_t *found; (found = hop(call));) {
    uint64_t old = __atomic_load_n(found, __ATOMIC_RELAXED);
    bool varies = words > OPEN || (old & OPEN && words && (old & OPEN) != words);
    uint64_t added = call << 16 | (varies ? OPEN : words ? words : old & OPEN);
    if (__atomic_compare_exchange_n(found, &old, added, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  }
}
static _Unwind_Reason_Code learn_hop(struct _Unwind_Context *context, void *argument) {
  struct learned *last = argument;
  uint64_t call = frame_call(context), place = frame_end(context) - 8;
  if (call == 0) return _URC_END_OF_STACK;
  if (last->call) add_hop(last->call, (place - last->place) / 8);
  last->call = call;
  last->place = place;
  return last->frames++ < LEARNED ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// Returns the stack slot of the caller's return address, or `end` if this slot is not known.
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
    // The table has no distance for this slot: the distance varies, or the call is new.
    if (*has_learned || !unwind) return end;
    *has_learned = true;
    struct learned last = {0};
    unwind(learn_hop, &last);
    if (last.call) add_hop(last.call, 0);
  }
}

static void prepare_frames(void) {
  *(void **)&frame_call = FIND(_Unwind_GetIP);
  *(void **)&frame_end = FIND(_Unwind_GetCFA);
  if (frame_call && frame_end) *(void **)&unwind = FIND(_Unwind_Backtrace);
}

#else

static void prepare_frames(void) {}

static uintptr_t next_call(uintptr_t place, uintptr_t end, bool *has_learned) {
  (void)has_learned;
  // Swift marks the frame pointer of an asynchronous function with bit 60.
  uintptr_t frame = ((uintptr_t *)place)[-1] & ~((uintptr_t)1 << 60);
  return frame + 8 > place && frame % 8 == 0 && frame < end - 16 ? frame + 8 : end;
}

#endif
