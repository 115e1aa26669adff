// The waits of threads.
//
// The wrappers replace functions of Dispatch and of the C library, on every thread. Only slow paths, in which a thread
// has to wait, are recorded. If the slow path of a function cannot be wrapped, the function is wrapped, and a call that
// cannot wait is not recorded: a call with a time limit of 0, and a call for a free semaphore or mutex. If a wait is
// inside another wait, the outer wait determines the reason. A wrapper preserves errno, and must not wait itself.
#pragma once
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

#include "Blocks.h"

// Records the beginning of a wait. The owner is the thread that holds the lock or queue; 0 if it is not known.
static void waits(enum gcdlab_trace_reason reason, void *queue, uint32_t owner) {
  if (self.waits++ == 0) write_with(&self.pen, GCDLAB_TRACE_WAIT, reason, site(), 0, owner, (uint64_t)queue);
}
// Records the end of a wait, and whether the wait ended because its time limit passed.
static void waited(bool expired) {
  int error = errno;
  if (--self.waits == 0) record(GCDLAB_TRACE_WAITED, expired, 0, 0, 0);
  errno = error;
}
// Returns the reason of a wait: GCDLAB_TRACE_WORK for a pool thread outside of any block, and `reason` otherwise.
static enum gcdlab_trace_reason or_work(enum gcdlab_trace_reason reason) {
  know();
  return self.is_pool && self.depth == 0 ? GCDLAB_TRACE_WORK : reason;
}
static enum gcdlab_trace_reason inside_or(enum gcdlab_trace_reason reason) { return self.why ? self.why - 1 : reason; }

#define WAIT_AND(type, keep, give, can_wait, expired, name, parameters, arguments, reason, queue) \
  extern type __real_##name parameters WEAK;                                                      \
  type __wrap_##name parameters {                                                                 \
    if (!TRACING || !(can_wait)) return __real_##name arguments;                                  \
    waits(reason, queue, 0);                                                                      \
    keep __real_##name arguments;                                                                 \
    waited(expired);                                                                              \
    give;                                                                                         \
  }
#define WAIT_IF(can_wait, type, ...) WAIT_AND(type, type came =, return came, can_wait, false, __VA_ARGS__)
#define WAIT(...) WAIT_IF(true, __VA_ARGS__)
#define WAIT_VOID(...) WAIT_AND(void, , , true, false, __VA_ARGS__)
// A wait with a time limit. The function returns ETIMEDOUT if the time limit has passed.
#define WAIT_UNTIL(...) WAIT_AND(int, int came =, return came, true, came == ETIMEDOUT, __VA_ARGS__)

WAIT_VOID(_dispatch_sema4_wait, (void *semaphore), (semaphore), or_work(GCDLAB_TRACE_SEMAPHORE), NULL)
// The function returns true if the time limit has passed.
WAIT_AND(bool, bool came =, return came, true, came, _dispatch_sema4_timedwait, (void *semaphore, uint64_t until),
         (semaphore, until), or_work(GCDLAB_TRACE_SEMAPHORE), NULL)
WAIT_VOID(_dispatch_thread_event_wait_slow, (void *event), (event), inside_or(GCDLAB_TRACE_IN_SYNC), self.queue)
WAIT_VOID(_dispatch_once_wait, (void *gate), (gate), GCDLAB_TRACE_ONCE, NULL)
WAIT_UNTIL(_dispatch_wait_on_address, (volatile uint32_t *address, uint32_t value, uint64_t until, unsigned flags),
           (address, value, until, flags), GCDLAB_TRACE_GROUP, NULL)
// Returns the reason of a wait for events. Outside any block, a pool thread that waits for events is Dispatch's
// manager.
static enum gcdlab_trace_reason of_manager(void) {
  if (has_room(&self.pen, now()) && self.is_pool && self.depth == 0) strcpy(self.pen.chunk->name, "manager");
  return GCDLAB_TRACE_DESCRIPTOR;
}
WAIT_IF(timeout, int, epoll_wait, (int descriptor, struct epoll_event *events, int most, int timeout),
        (descriptor, events, most, timeout), of_manager(), NULL)
WAIT_IF(timeout, int, epoll_pwait,
        (int descriptor, struct epoll_event *events, int most, int timeout, const sigset_t *signals),
        (descriptor, events, most, timeout, signals), GCDLAB_TRACE_DESCRIPTOR, NULL)
WAIT_IF(timeout, int, poll, (struct pollfd *descriptors, nfds_t count, int timeout), (descriptors, count, timeout),
        GCDLAB_TRACE_DESCRIPTOR, NULL)
WAIT_IF(!timeout || timeout->tv_sec || timeout->tv_nsec, int, ppoll,
        (struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const sigset_t *signals),
        (descriptors, count, timeout, signals), GCDLAB_TRACE_DESCRIPTOR, NULL)
WAIT_IF(!timeout || timeout->tv_sec || timeout->tv_usec, int, select,
        (int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout),
        (count, in, out, other, timeout), GCDLAB_TRACE_DESCRIPTOR, NULL)
WAIT_IF(!timeout || timeout->tv_sec || timeout->tv_nsec, int, pselect,
        (int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout, const sigset_t *signals),
        (count, in, out, other, timeout, signals), GCDLAB_TRACE_DESCRIPTOR, NULL)
WAIT(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left), GCDLAB_TRACE_SLEEP, NULL)
WAIT(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
     (clock, flags, time, left), GCDLAB_TRACE_SLEEP, NULL)
