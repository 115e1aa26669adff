// depth.5, always: there are four global queues, and their priorities differ.
// pool.6, always: if nothing else is known, default work has a class between user-initiated and utility.
// Tried: the number of queues for all ten identifiers (four priorities, six QoS classes), and the nice values of their
// threads. For pool.6, the nice values for a queue of the class "default" and for a queue without a class. Both
// sentences are tried again in ordinary processes, which may not lower nice values. There, the main thread or a
// background block submits.
// Broken: all identifiers are that of the default queue, and the background class replaces the class "default". If nice
// values cannot be lowered, the threads raise their own nice values by class instead.
#include "program.h"
#include "ordinary.h"
#include <limits.h>

// The values of the QoS classes. The headers name the classes only on Darwin.
enum { INTERACTIVE = 0x21, INITIATED = 0x19, NORMAL = 0x15, UTILITY = 0x11, BACKGROUND = 0x09, NONE = 0 };

static int nice_of(dispatch_queue_t queue, int own) {
  __block int value = INT_MIN;
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_async(queue, ^{
    if (own) setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), own);
    value = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
    dispatch_semaphore_signal(done);
  });
  wait_for(done);
  return value;
}

static dispatch_queue_t with_class(unsigned class) {
  return dispatch_queue_create("class", dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_SERIAL, class, 0));
}

// Reports, in an ordinary process, whether the nice values of the four global queues still rise, and whether default
// work is still between user-initiated and utility.
static int ordinary(void) {
  dispatch_queue_t background = dispatch_get_global_queue(INT16_MIN, 0);
  dispatch_queue_t queues[] = {dispatch_get_global_queue(2, 0),
                               dispatch_get_global_queue(0, 0),
                               dispatch_get_global_queue(-2, 0),
                               background,
                               with_class(INITIATED),
                               with_class(NORMAL),
                               dispatch_queue_create("none", NULL),
                               with_class(UTILITY)};
  int nice[8];
  if (!become_ordinary()) return 1;
  nice_values(queues, 8, is("background") ? background : NULL, nice);
  bool rise = nice[0] < nice[1] && nice[1] < nice[2] && nice[2] < nice[3];
  bool between = nice[4] < nice[5] && nice[5] < nice[7] && nice[4] < nice[6] && nice[6] < nice[7];
  tell(rise, between, 0, 0);
  return 0;
}

// Returns whether this process may lower nice values. Without this privilege, some classes have the same nice value.
static bool privileged(void) {
  int own = getpriority(PRIO_PROCESS, 0);
  return setpriority(PRIO_PROCESS, 0, -3) == 0 && setpriority(PRIO_PROCESS, 0, own) == 0;
}

int main(int count, char **words) {
  begin_program(count, words);
  if (part) return ordinary();
  Tally main_thread = attempt("main"), background = attempt("background");
  int finished = main_thread.finished + background.finished;
  bool always_rise = main_thread.met[0] + background.met[0] == finished,
       always_between = main_thread.met[1] + background.met[1] == finished;
  bool allowed = privileged();
  const intptr_t id[] = {DISPATCH_QUEUE_PRIORITY_HIGH,
                         DISPATCH_QUEUE_PRIORITY_DEFAULT,
                         DISPATCH_QUEUE_PRIORITY_LOW,
                         DISPATCH_QUEUE_PRIORITY_BACKGROUND,
                         INTERACTIVE,
                         INITIATED,
                         NORMAL,
                         UTILITY,
                         BACKGROUND,
                         NONE};
  dispatch_queue_t queue[10];
  int queues = 0, nice[10];
  for (int i = 0; i < 10; i++) {
    queue[i] = dispatch_get_global_queue(broken ? 0 : id[i], 0);
    nice[i] = nice_of(queue[i], 0);
    int same = 0;
    for (int j = 0; j < i; j++) same += queue[j] == queue[i];
    queues += !same;
  }
  bool rise = nice[0] < nice[1] && nice[1] < nice[2] && nice[2] < nice[3];
  say("depth.5",
      queues != 4               ? FAILS
          : rise && always_rise ? HOLDS
                                : PARTLY,
      "10 identifiers give %d queues; nice values of high, default, low and background %d %d %d %d; they rise in %d of "
      "%d ordinary processes, and in %d in which a background block submits",
      queues, nice[0], nice[1], nice[2], nice[3], main_thread.met[0], main_thread.all, background.met[0]);
  bool own = broken && !allowed;
  int initiated = nice_of(with_class(INITIATED), own ? 3 : 0), utility = nice_of(with_class(UTILITY), own ? 9 : 0);
  int normal = nice_of(with_class(broken && !own ? BACKGROUND : NORMAL), own ? 6 : 0),
      none = broken ? normal : nice_of(dispatch_queue_create("none", NULL), 0);
  bool between = initiated < normal && normal < utility && initiated < none && none < utility;
  say("pool.6",
      between && always_between ? HOLDS
          : between             ? PARTLY
                                : FAILS,
      "nice values: user-initiated %d, default %d, no class %d, utility %d; between in %d of %d ordinary processes, and "
      "in %d in which a background block submits",
      initiated, normal, none, utility, main_thread.met[1], main_thread.all, background.met[1]);
}
