#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // sched_setaffinity
#endif
#include "CDispatchSupport.h"

#ifdef __linux__
#include <errno.h>
#include <sched.h>

static int confinement;

// These functions make only one library call, since neither the libraries nor the sanitizers are initialized yet.
#define EARLY __attribute__((no_sanitize("address", "thread", "undefined"), no_stack_protector))

EARLY static int is_word(const char *found, const char *word) {
  while (*word && *found == *word) found++, word++;
  return *found == *word;
}

// Confines the process to the cores on the worker's command line. Dispatch counts the cores when its library is
// initialized, before main() and before all constructors of the binary, so this function must run earlier.
EARLY static void confine(int count, char **arguments, char **environment) {
  (void)environment;
  if (count != 3 || !is_word(arguments[1], "worker")) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  int core = 0;
  for (const char *text = arguments[2];; text++) {
    if (*text >= '0' && *text <= '9' && core < CPU_SETSIZE) {
      core = 10 * core + (*text - '0');
    } else if ((*text == ',' || *text == '\0') && core < CPU_SETSIZE) {
      CPU_SET(core, &set);
      if (*text == '\0') break;
      core = 0;
    } else {
      confinement = EINVAL;
      return;
    }
  }
  confinement = sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

__attribute__((used, section(".preinit_array"))) static void (*const first)(int, char **, char **) = confine;

int gcdlab_confinement(void) { return confinement; }
#else
int gcdlab_confinement(void) { return 0; }
#endif