WAIT(int, usleep, (useconds_t time), (time), GCDLAB_TRACE_SLEEP, NULL)
WAIT(unsigned, sleep, (unsigned seconds), (seconds), GCDLAB_TRACE_SLEEP, NULL)
WAIT(int, pthread_join, (pthread_t thread, void **result), (thread, result), GCDLAB_TRACE_JOIN, NULL)
WAIT(int, pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *mutex), (condition, mutex),
     GCDLAB_TRACE_CONDITION, NULL)
WAIT_UNTIL(pthread_cond_timedwait,
           (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until),
           (condition, mutex, until), GCDLAB_TRACE_CONDITION, NULL)
// glibc has `pthread_cond_clockwait` and `sem_clockwait` since version 2.30. If the C library lacks a function, nothing
// calls the wrapper.
WAIT_UNTIL(pthread_cond_clockwait,
           (pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until),
           (condition, mutex, clock, until), GCDLAB_TRACE_CONDITION, NULL)
// Waits in the C library for a mutex, a reader-writer lock, or a POSIX semaphore.
WAIT_VOID(__lll_lock_wait, (int *word, int private), (word, private), GCDLAB_TRACE_LOCK, NULL)
WAIT_UNTIL(__futex_abstimed_wait64,
           (unsigned *word, unsigned value, clockid_t clock, const struct timespec *until, int private),
           (word, value, clock, until, private), GCDLAB_TRACE_LOCK, NULL)
WAIT_UNTIL(__futex_abstimed_wait_cancelable64,
           (unsigned *word, unsigned value, clockid_t clock, const struct timespec *until, int private),
           (word, value, clock, until, private), GCDLAB_TRACE_SEMAPHORE, NULL)

// Dispatch and Swift's Mutex call the kernel themselves. The futex word of a Mutex contains the number of the thread
// that holds the Mutex.
extern long __real_syscall(long number, long a, long b, long c, long d, long e, long f) WEAK;
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (!TRACING || number != SYS_futex) return __real_syscall(number, a, b, c, d, e, f);
  long operation = b & FUTEX_CMD_MASK;
  if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET && operation != FUTEX_LOCK_PI) {
    return __real_syscall(number, a, b, c, d, e, f);
  }
  uint32_t owner =
      operation == FUTEX_LOCK_PI ? __atomic_load_n((uint32_t *)a, __ATOMIC_RELAXED) & FUTEX_TID_MASK : 0;
  waits(owner ? GCDLAB_TRACE_LOCK : inside_or(GCDLAB_TRACE_LOCK), owner ? NULL : self.queue, owner);
  long result = __real_syscall(number, a, b, c, d, e, f);
  waited(result == -1 && errno == ETIMEDOUT);
  return result;
}

#ifdef GCDLAB_PRELOADED

// Calls whose slow path cannot be wrapped from outside the library.

// Takes the semaphore if it is free. Every wait for a semaphore is a cancellation point.
static bool takes(sem_t *semaphore) {
  int error = errno;
  pthread_testcancel();
  bool taken = sem_trywait(semaphore) == 0;
  errno = error;
  return taken;
}
#define SEMAPHORE(name, parameters, arguments)                         \
  extern int __real_##name parameters;                                 \
  int __wrap_##name parameters {                                       \
    if (!TRACING) return __real_##name arguments;                      \
    if (takes(semaphore)) return 0;                                    \
    waits(or_work(GCDLAB_TRACE_SEMAPHORE), NULL, 0);                   \
    int result = __real_##name arguments;                              \
    waited(result == -1 && errno == ETIMEDOUT);                        \
    return result;                                                     \
  }
SEMAPHORE(sem_wait, (sem_t *semaphore), (semaphore))
SEMAPHORE(sem_timedwait, (sem_t *semaphore, const struct timespec *until), (semaphore, until))
SEMAPHORE(sem_clockwait, (sem_t *semaphore, clockid_t clock, const struct timespec *until), (semaphore, clock, until))
extern int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (!TRACING) return __real_pthread_mutex_lock(mutex);
  int result = pthread_mutex_trylock(mutex);
  if (result != EBUSY) return result;
  waits(GCDLAB_TRACE_LOCK, NULL, (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED));
  result = __real_pthread_mutex_lock(mutex);
  waited(false);
  return result;
}

#define EXPECTED(type, name, parameters, arguments, reason)   \
  extern type __real_##name parameters;                       \
  type __wrap_##name parameters {                             \
    if (!TRACING) return __real_##name arguments;             \
    INSIDE(reason, NULL, type came = __real_##name arguments) \
    return came;                                              \
  }
EXPECTED(long, dispatch_group_wait, (void *group, uint64_t until), (group, until), GCDLAB_TRACE_GROUP)
EXPECTED(long, dispatch_block_wait, (void *item, uint64_t until), (item, until), GCDLAB_TRACE_GROUP)
// The function that `dispatch_once` runs belongs to the program, so its calls are recorded.
#define ONCE(name, parameters, arguments)            \
  extern void __real_##name parameters;              \
  void __wrap_##name parameters {                    \
    if (!TRACING) return __real_##name arguments;    \
    uint8_t outer = self.why;                        \
    self.why = GCDLAB_TRACE_ONCE + 1;                \
    __real_##name arguments;                         \
    self.why = outer;                                \
  }
ONCE(dispatch_once, (long *gate, void *block), (gate, block))
ONCE(dispatch_once_f, (long *gate, void *context, void (*function)(void *)), (gate, context, function))

#endif
