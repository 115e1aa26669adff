// The C counterpart of the single signals of Sources/Patterns/EventSources/SignalSource.swift: a thread sends each
// signal after the previous signal has reached a source or a signal handler.
//
//   signal_latency source|sigaction [signals]
//
// Prints `latency`, the median in nanoseconds from the call of kill until the handler begins.
#include <dispatch/dispatch.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counterpart.h"

static _Atomic uint64_t arrival;
static int ends[2];
static dispatch_semaphore_t ready;
static const char *way = "source";
static int signals = 200;

static void handled(void) {
  arrival = now();
  int before = errno;
  char byte = 0;
  if (write(ends[1], &byte, 1) != 1) abort();
  errno = before;
}

static void handler(int number) {
  (void)number;
  handled();
}

// Runs on a separate thread, as in the lab, while dispatch_main serves the main queue.
static void *trial(void *unused) {
  if (!strcmp(way, "source")) {
    signal(SIGUSR1, SIG_IGN);
    dispatch_source_t source = dispatch_source_create(
        DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR1, 0, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0));
    dispatch_source_set_event_handler(source, ^{ handled(); });
    dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(ready); });
    dispatch_resume(source);
    dispatch_semaphore_wait(ready, DISPATCH_TIME_FOREVER);
  } else if (!strcmp(way, "sigaction")) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
  } else {
    exit(64);
  }
  // The signal is delivered to another thread: the main thread, which sleeps in dispatch_main.
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  uint64_t *latency = calloc((size_t)signals + 1, sizeof *latency);
  for (int i = 0; i <= signals; i++) {
    uint64_t sent = now();
    kill(getpid(), SIGUSR1);
    struct pollfd waited = {ends[0], POLLIN, 0};
    while (poll(&waited, 1, -1) < 1) {
    }
    char byte;
    if (read(ends[0], &byte, 1) != 1) abort();
    latency[i] = arrival > sent ? arrival - sent : 0;
  }
  print_median("latency", latency + 1, (size_t)signals);
  fflush(NULL);
  _exit(0);
  return unused;
}

int main(int count, char **arguments) {
  if (count > 1) way = arguments[1];
  if (count > 2) signals = atoi(arguments[2]);
  if (signals < 1) return fprintf(stderr, "usage: %s source|sigaction [signals]\n", arguments[0]), 64;
  ready = dispatch_semaphore_create(0);
  if (pipe(ends) != 0) return perror("pipe"), 2;
  pthread_t thread;
  if (pthread_create(&thread, NULL, trial, NULL) != 0) return perror("pthread_create"), 2;
  dispatch_main();
}
