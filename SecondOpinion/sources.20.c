// sources.20, always: a signal source cannot watch SIGILL, SIGBUS or SIGSEGV.
// Tried: each signal is raised by a fault of the program, sent by kill, and sent by kill while every thread blocks the
// signal, up to five times in each process. After a fault, the source's own handler returns to the faulting instruction
// forever, until an alarm ends the process.
// Broken: SIGUSR1 replaces the three signals.
#include "program.h"
#include <sys/mman.h>

static void illegal(void) {
#ifdef __aarch64__
  __asm__ volatile(".inst 0");
#else
  __builtin_trap();
#endif
}

static void fault(int which) {
  if (broken) kill(getpid(), SIGUSR1);
  else if (which == SIGILL) illegal();
  else if (which == SIGSEGV) *(volatile int *)NULL = 1;
  else
    *(volatile char *)mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(tmpfile()), 0) =
        1;  // The file is empty.
}

int main(int count, char **words) {
  begin_program(count, words);
  int number[] = {SIGILL, SIGBUS, SIGSEGV};
  if (part) {
    int which = broken ? SIGUSR1 : number[part[0] - '0'];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, which);
    if (part[1] == 'b') pthread_sigmask(SIG_BLOCK, &set, NULL);
    dispatch_semaphore_t registered = dispatch_semaphore_create(0), told = dispatch_semaphore_create(0);
    dispatch_source_t source =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, (uintptr_t)which, 0, dispatch_get_global_queue(0, 0));
    __block int heard = 0;
    dispatch_source_set_event_handler(source, ^{
      tell(++heard, 0, 0, 0);
      dispatch_semaphore_signal(told);
    });
    dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(registered); });
    dispatch_activate(source);
    wait_for(registered);
    for (int i = 0; i < 5; i++) {
      if (part[1] == 'f') {
        ualarm(300000, 0);
        fault(number[part[0] - '0']);
      } else kill(getpid(), which);
      if (!within(told, 0.1)) break;
    }
    return 0;
  }
  int told[3] = {0}, spinning = 0;
  const char kind[] = "fkb";
  for (int k = 0; k < 3; k++)
    for (int s = 0; s < 3; s++) {
      char name[] = {(char)('0' + s), kind[k], 0};
      Tally t = attempt(name);
      told[k] += t.met[0];
      if (k == 0) spinning += t.alarmed;
    }
  bool any = told[0] + told[1] + told[2] > 0;
  say("sources.20",
      !any          ? HOLDS
          : told[0] ? FAILS
                    : PARTLY,
      "processes with a handler call: after a fault %d (%d repeated the fault until they were ended), after kill %d, "
      "after kill while every thread blocks the signal %d, of %d each",
      told[0], spinning, told[1], told[2], 3 * tries);
}
