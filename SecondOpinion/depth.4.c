// depth.4, always: all tasks of the main queue run on the main thread.
// depth.3, always: these tasks run one at a time.
// guide.22, always: without dispatch_main or a run loop, the tasks never run.
// Tried: 200 tasks from four threads, with dispatch_main, with a loop that drains the queue as Foundation's run loop
// does, with neither, and after the main thread has ended with pthread_exit.
// Broken: the tasks are sent to a global queue.
#include "program.h"

extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *);

int main(int count, char **words) {
  begin_program(count, words);
  enum { TASKS = 200 };
  if (part) {
    atomic_int *ran = calloc(4, sizeof(atomic_int));  // tasks: run, on the main thread, running, overlapped
    dispatch_queue_t queue = broken ? dispatch_get_global_queue(0, 0) : dispatch_get_main_queue();
    dispatch_async(dispatch_get_global_queue(0, 0), ^{
      dispatch_apply(4, dispatch_get_global_queue(0, 0), ^(size_t t) {
        (void)t;
        for (int i = 0; i < TASKS / 4; i++)
          dispatch_async(queue, ^{
            ran[3] += ran[2]++ > 0;
            ran[1] += getpid() == (pid_t)syscall(SYS_gettid);
            spin(0.00002);
            ran[2]--;
            if (++ran[0] == TASKS) {
              tell(ran[0], ran[1], ran[3], 0);
              exit(0);
            }
          });
      });
    });
    if (is("ends")) pthread_exit(NULL);
    if (is("nothing") && !broken) {
      rest(0.1);
      tell(ran[0], ran[1], ran[3], 0);
      return 0;
    }
    if (is("main") || broken) dispatch_main();
    struct pollfd main_queue = {.fd = _dispatch_get_main_queue_handle_4CF(), .events = POLLIN};
    for (uint64_t woken;;)
      if (poll(&main_queue, 1, -1) == 1 && read(main_queue.fd, &woken, sizeof woken) > 0)
        _dispatch_main_queue_callback_4CF(NULL);
  }
  Tally main = attempt("main"), loop = attempt("loop"), nothing = attempt("nothing"), ends = attempt("ends");
  long all = (long)TASKS * tries;
  bool in_main = main.sum[1] == all, in_loop = loop.sum[1] == all;
  say("depth.4",
      in_main && in_loop       ? HOLDS
          : in_main || in_loop ? PARTLY
                               : FAILS,
      "on the main thread: under a run loop %ld of %ld, under dispatch_main %ld of %ld", loop.sum[1], loop.sum[0],
      main.sum[1], main.sum[0]);
  say("depth.3",
      main.sum[2] + loop.sum[2]                  ? FAILS
          : main.sum[0] + loop.sum[0] == 2 * all ? HOLDS
                                                 : OPEN,
      "overlapping: %ld of %ld", main.sum[2] + loop.sum[2], main.sum[0] + loop.sum[0]);
  say("guide.22", nothing.sum[0] ? FAILS : ends.sum[0] ? PARTLY : HOLDS,
      "of %ld tasks %ld ran if nothing drains the main queue, %ld after the main thread had ended", all, nothing.sum[0],
      ends.sum[0]);
}
