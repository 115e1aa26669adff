// guide.43, usually: the number of tasks that a concurrent queue runs at once depends on the number of cores, on the
// work of other processes, and on the tasks of other serial queues.
// Tried in fresh processes: 100 tasks of 0.5 ms. The largest number of tasks in progress is measured with all cores,
// with one core, and while other processes or serial queues of this process keep the cores busy. The figure for one
// core does not affect the verdict, since Dispatch counts the cores before the process is confined to one core.
// Broken: the queue is serial, so its width never changes.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (part) {
    cpu_set_t mine;
    sched_getaffinity(0, sizeof mine, &mine);
    if (is("one")) {
      int core = 0;
      while (!CPU_ISSET(core, &mine)) core++;
      CPU_ZERO(&mine);
      CPU_SET(core, &mine);
      sched_setaffinity(0, sizeof mine, &mine);  // before the first use of a queue
    }
    // Starts the pool's first thread, and waits for the first check of the pool's monitor, which could add a thread.
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_async(group, dispatch_get_global_queue(0, 0), ^{});
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    rest(0.05);
    pid_t parent = getpid();
    for (int i = 0; i < cores && is("processes"); i++)
      if (fork() == 0) {
        while (getppid() == parent) {}
        _exit(0);
      }
    atomic_int *state = calloc(4, sizeof(atomic_int));  // in progress, most at once, others begun, whether all ended
    // Queues with the default target have a separate pool. Queues that target the global queue use the pool of the
    // tried queue.
    long others = is("serial") ? cores : is("targeting") ? cores - 1 : 0;
    for (int i = 0; i < others; i++) {
      dispatch_queue_t other = dispatch_queue_create("other", NULL);
      if (is("targeting")) dispatch_set_target_queue(other, dispatch_get_global_queue(0, 0));
      dispatch_async(other, ^{
        state[2]++;
        while (!state[3]) {}
      });
    }
    while (state[2] < others) sched_yield();
    dispatch_queue_t queue = dispatch_queue_create("tried", broken ? NULL : DISPATCH_QUEUE_CONCURRENT);
    for (int i = 0; i < 100; i++)
      dispatch_group_async(group, queue, ^{
        int with = ++state[0];
        for (int most = state[1]; with > most && !atomic_compare_exchange_weak(&state[1], &most, with);) {}
        spin(0.0005);
        state[0]--;
      });
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    state[3] = 1;
    tell(state[1], 0, 0, 0);
    return 0;
  }
  long all = attempt("all").sum[0], one = attempt("one").sum[0], processes = attempt("processes").sum[0],
       serial = attempt("serial").sum[0], targeting = attempt("targeting").sum[0];
  bool by_cores = all == cores * tries, by_processes = processes < all, by_serial = serial < all,
       by_targeting = targeting < all;
  say("guide.43",
      by_cores && by_processes && by_serial && by_targeting   ? HOLDS
      : by_cores || by_processes || by_serial || by_targeting ? PARTLY
                                                              : FAILS,
      "at once on average: %.1f with %ld cores, %.1f with one, %.1f beside other processes, %.1f beside other serial "
      "queues, %.1f beside serial queues that target the global one",
      (double)all / tries, cores, (double)one / tries, (double)processes / tries, (double)serial / tries,
      (double)targeting / tries);
}
