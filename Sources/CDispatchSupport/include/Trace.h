#ifndef GCDLAB_TRACE_H
#define GCDLAB_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A trace is a file that a worker and the lab both map. The content of the file remains if the worker hangs, traps or
// is killed. One thread writes each chunk of the file, so the threads share only the count of chunks. If no chunk is
// free, further events are counted and dropped.

/// The kind of an event, which defines the meaning of its `a`, `b` and `count`.
enum gcdlab_trace_kind {
  GCDLAB_TRACE_NONE,
  GCDLAB_TRACE_BODY_BEGINS,
  GCDLAB_TRACE_BODY_ENDS,
  /// a: the block's number; b: the queue; how: gcdlab_trace_how; site: the stack of the call; count: for a parallel
  /// loop, the number of blocks, whose numbers are consecutive; for a submission for a later time, the time until the
  /// block is due, in microseconds, plus 1, or 0 if it is longer than an hour or not known; for another submission, its
  /// duration in nanoseconds, or 0 if it was not measured.
  GCDLAB_TRACE_SUBMIT,
  /// a: the block's number; b: the queue; how.
  GCDLAB_TRACE_BEGIN,
  /// a: the block's number.
  GCDLAB_TRACE_END,
  /// a: the thread that holds the lock, or 0; b: the queue, or 0; how: gcdlab_trace_reason; site: the stack of the
  /// call.
  GCDLAB_TRACE_WAIT,
  /// how: 1 if the wait ended because its time limit passed, and 0 otherwise.
  GCDLAB_TRACE_WAITED,
  /// a: the queue; how: gcdlab_trace_queue; count: the number of texts with the queue's label. Each text is one of the
  /// following events, and has 16 bytes of the label in a and b.
  GCDLAB_TRACE_QUEUE,
  GCDLAB_TRACE_TEXT,
  /// a: the address of a work item; b: the number of the work item's block.
  GCDLAB_TRACE_ITEM,
  /// a: a thread; b: its running time in nanoseconds, according to the system.
  GCDLAB_TRACE_ACCOUNT,
  /// The thread's name: 16 bytes in a and b. This event precedes the thread's other events.
  GCDLAB_TRACE_THREAD,
  /// A program's first event. a: the process identifier; count: the number of texts with the program's name.
  GCDLAB_TRACE_IMAGE,
  /// A stack. a: the stack's number, which is the site of other events; count: the number of the stack's addresses. The
  /// following events of the kind GCDLAB_TRACE_CALLS contain the addresses, beginning with the innermost call. Each of
  /// these events has two addresses, in a and b.
  GCDLAB_TRACE_SITE,
  GCDLAB_TRACE_CALLS,
  /// A file of the program. a: the address to which the file's own addresses are relative; count: the number of texts
  /// with the file's path, which is empty for the program itself.
  GCDLAB_TRACE_MODULE,
  /// a: a work item that was cancelled.
  GCDLAB_TRACE_CANCEL,
  /// a: a queue or a source that was suspended, or that has a target; b: the target, or 0. The target of a source is the
  /// queue of its handlers.
  GCDLAB_TRACE_HOLDS
};

enum gcdlab_trace_how {
  GCDLAB_TRACE_ASYNC, GCDLAB_TRACE_SYNC, GCDLAB_TRACE_APPLY, GCDLAB_TRACE_AFTER, GCDLAB_TRACE_NOTIFY, GCDLAB_TRACE_HANDLER,
  GCDLAB_TRACE_JOB,
  /// Added for a barrier.
  GCDLAB_TRACE_BARRIER = 16,
  /// Added for the block of a work item. The number in a submission is then the address of the work item.
  GCDLAB_TRACE_BY_ITEM = 32
};

enum gcdlab_trace_reason {
  GCDLAB_TRACE_GROUP, GCDLAB_TRACE_SEMAPHORE, GCDLAB_TRACE_IN_SYNC, GCDLAB_TRACE_IN_APPLY, GCDLAB_TRACE_ONCE,
  GCDLAB_TRACE_LOCK, GCDLAB_TRACE_CONDITION, GCDLAB_TRACE_JOIN, GCDLAB_TRACE_SLEEP, GCDLAB_TRACE_DESCRIPTOR,
  GCDLAB_TRACE_WORK
};

enum gcdlab_trace_queue {
  GCDLAB_TRACE_UNKNOWN, GCDLAB_TRACE_SERIAL, GCDLAB_TRACE_CONCURRENT, GCDLAB_TRACE_GLOBAL, GCDLAB_TRACE_MAIN,
  GCDLAB_TRACE_SWIFT_POOL, GCDLAB_TRACE_ACTOR,
  /// A source, which takes the place of a queue in the events of its handlers.
  GCDLAB_TRACE_SOURCE
};

struct gcdlab_trace_event {
  /// The time of the monotonic clock, in nanoseconds.
  uint64_t time;
  uint8_t kind;
  uint8_t how;
  /// The number of the call's stack; 0 if the stack is not known.
  uint16_t site;
  uint32_t count;
  uint64_t a;
  uint64_t b;
};

/// An event and the thread that wrote it, as the lab reads them.
struct gcdlab_traced {
  uint32_t thread;
  uint32_t image;
  uint32_t order;
  struct gcdlab_trace_event event;
};

/// The events that a trace lost because the file was full: their number, the time of the first event that was not
/// written (0 if all events were written), and the time of the last event that was overwritten (0 if no event was
/// overwritten).
struct gcdlab_trace_loss {
  uint64_t events;
  uint64_t first;
  uint64_t until;
};

/// Creates a file in memory for a trace. If `recycles` is true, new events overwrite the oldest events when the file is
/// full. The file uses at most 32 MiB. Returns the file's descriptor, or -1 and errno.
int gcdlab_trace_create(bool recycles);

/// Ends the record of all programs that write into a trace.
void gcdlab_trace_stop(int descriptor);

/// Returns the events of a trace in order of time, in memory that the caller frees; null and errno if the events cannot
/// be read. The recorded process may still run.
struct gcdlab_traced *gcdlab_trace_events(int descriptor, size_t *count, struct gcdlab_trace_loss *loss);

/// Returns whether the calls of this binary can be recorded, which requires that it is linked with the recorder's
/// wrappers (`make build`).
bool gcdlab_trace_sees_calls(void);

/// Maps the trace at a descriptor, and starts to record this program under a name. The record of the body begins on the
/// calling thread. Returns 0, or an error number.
int gcdlab_trace_begin(int descriptor, const char *name);

/// Records the end of the body and the running time of each thread, as the system reports it, and stops recording. The
/// call has no effect if the recording was not begun.
void gcdlab_trace_end(void);

#endif
