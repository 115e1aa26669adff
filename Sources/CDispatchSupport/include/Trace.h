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
  /// a: the block's number; b: the queue; how: gcdlab_trace_how; count: for a parallel loop, the number of blocks,
  /// whose numbers follow; for any other, the nanoseconds of the submission, or 0 if they were not measured; site.
  GCDLAB_TRACE_SUBMIT,
  /// a: the block's number; b: the queue; how.
  GCDLAB_TRACE_BEGIN,
  /// a: the block's number.
  GCDLAB_TRACE_END,
  /// a: the thread that holds the lock, or 0; b: the queue, or 0; how: gcdlab_trace_reason; site.
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
  GCDLAB_TRACE_THREAD,
  /// A program's first event. a: its process; count: the number of texts with its name.
  GCDLAB_TRACE_IMAGE,
  /// A stack. a: its number, the site of other events; count: the number of addresses, the innermost first, of which
  /// each of the following events GCDLAB_TRACE_CALLS has two, in a and b.
  GCDLAB_TRACE_SITE,
  GCDLAB_TRACE_CALLS,
  /// A file of the program. a: the address that its own addresses are relative to; count: the number of texts with its
  /// path, which is empty for the program itself.
  GCDLAB_TRACE_MODULE,
  /// a: a work item that was cancelled.
  GCDLAB_TRACE_CANCEL,
  /// a: a queue that was suspended, or that has a target; b: the target, or 0.
  GCDLAB_TRACE_HOLDS
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
  /// The stack of the call; 0 if it is not known.
  uint16_t site;
  uint32_t count;
  uint64_t a;
  uint64_t b;
};

/// An event as it is read, with the thread that wrote it.
struct gcdlab_traced {
  uint32_t thread;
  uint32_t image;
  uint32_t order;
  struct gcdlab_trace_event event;
};

/// The events that a trace has lost because it had no room: their number, the time of the first that was not written
/// (0 if there is none), and that of the last which was overwritten (0 if there is none).
struct gcdlab_trace_loss {
  uint64_t events;
  uint64_t first;
  uint64_t until;
};

/// Creates a file in memory for a trace. If `recycles` is true, the oldest events make room for new ones. At most 32
/// MiB are ever used. Returns -1 and errno if it fails.
int gcdlab_trace_create(bool recycles);

/// Ends the record of all programs that write into a trace.
void gcdlab_trace_stop(int descriptor);

/// Returns the events of a trace in order of time, in memory that the caller frees; null and errno if they cannot be
/// read. The writer may be alive or have ended.
struct gcdlab_traced *gcdlab_trace_events(int descriptor, size_t *count, struct gcdlab_trace_loss *loss);

/// Returns whether the calls of this binary can be recorded: whether the binary is linked so that they pass through
/// here (`make build`).
bool gcdlab_trace_sees_calls(void);

/// Maps the trace at a descriptor and records from now on, under a name. The calling thread starts a body. Returns 0 or
/// an error number.
int gcdlab_trace_begin(int descriptor, const char *name);

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
  int32_t process;
  uint16_t core;
  uint8_t kind;
  /// The number of lost records.
  uint32_t count;
};

struct gcdlab_switches;

/// Starts a program that waits, before any of it runs, until a byte can be read from `gate`. If the program cannot be
/// started then, its error number is written to `report`; otherwise `report` is closed. The variables (`A=B`, the last
/// one null) are added to this process's environment. Returns the process, or -1 and errno.
int gcdlab_start_held(const char *path, char *const arguments[], char *const variables[], int gate, int report);

/// Returns the readable form of a Swift symbol, which the caller frees; null if the symbol is not one of Swift. The
/// function belongs to the Swift runtime.
char *swift_demangle(const char *symbol, size_t length, char *buffer, size_t *size, uint32_t flags);

/// Returns the readable form of a C++ symbol, which the caller frees; null if the symbol is not one of C++.
char *gcdlab_demangle_cxx(const char *symbol);

/// Creates a file in memory with these bytes, which cannot be changed. Returns its descriptor, or -1 and errno.
int gcdlab_sealed_file(const void *bytes, size_t count);

/// Returns whether a text occurs in these bytes.
bool gcdlab_bytes_contain(const void *bytes, size_t count, const char *text);

/// Ends this process in the way in which a signal does, without a core file.
void gcdlab_end_by(int signal);

/// Waits for one of these signals. Returns its number, and whether the terminal or the system sent it.
int gcdlab_wait_for_signal(const void *signals, bool *is_of_system);

/// Starts the record of a process that has only one thread so far, and of all threads that it starts. If `follows` is
/// true, the record includes all processes that it starts. Returns null and errno if it fails: ENOSYS if the system has
/// no such record, EACCES or EPERM if it does not allow it.
struct gcdlab_switches *gcdlab_switches_open(int process, bool follows);

/// Collects records until gcdlab_switches_stop(). Call it on a thread of its own.
void gcdlab_switches_collect(struct gcdlab_switches *switches);

/// Ends gcdlab_switches_collect().
void gcdlab_switches_stop(struct gcdlab_switches *switches);

/// Returns the records, in order for each core. They are valid until gcdlab_switches_close().
const struct gcdlab_switch *gcdlab_switches_all(struct gcdlab_switches *switches, size_t *count);

void gcdlab_switches_close(struct gcdlab_switches *switches);

#endif
