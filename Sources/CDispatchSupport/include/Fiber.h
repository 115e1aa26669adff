#ifndef GCDLAB_FIBER_H
#define GCDLAB_FIBER_H

#include <stdbool.h>

// A fiber gives a function a stack of its own, so that the function can pause in the middle and be resumed later. The
// fibers of a thread take turns: only one of them runs at a time.
struct gcdlab_fiber;

/// Creates a fiber with a stack; NULL if there is no memory.
struct gcdlab_fiber *gcdlab_fiber_create(void);
/// Creates a fiber with a thread of its own, which waits while the fiber is paused; NULL if no thread can be started. A
/// function that keeps values in thread-local variables, as a job of Swift does, can pause only in such a fiber.
struct gcdlab_fiber *gcdlab_fiber_create_thread(void);
/// Returns whether the fiber has a thread of its own.
bool gcdlab_fiber_has_thread(const struct gcdlab_fiber *fiber);
/// Frees a fiber, which must not be paused in the middle of its function.
void gcdlab_fiber_free(struct gcdlab_fiber *fiber);
/// Gives the fiber a function, which the next call of `gcdlab_fiber_resume` starts.
void gcdlab_fiber_begin(struct gcdlab_fiber *fiber, void (*run)(void *context), void *context);
/// Runs the fiber until it pauses or its function ends. Returns whether the function has ended.
bool gcdlab_fiber_resume(struct gcdlab_fiber *fiber);
/// Pauses the fiber. Call it on the fiber itself.
void gcdlab_fiber_pause(struct gcdlab_fiber *fiber);

/// Returns the execution that the calling thread explores; NULL if there is none.
void *gcdlab_execution(void);
void gcdlab_set_execution(void *execution);

/// Passes each job that an exploring thread enqueues on Swift's global executor to `take`, with the execution of that
/// thread. All other jobs are enqueued as usual. Returns false if the runtime of Swift concurrency has no hook for
/// this.
bool gcdlab_take_jobs(void (*take)(void *execution, void *job));
/// Runs a job that was taken until it ends or suspends.
void gcdlab_run_job(void *job);
/// Returns the number of the task that a job continues; 0 if the job belongs to no task.
unsigned long gcdlab_task_of_job(void *job);

#endif
