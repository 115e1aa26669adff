#ifndef GCDLAB_TRACE_H
#define GCDLAB_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A trace is a file that a worker and the lab have mapped: what is in it stays when the worker hangs, traps or is killed. Threads
// write into chunks of it, one thread a chunk, so that nothing is shared but the count of chunks. When there are none left, what
// comes is counted and lost.

/// What an event tells; what `a`, `b` and `count` of it are.
enum gcdlab_trace_kind {
  GCDLAB_TRACE_NONE,
  GCDLAB_TRACE_BODY_BEGINS,
  GCDLAB_TRACE_BODY_ENDS,
  /// a: the block's number; b: the queue; count: how many blocks, with the numbers that follow; how: gcdlab_trace_how.
  GCDLAB_TRACE_SUBMIT,
  /// a: the block's number; b: the queue; how.
  GCDLAB_TRACE_BEGIN,
  /// a: the block's number.
  GCDLAB_TRACE_END,
  /// b: the queue, or nothing; how: gcdlab_trace_reason.
  GCDLAB_TRACE_WAIT,
  GCDLAB_TRACE_WAITED,
  /// a: the queue; how: gcdlab_trace_queue; count: how many events behind it are its label, 16 bytes in a and b of each.
  GCDLAB_TRACE_QUEUE,
  GCDLAB_TRACE_TEXT,
  /// a: the address of a work item; b: the number of its block.
  GCDLAB_TRACE_ITEM,
  /// a: a thread; b: for how many nanoseconds it has run, as the system says.
  GCDLAB_TRACE_ACCOUNT,
  /// The thread's name: 16 bytes in a and b. Stands before its first event.
  GCDLAB_TRACE_THREAD
};

enum gcdlab_trace_how {
  GCDLAB_TRACE_ASYNC, GCDLAB_TRACE_SYNC, GCDLAB_TRACE_APPLY, GCDLAB_TRACE_AFTER, GCDLAB_TRACE_NOTIFY, GCDLAB_TRACE_HANDLER,
  GCDLAB_TRACE_JOB,
  /// Added for a barrier.
  GCDLAB_TRACE_BARRIER = 16,
  /// Added where the number is the address of a work item.
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

/// What a trace has lost for want of room: how many events, and when the first of them was.
struct gcdlab_trace_loss {
  uint64_t events;
  uint64_t first;
};

/// A file for a trace, in memory; -1 and errno when there is none to be had. At most 32 MiB of it are ever used.
int gcdlab_trace_create(void);

/// The events of a trace in order of time, in memory to be freed; null and errno when they cannot be read. Whoever writes it may be
/// dead or alive.
struct gcdlab_traced *gcdlab_trace_events(int descriptor, size_t *count, struct gcdlab_trace_loss *loss);

/// Whether the calls of this binary can be seen: it is linked so that they pass here (`make build`).
bool gcdlab_trace_sees_calls(void);

/// Maps the trace at a descriptor and records from now on; the calling thread begins a body. Returns 0 or an error number.
int gcdlab_trace_begin(int descriptor);

/// The body has ended: notes what the system says of the threads' running time, and records no more. Nothing where none was begun.
void gcdlab_trace_end(void);

// The scheduler's record of another process, whoever it is that the system lets look: Linux only.

enum gcdlab_switch_kind {
  GCDLAB_SWITCH_IN, GCDLAB_SWITCH_OUT, GCDLAB_SWITCH_PREEMPTED, GCDLAB_SWITCH_BORN, GCDLAB_SWITCH_GONE, GCDLAB_SWITCH_LOST
};

struct gcdlab_switch {
  uint64_t time;
  int32_t thread;
  uint16_t core;
  uint8_t kind;
  /// How many were lost.
  uint32_t count;
};

struct gcdlab_switches;

/// Begins the record of a process that has one thread yet, and of those that this thread and others start. Null and errno: ENOSYS
/// where there is no such record, EACCES or EPERM where it is not allowed.
struct gcdlab_switches *gcdlab_switches_open(int process);

/// Takes records in until gcdlab_switches_stop(); for a thread of its own.
void gcdlab_switches_collect(struct gcdlab_switches *switches);

/// Ends gcdlab_switches_collect().
void gcdlab_switches_stop(struct gcdlab_switches *switches);

/// The records, in order of each core; valid until gcdlab_switches_close().
const struct gcdlab_switch *gcdlab_switches_all(struct gcdlab_switches *switches, size_t *count);

void gcdlab_switches_close(struct gcdlab_switches *switches);

#endif
