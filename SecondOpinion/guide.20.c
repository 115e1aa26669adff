// guide.20, usually: many serial queues are the wrong way to run many tasks at once.
// Tried in rounds: 400 tasks, each on its own serial queue or all on the global queue. The tasks compute for 20 us, or
// sleep for 2 ms. The sentence holds if separate queues cost more processor time for the computing tasks and more time
// for the sleeping tasks. (For computing tasks the elapsed time is not compared, since many threads get a larger share
// of the cores if other processes are busy.)
// Broken: the two ways are swapped.
#include "program.h"

enum { TASKS = 400, ROUNDS = 9 };

static double took(bool own, bool sleeping) {
  clockid_t clock = sleeping ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
  dispatch_group_t group = dispatch_group_create();
  double start = at(clock);
  for (int i = 0; i < TASKS; i++) {
    dispatch_queue_t queue = own != broken ? dispatch_queue_create("own", NULL) : dispatch_get_global_queue(0, 0);
    dispatch_group_async(group, queue, ^{
      if (sleeping) rest(0.002);
      else
        for (double end = busy() + 0.00002; busy() < end;) {}
    });
  }
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  return at(clock) - start;
}

int main(int count, char **words) {
  begin_program(count, words);
  int slower[2] = {0};
  double total[2][2] = {{0}};
  for (int r = 0; r < ROUNDS; r++)
    for (int sleeping = 0; sleeping < 2; sleeping++) {
      double own = took(true, sleeping), global = took(false, sleeping);
      slower[sleeping] += own > global;
      total[sleeping][0] += own * 1e3 / ROUNDS;
      total[sleeping][1] += global * 1e3 / ROUNDS;
    }
  const char *computing = usually(slower[0], ROUNDS), *sleeping = usually(slower[1], ROUNDS);
  bool wrong = computing[0] == 'h', right = sleeping[0] == 'f';
  say("guide.20", wrong && right ? PARTLY : wrong && sleeping[0] == 'h' ? HOLDS : computing[0] == 'f' ? FAILS : OPEN,
      "on own queues computing cost more in %d of %d rounds (%.1f ms of processor time, global %.1f), sleeping took longer "
      "in %d (%.1f ms, global %.1f)",
      slower[0], ROUNDS, total[0][0], total[0][1], slower[1], total[1][0], total[1][1]);
}
