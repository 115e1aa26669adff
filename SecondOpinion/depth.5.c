// depth.5, always: there are four global queues, and their priorities differ.
// Tried with all ten identifiers (four priorities, six QoS classes): how many queues they give, and which nice
// values their threads have. pool.6, always: when nothing else is known, default work gets a class between
// user-initiated and utility: the same by nice values, with a queue of the class "default" and one of none. Broken: the
// default queue's identifier in all places, the background class for the default.
#include "probe.h"
#include <limits.h>

// The QoS classes, which the headers name on Darwin only.
enum { INTERACTIVE = 0x21, INITIATED = 0x19, NORMAL = 0x15, UTILITY = 0x11, BACKGROUND = 0x09, NONE = 0 };

static int nice_of(dispatch_queue_t queue) {
  __block int value = INT_MIN;
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_async(queue, ^{
    value = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
    dispatch_semaphore_signal(done);
  });
  wait_for(done);
  return value;
}

static int of_class(unsigned class) {
  return nice_of(
      dispatch_queue_create("class", dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_SERIAL, class, 0)));
}

// A nice value below the process's own takes a privilege, without which Dispatch cannot tell all of them apart.
static bool privileged(void) {
  int own = getpriority(PRIO_PROCESS, 0);
  return setpriority(PRIO_PROCESS, 0, -3) == 0 && setpriority(PRIO_PROCESS, 0, own) == 0;
}

int main(int count, char **words) {
  probe(count, words);
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
    nice[i] = nice_of(queue[i]);
    int same = 0;
    for (int j = 0; j < i; j++) same += queue[j] == queue[i];
    queues += !same;
  }
  bool rise = nice[0] < nice[1] && nice[1] < nice[2] && nice[2] < nice[3];
  say("depth.5",
      queues != 4   ? FAILS
          : rise    ? HOLDS
          : allowed ? FAILS
                    : UNAVAILABLE,
      "10 identifiers give %d queues; nice values of high, default, low and background %d %d %d %d", queues, nice[0],
      nice[1], nice[2], nice[3]);
  int initiated = of_class(INITIATED), utility = of_class(UTILITY);
  int normal = of_class(broken ? BACKGROUND : NORMAL),
      none = broken ? normal : nice_of(dispatch_queue_create("none", NULL));
  bool between = initiated < normal && normal < utility && initiated < none && none < utility;
  say("pool.6",
      between                           ? HOLDS
          : allowed || normal > utility ? FAILS
                                        : UNAVAILABLE,
      "nice values: user-initiated %d, default %d, none named %d, utility %d", initiated, normal, none, utility);
}
