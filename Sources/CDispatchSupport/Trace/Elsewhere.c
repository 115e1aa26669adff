// The functions of Trace.h on systems other than Linux, which have no recorder.
#ifndef __linux__
#include <errno.h>

#include "Trace.h"

int gcdlab_trace_create(bool recycles) {
  errno = ENOSYS;
  return -1;
}
void gcdlab_trace_stop(int descriptor) {}
struct gcdlab_traced *gcdlab_trace_events(int descriptor, size_t *count, struct gcdlab_trace_loss *loss) {
  *count = 0;
  errno = ENOSYS;
  return NULL;
}
bool gcdlab_trace_sees_calls(void) { return false; }
int gcdlab_trace_begin(int descriptor, const char *name) { return ENOSYS; }
void gcdlab_trace_end(void) {}

#endif
