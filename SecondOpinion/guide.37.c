// guide.37, always: one signal frees one waiter. Tried: eight threads wait; after each signal, once no thread moves any
// more, exactly one more must have come through. Told by the kernel's count of sleeping threads, not by time alone.
// Broken: each signal is given twice.
#include "probe.h"

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
    // This thread is awake as it looks: all others must sleep, and no new switch of theirs be counted.
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

int main(int count, char **words) {
  probe(count, words);
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
  say("guide.37", exact == signals ? HOLDS : FAILS,
      "exactly one more of %d waiters came through after %d of %d signals", WAITERS, exact, signals);
}
