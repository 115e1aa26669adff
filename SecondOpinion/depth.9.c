// depth.9, may: an unguarded singleton can be created twice.
// depth.10, recipe: a pause between the check and the creation forces a second creation.
// depth.11, recipe: a pause between the publication and the set-up shows a half-built object.
// depth.18, may: Dispatch has faster primitives for singletons.
// Tried: two threads that start together, up to 20,000 times without a pause, and then with each pause. For depth.18,
// dispatch_once is compared with a mutex for an object that exists already.
// Broken: dispatch_once creates the object, and the two costs of depth.18 are swapped.
#include "program.h"

typedef struct {
  int *volatile photos;
} Manager;
static Manager *volatile shared;
static atomic_int arrived, checked, looked, made, half;
static dispatch_once_t once;
static bool before, between;

// Pauses for the document's two seconds, or until `done` reaches `count`.
static void pause_until(atomic_int *done, int count) {
  for (double end = now() + (broken ? 0.01 : 2); *done < count && now() < end;) sched_yield();
}

static void create(void) {
  if (before) pause_until(&checked, 2);
  for (int i = 0; i < 4; i++) free(calloc(1, 4096));  // The work of an initializer.
  Manager *new = calloc(1, sizeof *new);
  made++;
  if (broken) new->photos = calloc(1, sizeof(int));
  shared = new;
  if (between) pause_until(&looked, 1);
  if (!broken) new->photos = calloc(1, sizeof(int));
}

static void *ask(void *second) {
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < 2) sched_yield();
  while (second && between && !shared) sched_yield();  // For the second pause, this thread reads after the publication.
  if (broken) dispatch_once(&once, ^{ create(); });
  else {
    bool missing = !shared;
    checked++;
    if (missing) create();
  }
  half += shared->photos == NULL;
  looked++;
  return NULL;
}

static void together(int *twice, int *unfinished) {
  pthread_t other;
  shared = NULL;
  once = arrived = checked = looked = made = half = 0;
  pthread_create(&other, NULL, ask, &other);
  ask(NULL);
  pthread_join(other, NULL);
  *twice += made > 1;
  *unfinished += half > 0;
}

int main(int count, char **words) {
  begin_program(count, words);
  int twice = 0, forced = 0, unfinished = 0, none = 0, natural = 0;
  for (double end = now() + 0.4; now() < end && natural < 20000; natural++) together(&twice, &none);
  before = true;
  for (int i = 0; i < tries; i++) together(&forced, &none);
  before = false;
  between = true;
  for (int i = 0; i < tries; i++) together(&none, &unfinished);
  say("depth.9", twice ? SEEN : NOT_SEEN, "created twice in %d of %d without a pause", twice, natural);
  say("depth.10", forced == tries ? HOLDS : FAILS, "created twice in %d of %d with a pause", forced, tries);
  say("depth.11", unfinished == tries ? HOLDS : FAILS, "half-built in %d of %d with a pause", unfinished, tries);

  static dispatch_once_t done;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int faster = 0;
  enum { ROUNDS = 15, TIMES = 20000 };
  for (int r = 0; r < ROUNDS; r++) {
    double start = busy();
    for (int i = 0; i < TIMES; i++) dispatch_once_f(&done, NULL, (dispatch_function_t)free);
    double ours = busy() - start;
    start = busy();
    for (int i = 0; i < TIMES; i++) {
      pthread_mutex_lock(&mutex);
      if (!shared) create();
      pthread_mutex_unlock(&mutex);
    }
    double mutexes = busy() - start;
    faster += broken ? mutexes < ours : ours < mutexes;
  }
  say("depth.18", faster > 0 && usually(faster, ROUNDS)[0] == 'h' ? SEEN : NOT_SEEN,
      "dispatch_once was cheaper than a mutex in %d of %d rounds", faster, ROUNDS);
}
