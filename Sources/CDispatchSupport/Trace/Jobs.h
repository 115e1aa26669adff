// The jobs of Swift concurrency, each of which runs from one suspension to the next.
//
// If the Swift runtime is linked statically, the wrappers replace two of its functions: the submission of a job, on any
// thread, and the execution of a job, on a thread of Swift's pool or of an executor. If the runtime is loaded, Calls.h
// records the jobs as functions on the pool's queues.
#pragma once
#include "Blocks.h"
#include "Queues.h"

#define SWIFT __attribute__((swiftcall))
extern SWIFT void __real_swift_task_enqueueGlobal(void *job) WEAK;
SWIFT void __wrap_swift_task_enqueueGlobal(void *job) {
  if (TRACED) record(GCDLAB_TRACE_SUBMIT, GCDLAB_TRACE_JOB, 1, (uint64_t)job, 0);
  __real_swift_task_enqueueGlobal(job);
}
struct swift_string {
  const char *bytes;
  uintptr_t count;
};
extern SWIFT struct swift_string swift_getTypeName(const void *metadata, bool qualified) WEAK;
static _Thread_local void *known_actor;
extern SWIFT void __real_swift_job_run(void *job, void *identity, void *implementation) WEAK;
SWIFT void __wrap_swift_job_run(void *job, void *identity, void *implementation) {
  if (!TRACED) return __real_swift_job_run(job, identity, implementation);
  if (identity && identity != known_actor) {
    known_actor = identity;
    struct swift_string name = swift_getTypeName(*(void **)identity, false);
    char label[64] = "";
    memcpy(label, name.bytes, name.count < 63 ? name.count : 63);
    // A default actor has no implementation of an executor. The executors of a program may run jobs at the same time.
    queue_is(identity, implementation ? GCDLAB_TRACE_UNKNOWN : GCDLAB_TRACE_ACTOR, label);
  }
  struct place outer = begin((uint64_t)job, identity, GCDLAB_TRACE_JOB);
  __real_swift_job_run(job, identity, implementation);
  end((uint64_t)job, outer);
}
