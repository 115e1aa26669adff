// The natural check-then-act race of the pattern singleton-race in C: threads are released together into a stride of
// empty slots and create an instance wherever they find none. Each notes what it created and what it got, and both are
// looked at afterwards.
//
// usage: singleton_race actors slots milliseconds
// prints `race-rate`, `duplicate-rate`, `races`, `duplicates`, `mismatches` and `irregular`, counting included in the time.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "counterpart.h"

// What is created: an allocation with one property, as the lab's.
struct object {
  _Atomic(void *) photos;
};

// Two cache lines each, as in RaceTrack: neighbours on one line would slow each other down and narrow the race.
struct slot {
  _Alignas(128) _Atomic(struct object *) instance;
};

static long actors, slots;
static uint64_t deadline;
static struct slot *track;
// What an actor created and what it got.
struct note {
  struct object *created, *got;
};

static struct note *notes;  // Each actor's at each slot: actor * slots + slot.
static atomic_long arrived, generation;
static atomic_bool finished;
static atomic_ulong races, duplicates, mismatches, irregular;

static void rendezvous(void) {
  long mine = atomic_load_explicit(&generation, memory_order_acquire);
  if (atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel) + 1 == actors) {
    atomic_store_explicit(&arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&generation, mine + 1, memory_order_release);
    return;
  }
  for (unsigned spins = 1; atomic_load_explicit(&generation, memory_order_acquire) == mine; spins++) {
    if ((spins & 0xffff) == 0) sched_yield();  // As SpinBarrier does.
  }
}

static struct object *create(void) {
  struct object *object = malloc(sizeof *object);
  if (!object) abort();
  atomic_init(&object->photos, NULL);
  return object;
}

static void destroy(struct object *object) {
  void *photos = atomic_load_explicit(&object->photos, memory_order_relaxed);
  if (photos) free(photos);
  free(object);
}

static struct object *check_then_act(struct slot *slot, struct note *note) {
  if (!atomic_load_explicit(&slot->instance, memory_order_relaxed)) {
    struct object *instance = create();
    note->created = instance;
    atomic_store_explicit(&slot->instance, instance, memory_order_relaxed);
  }
  return atomic_load_explicit(&slot->instance, memory_order_relaxed);
}

// One core an actor, as RaceTrack does: on one and the same core nothing races.
static void prefer_core(long index) {
  cpu_set_t allowed, only;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) == 0) return;
  long wanted = index % CPU_COUNT(&allowed);
  int core = 0;
  while (!CPU_ISSET(core, &allowed) || wanted-- > 0) core++;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  sched_setaffinity(0, sizeof only, &only);
}

static void *act(void *argument) {
  long actor = (long)(intptr_t)argument;
  prefer_core(actor);
  // How many races ended with so many instances.
  unsigned long ended[65] = {0}, my_mismatches = 0, my_regular = 0;
  do {
    rendezvous();
    for (long i = 0; i < slots; i++) {
      struct note *note = notes + actor * slots + i;
      note->got = check_then_act(track + i, note);
    }
    rendezvous();
    for (long i = slots * actor / actors, end = slots * (actor + 1) / actors; i < end; i++) {
      struct note *note = notes + i;
      struct object *first = note->got, *one = NULL;
      unsigned long instances = 0, strays = 0;
      for (long other = 0; other < actors; other++, note += slots) {
        if (note->created) {
          instances++;
          one = note->created;
        }
        if (!note->got || note->got != first) strays++;
      }
      ended[instances]++;
      my_mismatches += strays;
      if (instances == 1 && strays == 0 && first == one) my_regular++;
      atomic_store_explicit(&track[i].instance, NULL, memory_order_relaxed);
    }
    if (actor == 0 && now() >= deadline) atomic_store_explicit(&finished, 1, memory_order_relaxed);
    rendezvous();
    // Each its own, as RaceTrack does.
    struct note *mine = notes + actor * slots;
    for (long i = 0; i < slots; i++) {
      if (!mine[i].created) continue;
      destroy(mine[i].created);
      mine[i].created = NULL;
    }
  } while (!atomic_load_explicit(&finished, memory_order_relaxed));
  unsigned long my_races = 0;
  for (long instances = 0; instances <= actors; instances++) {
    my_races += ended[instances];
    if (instances > 1) atomic_fetch_add(&duplicates, (unsigned long)(instances - 1) * ended[instances]);
  }
  atomic_fetch_add(&races, my_races);
  atomic_fetch_add(&mismatches, my_mismatches);
  atomic_fetch_add(&irregular, my_races - my_regular);
  return NULL;
}

int main(int argc, char **argv) {
  long milliseconds = 0;
  if (argc == 4) {
    actors = strtol(argv[1], NULL, 10);
    slots = strtol(argv[2], NULL, 10);
    milliseconds = strtol(argv[3], NULL, 10);
  }
  if (actors < 2 || actors > 64 || slots < 1 || milliseconds < 1) {
    return fprintf(stderr, "usage: %s actors slots milliseconds\n", argv[0]), 64;
  }
  track = aligned_alloc(_Alignof(struct slot), (size_t)slots * sizeof *track);
  notes = calloc((size_t)(actors * slots), sizeof *notes);
  if (!track || !notes) return perror("malloc"), 2;
  for (long i = 0; i < slots; i++) atomic_init(&track[i].instance, NULL);

  uint64_t start = now();
  deadline = start + (uint64_t)milliseconds * 1000000;
  pthread_t threads[64];
  for (long i = 0; i < actors; i++) {
    if (pthread_create(&threads[i], NULL, act, (void *)(intptr_t)i) != 0) return perror("pthread_create"), 2;
  }
  for (long i = 0; i < actors; i++) pthread_join(threads[i], NULL);
  double seconds = (double)(now() - start) / 1e9;
  printf("race-rate %.0f\nduplicate-rate %.0f\n", (double)races / seconds, (double)duplicates / seconds);
  printf("races %lu\nduplicates %lu\n", (unsigned long)races, (unsigned long)duplicates);
  printf("mismatches %lu\nirregular %lu\n", (unsigned long)mismatches, (unsigned long)irregular);
  return 0;
}
