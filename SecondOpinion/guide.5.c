// guide.5, usually: a queue is cheaper than a lock, contended and uncontended.
// Tried in rounds: dispatch_sync_f and a pthread mutex protect an addition. Either one thread works beside a sleeping
// thread, or two threads work at once. The processor time of the working threads is compared. Differences below a tenth
// are ignored.
// Broken: the two are swapped.
#include "program.h"

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
  begin_program(count, words);
  queue = dispatch_queue_create("guards", NULL);
  pthread_t second;
  pthread_create(&second, NULL, sleeper, NULL);  // glibc's mutex is cheaper in a process with one thread.
  int cheaper[2] = {0}, dearer[2] = {0};
  double ours[2] = {0}, theirs[2] = {0};
  for (int r = 0; r < ROUNDS; r++)
    for (int contended = 0; contended < 2; contended++) {
      int parties = contended + 1, times = contended ? 5000 : 50000;
      double by_queue = cost(true, parties, times), by_lock = cost(false, parties, times);
      cheaper[contended] += by_queue < by_lock * 0.9;
      dearer[contended] += by_queue > by_lock * 1.1;
      ours[contended] += by_queue / ROUNDS / (parties * times) * 1e9;
      theirs[contended] += by_lock / ROUNDS / (parties * times) * 1e9;
    }
  const char *alone = usually(cheaper[0], cheaper[0] + dearer[0]), *both = usually(cheaper[1], cheaper[1] + dearer[1]);
  const char *verdict = alone[0] == both[0] ? alone : PARTLY;
  if (alone[0] == 'o' || both[0] == 'o') verdict = alone[0] == 'f' || both[0] == 'f' ? FAILS : OPEN;
  say("guide.5", verdict,
      "uncontended: cheaper than a mutex in %d, more expensive in %d of %d rounds (%.1f and %.1f ns); contended: %d, %d "
      "(%.0f and %.0f ns)",
      cheaper[0], dearer[0], ROUNDS, ours[0], theirs[0], cheaper[1], dearer[1], ours[1], theirs[1]);
}
