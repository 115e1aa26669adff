// Begins and ends the record of a program that is not the lab.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "Trace.h"

// The lab passes the path of the record in GCDLAB_RECORD. If the recorder is preloaded, LD_PRELOAD begins with the
// recorder's library. Programs that the program starts do not inherit GCDLAB_RECORD and the library, unless
// GCDLAB_FOLLOW is set.

static char **variable(const char *name) {
  size_t length = strlen(name);
  for (char **found = environ; found && *found; found++)
    if (strncmp(*found, name, length) == 0 && (*found)[length] == '=') return found;
  return NULL;
}

static void forget(char **found) {
  for (; found && *found; found++) *found = found[1];
}

__attribute__((destructor)) static void ends(void) { gcdlab_trace_end(); }

__attribute__((constructor)) static void begins(void) {
  char **record = variable("GCDLAB_RECORD");
  if (!record) return;
#ifdef GCDLAB_LINKED
  // The program loads Dispatch, so the preloaded library records the program.
  if (!gcdlab_trace_sees_calls()) return;
#endif
  int descriptor = gcdlab_trace_sees_calls() ? open(strchr(*record, '=') + 1, O_RDWR | O_CLOEXEC) : -1;
  if (!variable("GCDLAB_FOLLOW")) {
    forget(record);
#ifdef GCDLAB_PRELOADED
    char **preload = variable("LD_PRELOAD"), *rest = preload ? strchr(*preload, ':') : NULL;
    if (rest) memmove(strchr(*preload, '=') + 1, rest + 1, strlen(rest));
    else forget(preload);
#endif
  }
  if (descriptor < 0) return;
  gcdlab_trace_begin(descriptor, program_invocation_short_name);
  close(descriptor);
}
