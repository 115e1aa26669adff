#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CDispatchSupport.h"

#ifdef __linux__
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int gcdlab_wall_clock_watch(void) {
  int descriptor = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (descriptor < 0) return -1;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  // The timer fires after a hundred years. Until then, the descriptor becomes readable only if the clock is set.
  struct itimerspec never = {.it_value = {.tv_sec = now.tv_sec + 3155760000}};
  if (timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) == 0) return descriptor;
  close(descriptor);
  return -1;
}
#else
int gcdlab_wall_clock_watch(void) { return -1; }
#endif
