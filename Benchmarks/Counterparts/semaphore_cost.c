// The C counterpart of Sources/Patterns/Semaphores/SemaphoreCost.swift: a wait-signal pair, uncontended and contended.
//
// usage: semaphore_cost dispatch|posix|system-v|pthread-condition|mutex [batch [threads [pairs [hold-steps]]]]
// Prints `uncontended X` for each of 30 batches, the time for one pair, and `contended X`, the elapsed time divided by
// the number of all pairs; in nanoseconds.
//
// The process has more than one thread, as a worker of the lab has, since glibc's locks are cheaper in a process with
// one thread.
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

#include "counterpart.h"

enum { BATCHES = 30 };

static dispatch_semaphore_t dispatch;
static sem_t posix;
static int system_v;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int permits = 1;

static inline void change(short by) {
  struct sembuf change = {.sem_op = by};
  semop(system_v, &change, 1);
}

static inline void condition_take(void) {
  pthread_mutex_lock(&mutex);
  while (permits == 0) pthread_cond_wait(&condition, &mutex);
  permits--;
  pthread_mutex_unlock(&mutex);
}

static inline void condition_give(void) {
  pthread_mutex_lock(&mutex);
  permits++;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}

static uint64_t pairs = 2000, steps;
static _Atomic int arrived;
static int parties;
static _Atomic uint64_t number;

static void meet(void) {
  arrived++;
  while (arrived < parties) {}
}

static inline void update(void) {
  uint64_t before = atomic_load_explicit(&number, memory_order_relaxed);
  run_steps(steps, 1);
  atomic_store_explicit(&number, before + 1, memory_order_relaxed);
}

// Defines separate functions for each variant, so that the loop makes no call through a pointer.
#define WAY(name, take, give)                              \
  static void name##_free(uint64_t batch) {                \
    for (int i = -1; i < BATCHES; i++) {                   \
      uint64_t start = now();                              \
      for (uint64_t j = 0; j < batch; j++) {               \
        take;                                              \
        give;                                              \
      }                                                    \
      uint64_t took = now() - start;                       \
      if (i >= 0) printf("uncontended %.3f\n", (double)took / (double)batch); \
    }                                                      \
  }                                                        \
  static void *name##_contender(void *unused) {            \
    meet();                                                \
    for (uint64_t i = 0; i < pairs; i++) {                 \
      take;                                                \
      update();                                            \
      give;                                                \
    }                                                      \
    return unused;                                         \
  }

WAY(dispatch, dispatch_semaphore_wait(dispatch, DISPATCH_TIME_FOREVER), dispatch_semaphore_signal(dispatch))
WAY(posix, sem_wait(&posix), sem_post(&posix))
WAY(system_v, change(-1), change(1))
WAY(condition, condition_take(), condition_give())
WAY(mutex, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex))

static const struct way {
  const char *name;
  void (*free)(uint64_t batch);
  void *(*contender)(void *unused);
} ways[] = {{"dispatch", dispatch_free, dispatch_contender},
            {"posix", posix_free, posix_contender},
            {"system-v", system_v_free, system_v_contender},
            {"pthread-condition", condition_free, condition_contender},
            {"mutex", mutex_free, mutex_contender}};

static void *idle(void *unused) {
  pause();
  return unused;
}

int main(int count, char **arguments) {
  const struct way *way = NULL;
  for (size_t i = 0; count > 1 && i < sizeof ways / sizeof *ways; i++) {
    if (!strcmp(arguments[1], ways[i].name)) way = &ways[i];
  }
  if (way == NULL) return 64;
  uint64_t batch = count > 2 ? strtoull(arguments[2], NULL, 10) : 1000;
  int threads = count > 3 ? atoi(arguments[3]) : 2;
  if (count > 4) pairs = strtoull(arguments[4], NULL, 10);
  if (count > 5) steps = strtoull(arguments[5], NULL, 10);

  pthread_t other;
  pthread_create(&other, NULL, idle, NULL);
  dispatch = dispatch_semaphore_create(1);
  sem_init(&posix, 0, 1);
  system_v = semget(IPC_PRIVATE, 1, 0600);
  if (system_v < 0) return perror("semget"), 2;
  change(1);

  way->free(batch);

  parties = threads + 1;
  pthread_t *contenders = calloc((size_t)threads, sizeof *contenders);
  for (int i = 0; i < threads; i++) pthread_create(&contenders[i], NULL, way->contender, NULL);
  uint64_t start = now();
  meet();
  for (int i = 0; i < threads; i++) pthread_join(contenders[i], NULL);
  printf("contended %.3f\n", (double)(now() - start) / (double)(pairs * (uint64_t)threads));
  semctl(system_v, 0, IPC_RMID);
  return number == pairs * (uint64_t)threads ? 0 : 1;
}
