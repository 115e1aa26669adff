#ifndef GCDLAB_FIBER_H
#define GCDLAB_FIBER_H

#include <stdbool.h>

// A function with its own stack, which can pause before it returns and be resumed later. Only one fiber of a thread
// runs at a time.
struct gcdlab_fiber;

/// Creates a fiber with a stack; NULL if there is not enough memory.
struct gcdlab_fiber *gcdlab_fiber_create(void);
/// Creates a fiber with its own thread, which waits while the fiber is paused; NULL if no thread can be started. A
/// function that stores values in thread-local variables, as a job of Swift does, can pause only in such a fiber.
struct gcdlab_fiber *gcdlab_fiber_create_thread(void);
/// Returns whether the fiber has its own thread.
bool gcdlab_fiber_has_thread(const struct gcdlab_fiber *fiber);
/// Frees a fiber. The fiber's function must have ended.
void gcdlab_fiber_free(struct gcdlab_fiber *fiber);
/// Sets the function of the fiber. The next call of `gcdlab_fiber_resume` starts the function.
void gcdlab_fiber_begin(struct gcdlab_fiber *fiber, void (*run)(void *context), void *context);
/// Runs the fiber until it pauses or its function ends. Returns whether the function has ended.
bool gcdlab_fiber_resume(struct gcdlab_fiber *fiber);
/// Pauses the calling fiber.
void gcdlab_fiber_pause(struct gcdlab_fiber *fiber);

/// Returns the current execution of the calling thread; NULL if the thread has no execution.
void *gcdlab_execution(void);
void gcdlab_set_execution(void *execution);

/// Passes to `take` each job that an exploring thread enqueues on Swift's global executor, and the thread's execution.
/// All other jobs are enqueued as usual. Returns false if the runtime of Swift concurrency does not support the hook.
bool gcdlab_take_jobs(void (*take)(void *execution, void *job));
/// Runs a job until it ends or suspends.
void gcdlab_run_job(void *job);
/// Returns a number that identifies the task of a job; 0 if the job does not belong to a task.
unsigned long gcdlab_task_of_job(void *job);

#endif
