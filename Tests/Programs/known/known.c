// A program without the lab's code. ProgramTraceTests expects its every block and wait.
#ifdef __linux__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // ppoll, pthread_cond_clockwait
#endif
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The declarations of <dispatch/dispatch.h>, which requires a compiler flag.
typedef void *object;
typedef void (*function)(void *);
extern object dispatch_queue_create(const char *label, object attributes);
extern object dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
extern object dispatch_group_create(void);
extern object dispatch_semaphore_create(intptr_t value);
extern intptr_t dispatch_semaphore_signal(object semaphore);
extern intptr_t dispatch_semaphore_wait(object semaphore, uint64_t until);
extern intptr_t dispatch_group_wait(object group, uint64_t until);
extern void dispatch_async_f(object queue, void *context, function function);
extern void dispatch_barrier_async_f(object queue, void *context, function function);
extern void dispatch_sync_f(object queue, void *context, function function);
extern void dispatch_apply_f(size_t count, object queue, void *context, void (*function)(void *, size_t));
extern void dispatch_group_async_f(object group, object queue, void *context, function function);
extern void dispatch_after_f(uint64_t when, object queue, void *context, function function);
extern uint64_t dispatch_time(uint64_t when, int64_t delta);
extern struct anything _dispatch_queue_attr_concurrent;

static int counted;
static void count(void *unused) { __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED); }
static void iterate(void *unused, size_t index) { count(unused); }
static void rest(void *unused) { usleep(3000); }
static void signals(void *semaphore) { dispatch_semaphore_signal(semaphore); }
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef __linux__
// Returns the time 5 ms from now.
static struct timespec soon(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  long nanoseconds = time.tv_nsec + 5000000;
  return (struct timespec){time.tv_sec + nanoseconds / 1000000000, nanoseconds % 1000000000};
}
#endif

// Waits twice in each function of the C library that has a time limit, for an event that never occurs. Then calls the
// functions in such a way that they do not wait.
static void wait_with_limits(void) {
#ifdef __linux__
#if !__GLIBC_PREREQ(2, 30)
#define pthread_cond_clockwait(condition, mutex, clock, until) pthread_cond_timedwait(condition, mutex, until)
#define sem_clockwait(semaphore, clock, until) sem_timedwait(semaphore, until)
#endif
  static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  int events = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < 2; i++) {
    const struct timespec limit = {.tv_nsec = 1000000};
    struct timeval left = {.tv_usec = 1000};
    struct epoll_event event;
    ppoll(NULL, 0, &limit, NULL);
    pselect(0, NULL, NULL, NULL, &limit, NULL);
    select(0, NULL, NULL, NULL, &left);
    epoll_pwait(events, &event, 1, 1, NULL);
    struct timespec until = soon();
    pthread_mutex_lock(&lock);
    while (pthread_cond_clockwait(&never, &lock, CLOCK_REALTIME, &until) == 0) {}
    pthread_mutex_unlock(&lock);
    until = soon();
    sem_clockwait(&semaphore, CLOCK_REALTIME, &until);
  }
  // None of these calls waits.
  for (int i = 0; i < 1000; i++) {
    const struct timespec zero = {0};
    struct timeval none = {0};
    struct epoll_event event;
    poll(NULL, 0, 0);
    ppoll(NULL, 0, &zero, NULL);
    select(0, NULL, NULL, NULL, &none);
    pselect(0, NULL, NULL, NULL, &zero, NULL);
    epoll_wait(events, &event, 1, 0);
    epoll_pwait(events, &event, 1, 0, NULL);
    sem_post(&semaphore);
    sem_wait(&semaphore);
  }
  close(events);
#endif
}

int main(int count_of_arguments, char **arguments) {
  const char *what = count_of_arguments > 1 ? arguments[1] : "";
  object serial = dispatch_queue_create("known.serial", NULL);
  object concurrent = dispatch_queue_create("known.concurrent", &_dispatch_queue_attr_concurrent);
  object group = dispatch_group_create(), done = dispatch_semaphore_create(0);
  for (int i = 0; i < 5; i++) dispatch_async_f(serial, NULL, count);
  for (int i = 0; i < 3; i++) dispatch_sync_f(serial, NULL, count);
  for (int i = 0; i < 4; i++) dispatch_group_async_f(group, concurrent, NULL, rest);
  dispatch_barrier_async_f(concurrent, NULL, count);
  dispatch_group_wait(group, ~0ull);
  dispatch_apply_f(16, dispatch_get_global_queue(0, 0), NULL, iterate);
  dispatch_after_f(dispatch_time(0, 5000000), serial, done, signals);
  dispatch_semaphore_wait(done, ~0ull);
  wait_with_limits();
  // A child's calls before exec are not recorded.
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&lock);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  usleep(2000);
  printf("counted %d, child %d, %s\n", counted, WEXITSTATUS(status), getenv("LD_PRELOAD") ? "preloads" : "preloads nothing");
  fflush(stdout);
  if (strcmp(what, "_exit") == 0) _exit(3);
  if (strcmp(what, "abort") == 0) abort();
  if (strcmp(what, "kill") == 0) kill(getpid(), 9);
  if (strcmp(what, "exec") == 0) execlp("true", "true", NULL);
  return strcmp(what, "status") == 0 ? 5 : 0;
}
