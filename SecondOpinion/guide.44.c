// guide.44, usually: threads that serve queues stay busy and do not block.
// Tried: 100 tasks need one serial queue while the queue is held. The tasks are sent to that queue by async, or call
// sync from separate queues. The kernel reports how many threads of the process sleep meanwhile. For 2,000 tasks of 10
// us that are sent by async, the voluntary context switches per task are measured.
// Broken: all tasks lock a mutex on separate queues.
#include "program.h"

static int sleeping(void) {
  int all = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *task; tasks && (task = readdir(tasks));) {
    char path[300], line[256];
    if (task->d_name[0] == '.' || atoi(task->d_name) == getpid()) continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
    FILE *stat = fopen(path, "r");
    if (stat && fgets(line, sizeof line, stat)) all += strrchr(line, ')')[2] == 'S';
    if (stat) fclose(stat);
  }
  if (tasks) closedir(tasks);
  return all;
}

int main(int count, char **words) {
  begin_program(count, words);
  enum { WAITING = 100, WORKING = 2000 };
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  dispatch_queue_t data = dispatch_queue_create("data", NULL);
  dispatch_group_t group = dispatch_group_create();
  atomic_int *over = calloc(2, sizeof(atomic_int));
  if (part) {
    dispatch_group_async(group, data, ^{
      if (broken) pthread_mutex_lock(&mutex);
      over[1] = 1;
      while (!over[0]) {}
      if (broken) pthread_mutex_unlock(&mutex);
    });
    while (!over[1]) sched_yield();
    for (int i = 0; i < WAITING; i++) {
      if (is("async") && !broken) dispatch_group_async(group, data, ^{});
      else
        dispatch_group_async(group, dispatch_queue_create("own", NULL), ^{
          if (broken) {
            pthread_mutex_lock(&mutex);
            pthread_mutex_unlock(&mutex);
          } else dispatch_sync(data, ^{});
        });
    }
    int most = 0;
    for (double end = now() + 0.5; now() < end && most < WAITING; rest(0.01)) {
      int seen = sleeping();
      if (seen > most) most = seen;
    }
    over[0] = 1;
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    tell(most, 0, 0, 0);
    return 0;
  }
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < WORKING; i++) {
    dispatch_queue_t queue = broken ? dispatch_queue_create("own", NULL) : data;
    dispatch_group_async(group, queue, ^{
      if (broken) pthread_mutex_lock(&mutex);
      if (broken) rest(0.00001);
      else spin(0.00001);
      if (broken) pthread_mutex_unlock(&mutex);
    });
  }
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  getrusage(RUSAGE_SELF, &after);
  double switches = (double)(after.ru_nvcsw - before.ru_nvcsw) / WORKING;
  long by_async = attempt("async").sum[0], by_sync = attempt("sync").sum[0];
  // An idle thread also sleeps. Up to three such threads are allowed on average.
  bool busy = switches < 0.5 && by_async <= 3 * tries, blocked = by_sync >= 10 * tries;
  say("guide.44", busy && blocked ? PARTLY : busy ? HOLDS : FAILS,
      "threads asleep while 100 tasks wait for a serial queue: %.1f by async, %.1f by sync; switches per task: %.2f",
      (double)by_async / tries, (double)by_sync / tries, switches);
}
