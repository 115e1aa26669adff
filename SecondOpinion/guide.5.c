// guide.5, usually: a queue is cheaper than a lock, contended and not. Tried in rounds with dispatch_sync_f against a
// pthread mutex that add to one number: by one thread (its processor time) beside one that sleeps, and by two at once
// (processor time of both). Broken: swapped.
#include "probe.h"

enum { ROUNDS = 15 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static dispatch_queue_t queue;
static long number;
static void add(void *nothing) {
  (void)nothing;
  number++;
}

typedef struct {
  bool by_queue;
  int times;
  atomic_int *ready;
  int parties;
  double cost;
} Work;
static void *work(void *context) {
  Work *mine = context;
  atomic_fetch_add(mine->ready, 1);
  while (atomic_load(mine->ready) < mine->parties) sched_yield();
  double start = busy();
  for (int i = 0; i < mine->times; i++) {
    if (mine->by_queue) dispatch_sync_f(queue, NULL, add);
    else {
      pthread_mutex_lock(&mutex);
      add(NULL);
      pthread_mutex_unlock(&mutex);
    }
  }
  mine->cost = busy() - start;
  return NULL;
}

static double cost(bool by_queue, int parties, int times) {
  atomic_int ready = 0;
  Work one = {by_queue != broken, times, &ready, parties, 0}, two = one;
  pthread_t other;
  if (parties == 2) pthread_create(&other, NULL, work, &two);
  work(&one);
  if (parties == 2) pthread_join(other, NULL);
  return one.cost + two.cost;
}

static void *sleeper(void *nothing) {
  rest(100);
  return nothing;
}

int main(int count, char **words) {
  probe(count, words);
  queue = dispatch_queue_create("guards", NULL);
  pthread_t second;
  pthread_create(&second, NULL, sleeper, NULL);  // glibc's mutex is cheaper in a process with one thread.
  int alone = 0, together = 0;
  double ours[2] = {0}, theirs[2] = {0};
  for (int r = 0; r < ROUNDS; r++) {
    double q = cost(true, 1, 50000), l = cost(false, 1, 50000);
    alone += q < l;
    ours[0] += q;
    theirs[0] += l;
    q = cost(true, 2, 5000);
    l = cost(false, 2, 5000);
    together += q < l;
    ours[1] += q;
    theirs[1] += l;
  }
  const char *a = usually(alone, ROUNDS), *b = usually(together, ROUNDS);
  const char *verdict = a[0] == 'o' || b[0] == 'o' ? (a[0] == 'f' || b[0] == 'f' ? FAILS : OPEN)
      : a[0] == b[0]                               ? a
                                                   : PARTLY;
  say("guide.5", verdict,
      "cheaper than a mutex in %d of %d rounds free (%.1f against %.1f ns), in %d of %d contended (%.0f against %.0f "
      "ns)",
      alone, ROUNDS, ours[0] / ROUNDS / 50000 * 1e9, theirs[0] / ROUNDS / 50000 * 1e9, together, ROUNDS,
      ours[1] / ROUNDS / 10000 * 1e9, theirs[1] / ROUNDS / 10000 * 1e9);
}
