#define _GNU_SOURCE
#include "CCores.h"

#ifdef __linux__
#include <sched.h>

int cores_in_use(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

void cores_use_one(bool one) {
  static cpu_set_t all;
  if (CPU_COUNT(&all) == 0 && sched_getaffinity(0, sizeof all, &all) != 0) return;
  cpu_set_t set = all;
  if (one) {
    int first = 0;
    while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &all)) first++;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
  }
  sched_setaffinity(0, sizeof set, &set);
}
#else
int cores_in_use(void) { return 0; }
void cores_use_one(bool one) { (void)one; }
#endif
