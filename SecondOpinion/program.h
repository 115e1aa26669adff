// Functions that the programs share: fresh processes, the ways in which they end, and the line with the verdict.
//
// A program tries sentences of the documents with C and Dispatch alone, and without code of the lab. The comment at its
// top names the sentences with their strength, the experiment, and the change that --broken makes. For each sentence
// the program prints a line, separated by tabs:
//   sentence  verdict  figures
// The verdict is holds, fails or partly (the sentence holds in some cases); seen or not-seen if the document says
// "may"; open if this run cannot decide; and unavailable if the system lacks the feature. With --broken, the mechanism
// is replaced by one that does the opposite. If the verdict stays the same, the program proves nothing.
#define _GNU_SOURCE
#include <dispatch/dispatch.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HOLDS "holds"
#define FAILS "fails"
#define PARTLY "partly"
#define SEEN "seen"
#define NOT_SEEN "not-seen"
#define OPEN "open"
#define UNAVAILABLE "unavailable"

static bool broken;       // --broken: whether the mechanism does the opposite
static int tries = 5;     // --tries: the number of processes of each kind
static const char *part;  // --part: the part that this child tries; NULL in the program itself

// Parses the arguments, and limits the duration of the program. Every program begins with this call. A program that
// hangs is ended by the alarm, and reported as a program without a verdict.
static void begin_program(int count, char **words) {
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "--broken")) broken = true;
    else if (!strcmp(words[i], "--tries") && i + 1 < count) tries = atoi(words[++i]);
    else if (!strcmp(words[i], "--part") && i + 1 < count) part = words[++i];
    else {
      fprintf(stderr, "usage: %s [--broken] [--tries N]\n", words[0]);
      exit(64);
    }
  }
  if (tries < 1 || tries > 64) {
    fprintf(stderr, "%s: --tries takes 1 to 64\n", words[0]);
    exit(64);
  }
  alarm(60);
}

static inline bool is(const char *name) { return part && !strcmp(part, name); }

__attribute__((format(printf, 3, 4))) static inline void say(const char *sentence, const char *verdict,
                                                             const char *figures, ...) {
  va_list list;
  va_start(list, figures);
  printf("%s\t%s\t", sentence, verdict);
  vprintf(figures, list);
  printf("\n");
  fflush(stdout);
  va_end(list);
}

// Functions that return the time of a clock in seconds. busy() returns the processor time of this thread.
static inline double at(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static inline double now(void) { return at(CLOCK_MONOTONIC); }
static inline double busy(void) { return at(CLOCK_THREAD_CPUTIME_ID); }

static inline void spin(double seconds) {
  for (double end = now() + seconds; now() < end;) {}
}
static inline void rest(double seconds) {
  struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}
static inline bool within(dispatch_semaphore_t moment, double seconds) {
  return dispatch_semaphore_wait(moment, dispatch_time(DISPATCH_TIME_NOW, (int64_t)(seconds * 1e9))) == 0;
}
static inline void wait_for(dispatch_semaphore_t moment) { dispatch_semaphore_wait(moment, DISPATCH_TIME_FOREVER); }

// Returns the verdict on a sentence with "usually": an exact two-sided sign test of the rounds, at 5 %.
static inline const char *usually(int won, int rounds) {
  double tail = 0;
  int extreme = won > rounds - won ? won : rounds - won;
  for (int k = extreme; k <= rounds; k++) {
    double ways = 1;
    for (int i = 0; i < k; i++) ways = ways * (rounds - i) / (i + 1);
    tail += ways;
  }
  for (int i = 0; i < rounds; i++) tail /= 2;
  return tail > 0.025 ? OPEN : won > rounds - won ? HOLDS : FAILS;
}

// The results of `tries` fresh processes that tried one part: how they ended, and up to four figures of each process.
typedef struct {
  // killed: ended with a status other than 0, or by a signal that is not a trap; alarmed: ended by SIGALRM; late: still
  // running after 10 seconds
  int all, finished, trapped, killed, alarmed, hung,
      late;
  long sum[4];  // the sum of each figure over all processes
  int met[4];   // the number of processes in which the figure was not 0
} Tally;

// Reports up to four figures to the parent. A child calls this function.
static inline void tell(long a, long b, long c, long d) {
  printf("%ld %ld %ld %ld\n", a, b, c, d);
  fflush(stdout);
}

// Returns whether every thread of the process sleeps, and stores the number of their context switches. If this number
// does not change, the process hangs, however busy the machine is. A thread that only waits for a core does not sleep.
static inline bool asleep(pid_t process, long *switches) {
  char path[300], line[256], state = 0;
  bool all = true;
  long value;
  *switches = 0;
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *tasks = opendir(path);
  if (!tasks) return false;
  for (struct dirent *task; (task = readdir(tasks));) {
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/status", process, task->d_name);
    FILE *status = fopen(path, "r");
    if (!status) continue;
    while (fgets(line, sizeof line, status)) {
      if (sscanf(line, "State: %c", &state) == 1) all = all && (state == 'S' || state == 'Z');
      if (strstr(line, "_ctxt_switches:") && sscanf(strchr(line, ':'), ": %ld", &value) == 1) *switches += value;
    }
    fclose(status);
  }
  closedir(tasks);
  return all;
}

// Runs this program again with --part, in `tries` children at once. A child hangs if none of its threads runs for 150
// ms.
static inline Tally attempt(const char *name) {
  struct {
    pid_t process;
    int pipe;
    long switches;
    int still;
    bool done;
  } child[64];
  Tally tally = {.all = tries};
  for (int i = 0; i < tries; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
      perror("pipe");
      exit(1);
    }
    child[i].pipe = ends[0];
    child[i].still = 0;
    child[i].switches = -1;
    child[i].done = false;
    child[i].process = fork();
    if (child[i].process == 0) {
      dup2(ends[1], 1);
      struct rlimit none = {0, 0};
      setrlimit(RLIMIT_CORE, &none);
      execl("/proc/self/exe", "program", "--part", name, broken ? "--broken" : NULL, NULL);
      _exit(127);
    }
    close(ends[1]);
  }
  double end = now() + 10;
  for (int left = tries; left > 0;) {
    rest(0.01);
    for (int i = 0; i < tries; i++) {
      if (child[i].done) continue;
      int status;
      long switches, figure[4] = {0};
      if (waitpid(child[i].process, &status, WNOHANG) == 0) {
        bool still = asleep(child[i].process, &switches) && switches == child[i].switches;
        child[i].still = still ? child[i].still + 1 : 0;
        child[i].switches = switches;
        if (child[i].still < 15 && now() < end) continue;
        if (child[i].still >= 15) tally.hung++;
        else tally.late++;
        kill(child[i].process, SIGKILL);
        waitpid(child[i].process, &status, 0);
      } else if (WIFEXITED(status)) {
        if (WEXITSTATUS(status) == 0) tally.finished++;
        else tally.killed++;
      } else if (WTERMSIG(status) == SIGILL || WTERMSIG(status) == SIGTRAP) tally.trapped++;
      else if (WTERMSIG(status) == SIGALRM) tally.alarmed++;
      else tally.killed++;
      FILE *told = fdopen(child[i].pipe, "r");
      if (told && fscanf(told, "%ld %ld %ld %ld", &figure[0], &figure[1], &figure[2], &figure[3]) == 4)
        for (int f = 0; f < 4; f++) {
          tally.sum[f] += figure[f];
          tally.met[f] += figure[f] != 0;
        }
      if (told) fclose(told);
      child[i].done = true;
      left--;
    }
  }
  return tally;
}
