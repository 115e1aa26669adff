#ifndef GCDLAB_TRACE_H
#define GCDLAB_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A trace is a file that a worker and the lab both map. Its content survives when the worker hangs, traps or is killed.
// Threads write into chunks of it, each chunk by one thread, so that only the count of chunks is shared. When no chunks
// are left, further events are counted and lost.

/// The kind of an event, which defines the meaning of its `a`, `b` and `count`.
enum gcdlab_trace_kind {
  GCDLAB_TRACE_NONE,
  GCDLAB_TRACE_BODY_BEGINS,
  GCDLAB_TRACE_BODY_ENDS,
  /// a: the block's number; b: the queue; count: the number of blocks, whose numbers follow; how: gcdlab_trace_how.
  GCDLAB_TRACE_SUBMIT,
  /// a: the block's number; b: the queue; how.
  GCDLAB_TRACE_BEGIN,
  /// a: the block's number.
  GCDLAB_TRACE_END,
  /// b: the queue, or 0; how: gcdlab_trace_reason.
  GCDLAB_TRACE_WAIT,
  GCDLAB_TRACE_WAITED,
  /// a: the queue; how: gcdlab_trace_queue; count: how many of the following events contain its label, 16 bytes in a
  /// and b of each.
  GCDLAB_TRACE_QUEUE,
  GCDLAB_TRACE_TEXT,
  /// a: the address of a work item; b: the number of its block.
  GCDLAB_TRACE_ITEM,
  /// a: a thread; b: its running time in nanoseconds, according to the system.
  GCDLAB_TRACE_ACCOUNT,
  /// The thread's name: 16 bytes in a and b. It precedes the thread's first event.
  GCDLAB_TRACE_THREAD
};

enum gcdlab_trace_how {
  GCDLAB_TRACE_ASYNC, GCDLAB_TRACE_SYNC, GCDLAB_TRACE_APPLY, GCDLAB_TRACE_AFTER, GCDLAB_TRACE_NOTIFY, GCDLAB_TRACE_HANDLER,
  GCDLAB_TRACE_JOB,
  /// Added for a barrier.
  GCDLAB_TRACE_BARRIER = 16,
  /// Added if the number is the address of a work item.
  GCDLAB_TRACE_BY_ITEM = 32
};

enum gcdlab_trace_reason {
  GCDLAB_TRACE_GROUP, GCDLAB_TRACE_SEMAPHORE, GCDLAB_TRACE_IN_SYNC, GCDLAB_TRACE_IN_APPLY, GCDLAB_TRACE_ONCE,
  GCDLAB_TRACE_LOCK, GCDLAB_TRACE_CONDITION, GCDLAB_TRACE_JOIN, GCDLAB_TRACE_SLEEP, GCDLAB_TRACE_DESCRIPTOR,
  GCDLAB_TRACE_WORK
};

enum gcdlab_trace_queue {
  GCDLAB_TRACE_UNKNOWN, GCDLAB_TRACE_SERIAL, GCDLAB_TRACE_CONCURRENT, GCDLAB_TRACE_GLOBAL, GCDLAB_TRACE_MAIN,
  GCDLAB_TRACE_SWIFT_POOL, GCDLAB_TRACE_ACTOR
};

struct gcdlab_trace_event {
  uint64_t time;
  uint8_t kind;
  uint8_t how;
  uint16_t core;
  uint32_t count;
  uint64_t a;
  uint64_t b;
};

/// An event as it is read, with the thread that wrote it.
struct gcdlab_traced {
  uint32_t thread;
  uint32_t order;
  struct gcdlab_trace_event event;
};

/// The events that a trace has lost because it had no room: their number, and the time of the first.
struct gcdlab_trace_loss {
  uint64_t events;
  uint64_t first;
};

/// Creates a file for a trace, in memory. Returns -1 and errno if it fails. At most 32 MiB of it are ever used.
int gcdlab_trace_create(void);

/// Returns the events of a trace in order of time, in memory that the caller frees; null and errno if they cannot be
/// read. The writer may be alive or have ended.
struct gcdlab_traced *gcdlab_trace_events(int descriptor, size_t *count, struct gcdlab_trace_loss *loss);

/// Whether the calls of this binary can be recorded: it must be linked so that they pass through here (`make build`).
bool gcdlab_trace_sees_calls(void);

/// Maps the trace at a descriptor and records from now on. The calling thread starts a body. Returns 0 or an error
/// number.
int gcdlab_trace_begin(int descriptor);

/// Notes the end of the body: records the system's running times of the threads, and then nothing more. It has no
/// effect if no body was started.
void gcdlab_trace_end(void);

// The scheduler's record of another process, if the system allows this process to observe it. Linux only.

enum gcdlab_switch_kind {
  GCDLAB_SWITCH_IN, GCDLAB_SWITCH_OUT, GCDLAB_SWITCH_PREEMPTED, GCDLAB_SWITCH_BORN, GCDLAB_SWITCH_GONE, GCDLAB_SWITCH_LOST
};

struct gcdlab_switch {
  uint64_t time;
  int32_t thread;
  uint16_t core;
  uint8_t kind;
  /// The number of lost records.
  uint32_t count;
};

struct gcdlab_switches;

/// Starts the record of a process that has only one thread so far, and of all threads that are started from it. Returns
/// null and errno if it fails: ENOSYS if the system has no such record, EACCES or EPERM if it does not allow it.
struct gcdlab_switches *gcdlab_switches_open(int process);

/// Collects records until gcdlab_switches_stop(). Call it on a thread of its own.
void gcdlab_switches_collect(struct gcdlab_switches *switches);

/// Ends gcdlab_switches_collect().
void gcdlab_switches_stop(struct gcdlab_switches *switches);

/// Returns the records, in order for each core. They are valid until gcdlab_switches_close().
const struct gcdlab_switch *gcdlab_switches_all(struct gcdlab_switches *switches, size_t *count);

void gcdlab_switches_close(struct gcdlab_switches *switches);

#endif
