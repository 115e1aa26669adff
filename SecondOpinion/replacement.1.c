// replacement.1, usually: notifying a group is more efficient than a semaphore.
// Tried in rounds: the document's form is a notify on the background queue, whose block submits to the main queue. In
// the other form, a block on the background queue waits on a semaphore for each of three tasks, and then does the same.
// The median time of 40 calls, from the end of the last task to the completion, is compared.
// Broken: the two are swapped.
#include "program.h"

enum { CALLS = 40, ROUNDS = 15 };

static int by_time(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(bool notify) {
  double took[CALLS];
  for (int c = 0; c < CALLS; c++) {
    dispatch_queue_t background = dispatch_get_global_queue(INT16_MIN, 0), queue = dispatch_get_global_queue(0, 0);
    dispatch_group_t group = dispatch_group_create();
    dispatch_semaphore_t finished = dispatch_semaphore_create(0), over = dispatch_semaphore_create(0);
    double *ends = calloc(2, sizeof(double));
    atomic_int *left = calloc(1, sizeof(atomic_int));
    *left = 3;
    dispatch_block_t completion = ^{
      dispatch_async(dispatch_get_main_queue(), ^{
        ends[1] = now();
        dispatch_semaphore_signal(over);
      });
    };
    if (!notify)
      dispatch_async(background, ^{
        for (int i = 0; i < 3; i++) wait_for(finished);
        completion();
      });
    for (int i = 0; i < 3; i++) {
      if (notify) dispatch_group_enter(group);
      dispatch_async(queue, ^{
        spin(0.0001);
        if (--left[0] == 0) ends[0] = now();
        if (notify) dispatch_group_leave(group);
        else dispatch_semaphore_signal(finished);
      });
    }
    if (notify) dispatch_group_notify(group, background, completion);
    wait_for(over);
    took[c] = ends[1] - ends[0];
    free(ends);
  }
  qsort(took, CALLS, sizeof(double), by_time);
  return took[CALLS / 2];
}

static void *measure(void *nothing) {
  (void)nothing;
  int sooner = 0;
  double total[2] = {0};
  median(true), median(false);
  for (int r = 0; r < ROUNDS; r++) {
    double mine = median(!broken), theirs = median(broken);
    sooner += mine < theirs;
    total[0] += mine * 1e6 / ROUNDS;
    total[1] += theirs * 1e6 / ROUNDS;
  }
  say("replacement.1", usually(sooner, ROUNDS), "completed sooner by notify in %d of %d rounds: %.1f us, semaphore %.1f us",
      sooner, ROUNDS, total[0], total[1]);
  exit(0);
}

int main(int count, char **words) {
  begin_program(count, words);
  pthread_t thread;
  pthread_create(&thread, NULL, measure, NULL);
  dispatch_main();
}
