// The unprotected check-then-act race of the pattern singleton-race in C. Threads start together on a row of empty
// slots, and each thread creates an instance in every slot that it finds empty. Each thread notes the instances that it
// created and that it got, and the notes are examined afterwards.
//
// usage: singleton_race actors slots milliseconds
// Prints `race-rate` and `duplicate-rate` per second, and the counts `races`, `duplicates`, `mismatches` and
// `irregular`. The rates include the time of the counting.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "counterpart.h"

// The object that is created: an allocation with one property, as in the lab.
struct object {
  _Atomic(void *) photos;
};

// Each slot has two cache lines, as in RaceTrack. Slots on the same line would slow each other down, and races would be
// less likely.
struct slot {
  _Alignas(128) _Atomic(struct object *) instance;
};

static long actors, slots;
static uint64_t deadline;
static struct slot *track;
// The instances that an actor created and got in one slot.
struct note {
  struct object *created, *got;
};

static struct note *notes;  // The index of a note is actor * slots + slot.
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
    if ((spins & 0xffff) == 0) sched_yield();  // SpinBarrier does the same.
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

// Confines each actor to its own core, as RaceTrack does. Actors on the same core would not race.
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
  // The number of races by the number of instances that the race created.
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
    // Each actor destroys the instances that it created, as in RaceTrack.
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
