#ifndef GCDLAB_SWITCHES_H
#define GCDLAB_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The scheduling events of another process, if the system allows this process to observe them. Only Linux reports these
// events.

enum gcdlab_switch_kind {
  GCDLAB_SWITCH_IN, GCDLAB_SWITCH_OUT, GCDLAB_SWITCH_PREEMPTED, GCDLAB_SWITCH_BORN, GCDLAB_SWITCH_GONE, GCDLAB_SWITCH_LOST
};

struct gcdlab_switch {
  /// The time of the monotonic clock, in nanoseconds.
  uint64_t time;
  int32_t thread;
  int32_t process;
  uint16_t core;
  uint8_t kind;
  /// The number of lost records.
  uint32_t count;
};

struct gcdlab_switches;

/// Starts to record a process that has only one thread so far, and all threads that the process starts. If `follows` is
/// true, the record includes all processes that the process starts. Returns null and errno on failure: ENOSYS if the
/// system does not support such a record, EACCES or EPERM if the system does not allow the record.
struct gcdlab_switches *gcdlab_switches_open(int process, bool follows);

/// Collects records until gcdlab_switches_stop() is called. Call this function on a separate thread.
void gcdlab_switches_collect(struct gcdlab_switches *switches);

/// Ends gcdlab_switches_collect().
void gcdlab_switches_stop(struct gcdlab_switches *switches);

/// Returns the records, sorted by time for each core. The records are valid until gcdlab_switches_close().
const struct gcdlab_switch *gcdlab_switches_all(struct gcdlab_switches *switches, size_t *count);

void gcdlab_switches_close(struct gcdlab_switches *switches);

#endif
