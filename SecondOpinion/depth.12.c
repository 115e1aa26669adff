// depth.12, always: waiting for a group blocks the calling thread until all tasks are done or the time has passed.
// depth.13, always: if the time has passed, the wait reports the timeout.
// depth.15, always: after the wait, all tasks have completed or the wait has timed out.
// Tried: the kernel reports the state of the waiting thread. Some waits of 10 ms are for a group that does not end.
// Other waits race with the last leave; if such a wait reports success, every task must be done.
// Broken: the group is left before its task has run.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
  int asleep_while = 0, early = 0, reported = 0, unfinished = 0, succeeded = 0, races = 100 * tries;
  for (int r = 0; r < tries; r++) {
    dispatch_group_t group = dispatch_group_create();
    atomic_int *done = calloc(1, sizeof(atomic_int));
    pid_t waiting = (pid_t)syscall(SYS_gettid);
    __block char state = '?';
    dispatch_group_enter(group);
    if (broken) dispatch_group_leave(group);
    dispatch_async(queue, ^{
      char path[64], line[256];
      for (int i = 0; i < 100 && state != 'S' && !broken; i++) {
        rest(0.002);
        snprintf(path, sizeof path, "/proc/self/task/%d/stat", waiting);
        FILE *stat = fopen(path, "r");
        if (stat && fgets(line, sizeof line, stat)) state = strrchr(line, ')')[2];
        if (stat) fclose(stat);
      }
      *done = 1;
      if (!broken) dispatch_group_leave(group);
    });
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    early += !*done;
    asleep_while += state == 'S';
    dispatch_group_t never = dispatch_group_create();
    dispatch_group_enter(never);
    if (broken) dispatch_group_leave(never);
    double start = now();
    long result = dispatch_group_wait(never, dispatch_time(DISPATCH_TIME_NOW, 10000000));
    reported += result != 0 && now() - start >= 0.00999;
  }
  for (int r = 0; r < races; r++) {
    dispatch_group_t group = dispatch_group_create();
    atomic_int *done = calloc(1, sizeof(atomic_int));
    for (int i = 0; i < 4; i++) {
      dispatch_group_enter(group);
      dispatch_async(queue, ^{
        if (broken) dispatch_group_leave(group);
        spin(0.000002 * (r % 10));
        done[0]++;
        if (!broken) dispatch_group_leave(group);
      });
    }
    if (dispatch_group_wait(group, dispatch_time(DISPATCH_TIME_NOW, 10000)) == 0) {
      succeeded++;
      unfinished += *done < 4;
    }
    while (*done < 4) sched_yield();
  }
  say("depth.12", asleep_while == tries && !early && reported == tries ? HOLDS : FAILS,
      "the waiting thread slept in %d of %d, returned early in %d, timed out on time in %d", asleep_while, tries, early,
      reported);
  say("depth.13", reported == tries ? HOLDS : FAILS, "reported %d of %d", reported, tries);
  say("depth.15", unfinished || early ? FAILS : HOLDS,
      "%d waits raced with the last leave, %d reported success, of which %d had unfinished tasks", races, succeeded,
      unfinished);
}
