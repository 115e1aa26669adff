// The C counterpart of Sources/Patterns/EventSources/ProcessMonitorPattern.swift. The children are workers of the lab,
// which send the time as their last act. A read source for a pidfd, a waiting thread, or a source for SIGCHLD reports
// their exits.
//
//   process_exit LAB child-exit|waitpid-thread|sigchld [processes]
//
// Prints `report-latency`, the median in nanoseconds.
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counterpart.h"

static const char request[] =
    "{\"pattern\":\"process-monitor\",\"variant\":\"child-exit\",\"parameters\":{},\"seed\":1,\"stepsPerMicrosecond\":1,"
    "\"cores\":1}\n";

// The same messages as in ProcessMonitorPatternTrials.swift: a word and the time.
enum word { GO = 1 };
struct message {
  uint64_t word, time;
};

static const char *lab, *way;
static int processes = 10;
static uint64_t noticed;
static dispatch_semaphore_t told, ended;
static dispatch_queue_t queue;

static void heard(int status) {
  noticed = now();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) abort();
  dispatch_semaphore_signal(told);
}

static void *wait_for(void *child) {
  int status;
  waitpid((pid_t)(intptr_t)child, &status, 0);
  heard(status);
  dispatch_semaphore_signal(ended);
  return NULL;
}

static void watch(pid_t child) {
  if (!strcmp(way, "child-exit")) {
    int descriptor = (int)syscall(SYS_pidfd_open, child, 0);
    if (descriptor < 0) perror("pidfd_open"), exit(2);
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)descriptor, 0, queue);
    dispatch_source_set_event_handler(source, ^{
      int status;
      waitpid(child, &status, 0);
      heard(status);
      dispatch_source_cancel(source);
    });
    dispatch_source_set_cancel_handler(source, ^{
      close(descriptor);
      dispatch_semaphore_signal(ended);
    });
    dispatch_resume(source);
  } else if (!strcmp(way, "waitpid-thread")) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for, (void *)(intptr_t)child) != 0) abort();
    pthread_detach(thread);
  } else if (!strcmp(way, "sigchld")) {
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, SIGCHLD, 0, queue);
    dispatch_semaphore_t is_registered = dispatch_semaphore_create(0);
    dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(is_registered); });
    dispatch_source_set_event_handler(source, ^{
      int status;
      while (waitpid(-1, &status, WNOHANG) > 0) {
        heard(status);
        dispatch_source_cancel(source);
      }
    });
    dispatch_source_set_cancel_handler(source, ^{ dispatch_semaphore_signal(ended); });
    dispatch_resume(source);
    dispatch_semaphore_wait(is_registered, DISPATCH_TIME_FOREVER);
  } else {
    exit(64);
  }
}

// A worker of the lab, and this program's ends of its two connections. On `line`, the worker receives the request to
// exit, and sends the time of its exit. The worker ends when `lifeline`, its standard input, is closed.
struct child {
  pid_t process;
  int line, lifeline;
};

static struct child start(void) {
  int line[2], lifeline[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lifeline))
    perror("socketpair"), exit(2);
  if (write(lifeline[0], request, sizeof request - 1) < 0) abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, lifeline[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  // The descriptor is duplicated to a higher number first. If its number were already 3, dup2 would have no effect, and
  // exec would close the descriptor.
  posix_spawn_file_actions_adddup2(&actions, line[1], 32);
  posix_spawn_file_actions_adddup2(&actions, 32, 3);
  posix_spawn_file_actions_addclose(&actions, 32);
  struct child child = {.line = line[0], .lifeline = lifeline[0]};
  char *arguments[] = {(char *)lab, "worker", NULL};
  char *environment[] = {"GCDLAB_PART=child 7", "SWIFT_BACKTRACE=enable=no", NULL};
  int failure = posix_spawn(&child.process, lab, &actions, NULL, arguments, environment);
  if (failure) fprintf(stderr, "cannot start %s: %s\n", lab, strerror(failure)), exit(2);
  posix_spawn_file_actions_destroy(&actions);
  close(line[1]);
  close(lifeline[1]);
  return child;
}

static void finish(struct child child) {
  close(child.line);
  close(child.lifeline);
}

// Runs on a separate thread, as a trial does.
static void *trial(void *unused) {
  uint64_t *notices = calloc((size_t)processes + 1, sizeof *notices);
  // The lab's children execute the same program as the lab. The exit of the last process that maps a page of a program
  // takes longer, by a fifth of the total time. One child therefore keeps running here as well.
  struct child other = start();
  for (int i = 0; i <= processes; i++) {
    struct child child = start();
    watch(child.process);
    struct message message = {GO, now()};
    if (write(child.line, &message, sizeof message) < 0 || read(child.line, &message, sizeof message) != sizeof message) abort();
    dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
    dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER);
    notices[i] = noticed - message.time;
    finish(child);
  }
  finish(other);
  print_median("report-latency", notices + 1, (size_t)processes);
  return unused;
}

int main(int argc, char **argv) {
  if (argc > 3) processes = atoi(argv[3]);
  if (argc < 3 || processes < 1)
    return fprintf(stderr, "usage: %s LAB child-exit|waitpid-thread|sigchld [processes]\n", argv[0]), 64;
  lab = argv[1];
  way = argv[2];
  told = dispatch_semaphore_create(0);
  ended = dispatch_semaphore_create(0);
  queue = dispatch_queue_create("watch", NULL);
  pthread_t thread;
  if (pthread_create(&thread, NULL, trial, NULL) != 0) return perror("pthread_create"), 2;
  pthread_join(thread, NULL);
  return 0;
}
