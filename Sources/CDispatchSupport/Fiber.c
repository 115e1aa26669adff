#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700  // ucontext on Darwin
#endif
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "Fiber.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __APPLE__
// Darwin deprecates these functions because of their prototypes, and has no replacement.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#endif

#if __has_feature(thread_sanitizer)
extern void *__tsan_get_current_fiber(void);
extern void *__tsan_create_fiber(unsigned flags);
extern void __tsan_destroy_fiber(void *fiber);
extern void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#else
static void *__tsan_get_current_fiber(void) { return NULL; }
static void *__tsan_create_fiber(unsigned flags) { return (void)flags, NULL; }
static void __tsan_destroy_fiber(void *fiber) { (void)fiber; }
static void __tsan_switch_to_fiber(void *fiber, unsigned flags) { (void)fiber, (void)flags; }
#endif

enum { STACK = 512 << 10 };  // Only pages that are used occupy memory.

struct gcdlab_fiber {
  ucontext_t own, caller;
  void *memory, *tsan, *tsan_caller, *context;
  void (*run)(void *);
  bool has_ended;
  // The state of a fiber with its own thread: whether the fiber or the resuming thread may run, and the execution of
  // the resuming thread.
  bool has_thread, is_running, is_freed;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t turn;
  void *execution;
};

static _Thread_local void *execution;

struct gcdlab_fiber *gcdlab_fiber_create(void) {
  struct gcdlab_fiber *fiber = calloc(1, sizeof *fiber);
  if (!fiber) return NULL;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  fiber->memory = mmap(NULL, STACK + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  // An overflow of the stack must end the process, and must not overwrite another stack.
  if (fiber->memory == MAP_FAILED || mprotect(fiber->memory, page, PROT_NONE) != 0) {
    if (fiber->memory != MAP_FAILED) munmap(fiber->memory, STACK + page);
    free(fiber);
    return NULL;
  }
  fiber->tsan = __tsan_create_fiber(0);
  fiber->has_ended = true;
  return fiber;
}

// Waits until `is_running` of the fiber has the given value. The caller holds the mutex.
static void wait_until(struct gcdlab_fiber *fiber, bool is_running) {
  while (fiber->is_running != is_running) pthread_cond_wait(&fiber->turn, &fiber->mutex);
}

// Passes the turn to the other thread. The caller holds the mutex.
static void pass_turn(struct gcdlab_fiber *fiber) {
  fiber->is_running = !fiber->is_running;
  pthread_cond_signal(&fiber->turn);
}

static void *serve(void *context) {
  struct gcdlab_fiber *fiber = context;
  pthread_mutex_lock(&fiber->mutex);
  for (wait_until(fiber, true); !fiber->is_freed; wait_until(fiber, true)) {
    execution = fiber->execution;
    pthread_mutex_unlock(&fiber->mutex);
    fiber->run(fiber->context);
    pthread_mutex_lock(&fiber->mutex);
    fiber->has_ended = true;
    pass_turn(fiber);
  }
  pthread_mutex_unlock(&fiber->mutex);
  return NULL;
}

struct gcdlab_fiber *gcdlab_fiber_create_thread(void) {
  struct gcdlab_fiber *fiber = calloc(1, sizeof *fiber);
  if (!fiber) return NULL;
  fiber->has_ended = fiber->has_thread = true;
  pthread_mutex_init(&fiber->mutex, NULL);
  pthread_cond_init(&fiber->turn, NULL);
  if (pthread_create(&fiber->thread, NULL, serve, fiber) == 0) return fiber;
  free(fiber);
  return NULL;
}

bool gcdlab_fiber_has_thread(const struct gcdlab_fiber *fiber) { return fiber->has_thread; }

void gcdlab_fiber_free(struct gcdlab_fiber *fiber) {
  if (fiber->has_thread) {
    pthread_mutex_lock(&fiber->mutex);
    fiber->is_freed = true;
    pass_turn(fiber);
    pthread_mutex_unlock(&fiber->mutex);
    pthread_join(fiber->thread, NULL);
    pthread_cond_destroy(&fiber->turn);
    pthread_mutex_destroy(&fiber->mutex);
    free(fiber);
    return;
  }
  __tsan_destroy_fiber(fiber->tsan);
  munmap(fiber->memory, STACK + (size_t)sysconf(_SC_PAGESIZE));
  free(fiber);
}

// makecontext passes only integers, so the address is passed in two halves.
static void start(unsigned high, unsigned low) {
  struct gcdlab_fiber *fiber = (struct gcdlab_fiber *)((uintptr_t)high << 32 | low);
  fiber->run(fiber->context);
  fiber->has_ended = true;
  gcdlab_fiber_pause(fiber);
}

void gcdlab_fiber_begin(struct gcdlab_fiber *fiber, void (*run)(void *), void *context) {
  fiber->run = run;
  fiber->context = context;
  fiber->has_ended = false;
  if (fiber->has_thread) return;
  getcontext(&fiber->own);
  fiber->own.uc_stack.ss_sp = (char *)fiber->memory + sysconf(_SC_PAGESIZE);
  fiber->own.uc_stack.ss_size = STACK;
  fiber->own.uc_link = NULL;
  uint64_t address = (uintptr_t)fiber;
  makecontext(&fiber->own, (void (*)(void))start, 2, (unsigned)(address >> 32), (unsigned)address);
}

bool gcdlab_fiber_resume(struct gcdlab_fiber *fiber) {
  if (fiber->has_thread) {
    pthread_mutex_lock(&fiber->mutex);
    fiber->execution = execution;
    pass_turn(fiber);
    wait_until(fiber, false);
    pthread_mutex_unlock(&fiber->mutex);
    return fiber->has_ended;
  }
  fiber->tsan_caller = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber->tsan, 0);
  swapcontext(&fiber->caller, &fiber->own);
  return fiber->has_ended;
}

void gcdlab_fiber_pause(struct gcdlab_fiber *fiber) {
  if (fiber->has_thread) {
    pthread_mutex_lock(&fiber->mutex);
    pass_turn(fiber);
    wait_until(fiber, true);
    pthread_mutex_unlock(&fiber->mutex);
    return;
  }
  __tsan_switch_to_fiber(fiber->tsan_caller, 0);
  swapcontext(&fiber->own, &fiber->caller);
}

void *gcdlab_execution(void) { return execution; }
void gcdlab_set_execution(void *current) { execution = current; }

// Jobs of Swift concurrency: the Swift runtime calls a hook instead of enqueueing a job on the global executor.

#define SWIFT __attribute__((swiftcall))
typedef SWIFT void (*enqueue)(void *job);
extern SWIFT void (*swift_task_enqueueGlobal_hook)(void *job, enqueue original) __attribute__((weak));
extern SWIFT void swift_job_run(void *job, void *identity, void *implementation) __attribute__((weak));
extern SWIFT unsigned long swift_task_getJobTaskId(void *job) __attribute__((weak));

static void (*taker)(void *execution, void *job);

static SWIFT void enqueued(void *job, enqueue original) {
  if (execution) taker(execution, job);
  else original(job);
}

bool gcdlab_take_jobs(void (*take)(void *execution, void *job)) {
  if (!&swift_task_enqueueGlobal_hook || !swift_job_run || !swift_task_getJobTaskId) return false;
  taker = take;
  __atomic_store_n(&swift_task_enqueueGlobal_hook, enqueued, __ATOMIC_RELEASE);
  return true;
}

void gcdlab_run_job(void *job) { swift_job_run(job, NULL, NULL); }

unsigned long gcdlab_task_of_job(void *job) { return swift_task_getJobTaskId(job); }
