// guide.37, always: one signal wakes one waiter.
// Tried: eight threads wait. After each signal, exactly one more thread must have returned from its wait, once no
// thread runs any more. The kernel reports whether all threads sleep, so the test does not depend on time alone. Then
// one thread waits, and another thread signals and waits again at once, up to 500 times. If the second thread returns
// from its wait while the first still sleeps, the signal woke no waiter.
// Broken: each signal is sent twice, and the signalling thread lets the other thread go first.
#include "program.h"

static dispatch_semaphore_t semaphore;
static atomic_int through;
static void *waiter(void *nothing) {
  wait_for(semaphore);
  through++;
  rest(100);
  return nothing;
}

static void settle(void) {
  long switches, last = -1;
  for (int still = 0; still < 3; rest(0.002)) {
    // The calling thread is awake. All other threads must sleep, and their number of context switches must not change.
    long sum = 0;
    bool all = true;
    char path[300], line[256], state;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
      if (task->d_name[0] == '.' || atoi(task->d_name) == getpid()) continue;
      snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
      FILE *status = fopen(path, "r");
      while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "State: %c", &state) == 1) all = all && state == 'S';
        if (strstr(line, "_ctxt_switches:") && sscanf(strchr(line, ':'), ": %ld", &switches) == 1) sum += switches;
      }
      if (status) fclose(status);
    }
    if (tasks) closedir(tasks);
    still = all && sum == last ? still + 1 : 0;
    last = sum;
  }
}

typedef struct {
  dispatch_semaphore_t semaphore;
  atomic_int waited, again;
} Pair;
static void *first(void *it) {
  Pair *pair = it;
  wait_for(pair->semaphore);
  pair->waited = 1;
  return NULL;
}
static void *second(void *it) {
  Pair *pair = it;
  dispatch_semaphore_signal(pair->semaphore);
  while (broken && !pair->waited) sched_yield();
  wait_for(pair->semaphore);
  pair->again = 1;
  return NULL;
}

// Returns whether the signalling thread returned from its wait and the thread that waited first did not.
static bool overtaken(void) {
  Pair pair = {.semaphore = dispatch_semaphore_create(0)};
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, &pair);
  settle();
  pthread_create(&threads[1], NULL, second, &pair);
  settle();
  bool is = pair.again && !pair.waited;
  dispatch_semaphore_signal(pair.semaphore);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  dispatch_release(pair.semaphore);
  return is;
}

int main(int count, char **words) {
  begin_program(count, words);
  enum { WAITERS = 8 };
  semaphore = dispatch_semaphore_create(0);
  int exact = 0, signals = 0;
  for (int i = 0; i < WAITERS; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
  }
  settle();
  for (int i = 0; i < WAITERS; i++, signals++) {
    int before = through;
    dispatch_semaphore_signal(semaphore);
    if (broken) dispatch_semaphore_signal(semaphore);
    settle();
    exact += through == before + 1;
  }
  int tried = 0;
  bool is = false;
  for (; tried < (broken ? 20 : 500) && !is; tried++) is = overtaken();
  say("guide.37", exact != signals ? FAILS : is ? PARTLY : HOLDS,
      "exactly one more of %d waiters returned after %d of %d signals; the signalling thread returned in place of the "
      "waiting thread %s %d signals",
      WAITERS, exact, signals, is ? "in the last of" : "in none of", tried);
}
