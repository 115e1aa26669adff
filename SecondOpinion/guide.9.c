// guide.9, usually: the system takes the priority of queues into account.
// pool.5, usually: a QoS class gives its queues more or fewer resources.
// guide.46, always: tasks of the high-priority queue and of the default queue run before tasks of the low-priority
// queue.
// Tried on one core, in rounds: a task of each global queue computes until 50 ms after the start, the lowest submitted
// first. The processor times of the tasks are compared. For pool.5, the tasks are on serial queues of four classes. For
// guide.46, eight tasks of the higher queue are submitted before one task of the low queue, and spin until that task
// begins. The program counts the tasks that have not begun by then. guide.9 and pool.5 are tried again in ordinary
// processes in which a background block submits; there, the nice values are compared.
// Classes whose threads have the same nice value get the same share. Some differences need a privilege.
// Broken: all tasks go to the default queue.
#include "program.h"
#include "ordinary.h"

enum { ROUNDS = 15 };
static const intptr_t priority[] = {2, 0, -2, INT16_MIN};
static const unsigned class[] = {0x19, 0x15, 0x11, 0x09};

static dispatch_queue_t queue_of(bool classes, int i) {
  if (!classes) return dispatch_get_global_queue(broken ? 0 : priority[i], 0);
  return dispatch_queue_create("class", dispatch_queue_attr_make_with_qos_class(NULL, broken ? class[1] : class[i], 0));
}

// Reports, in an ordinary process in which a background block submits, how many of the three higher queues have another
// nice value than the background queue.
static int ordinary(void) {
  dispatch_queue_t queues[4];
  int nice[4];
  for (int i = 0; i < 4; i++) queues[i] = queue_of(is("classes"), i);
  if (!become_ordinary()) return 1;
  nice_values(queues, 4, dispatch_get_global_queue(INT16_MIN, 0), nice);
  tell((nice[0] != nice[3]) + (nice[1] != nice[3]) + (nice[2] != nice[3]), 0, 0, 0);
  return 0;
}

static const char *compare(bool classes, char *figures) {
  int won[3] = {0}, nice[4], held = 0, open = 0, failed = 0;
  Tally background = attempt(classes ? "classes" : "priorities");
  double total[4] = {0};
  // The pairs that the document names, and neighbouring classes.
  const int named[][2] = {{0, 2}, {1, 2}}, neighbours[][2] = {{0, 1}, {1, 2}, {2, 3}};
  const int(*pair)[2] = classes ? neighbours : named;
  int pairs = classes ? 3 : 2;
  for (int r = 0; r < ROUNDS; r++) {
    double got[4];
    double *time = got;
    int *value = nice;
    dispatch_group_t group = dispatch_group_create();
    double end = now() + 0.05;
    for (int i = 3; i >= 0; i--) {
      dispatch_group_async(group, queue_of(classes, i), ^{
        value[i] = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
        double mine = busy();
        while (now() < end) {}
        time[i] = busy() - mine;
      });
    }
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    for (int i = 0; i < pairs; i++) won[i] += got[pair[i][0]] > got[pair[i][1]];
    for (int i = 0; i < 4; i++) total[i] += got[i] * 1e3 / ROUNDS;
  }
  for (int i = 0; i < pairs; i++) {
    const char *this = nice[pair[i][0]] == nice[pair[i][1]] ? FAILS : usually(won[i], ROUNDS);
    held += this[0] == 'h';
    open += this[0] == 'o';
    failed += this[0] == 'f';
  }
  bool differ = background.met[0] == background.finished;
  char third[16] = "";
  if (classes) sprintf(third, ", %d", won[2]);
  sprintf(figures,
          "got more in %d, %d%s of %d rounds; on average %.1f, %.1f, %.1f, %.1f ms; nice values %d %d %d %d, equal in %d of "
          "%d ordinary processes in which a background block submits",
          won[0], won[1], third, ROUNDS, total[0], total[1], total[2], total[3], nice[0], nice[1], nice[2], nice[3],
          background.finished - background.met[0], background.all);
  return open ? OPEN : !held ? FAILS : failed || !differ ? PARTLY : HOLDS;
}

// Submits eight tasks, and then a task to the low queue. Returns how many of the eight had not begun when the last
// began.
static int overtaken(intptr_t higher) {
  atomic_int *state = calloc(2, sizeof(atomic_int));  // tasks begun, whether the last task has begun
  __block int seen = 0;
  dispatch_group_t group = dispatch_group_create();
  double end = now() + (broken ? 0.1 : 10);
  for (int i = 0; i < 8; i++)
    dispatch_group_async(group, dispatch_get_global_queue(broken ? 0 : higher, 0), ^{
      state[0]++;
      while (!state[1] && now() < end) sched_yield();
    });
  dispatch_group_async(group, dispatch_get_global_queue(broken ? 0 : -2, 0), ^{
    seen = state[0];
    state[1] = 1;
  });
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  return 8 - seen;
}

int main(int count, char **words) {
  begin_program(count, words);
  if (part) return ordinary();
  cpu_set_t one, all;
  sched_getaffinity(0, sizeof all, &all);
  int core = 0;
  while (!CPU_ISSET(core, &all)) core++;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);  // The pool's threads inherit the affinity.
  char queues[400], classes[400];
  const char *verdict = compare(false, queues);
  say("guide.9", verdict, "%s", queues);
  verdict = compare(true, classes);
  say("pool.5", verdict, "%s", classes);
  int high = overtaken(2), standard = overtaken(0);
  say("guide.46", high || standard ? FAILS : HOLDS,
      "of eight tasks submitted before one of the low queue, %d of high and %d of default priority had not begun when "
      "it began",
      high, standard);
}
