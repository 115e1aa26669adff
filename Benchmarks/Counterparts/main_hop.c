// The C counterpart of the hops of Sources/Patterns/Queues/MainQueue.swift: a thread submits a block to the main queue,
// and this block submits another block to another queue. The main thread serves the main queue in a loop, as
// CoreFoundation's run loop does.
//
//   main_hop async-hop|sync-hop [hops]
//
// Prints `to-main` and `back`, the medians in nanoseconds.
#include <dispatch/dispatch.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "counterpart.h"

// The functions that CoreFoundation's run loop calls.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

// The same state as in Hop.
struct hop {
  _Atomic uint64_t left, arrived, back;
  dispatch_semaphore_t end;
};

static void is_back(struct hop *hop) {
  hop->back = now();
  dispatch_semaphore_signal(hop->end);
}

static const char *way = "async-hop";
static int hops = 200;

static void *trial(void *unused) {
  uint64_t *to_main = calloc((size_t)hops + 1, sizeof *to_main), *back = calloc((size_t)hops + 1, sizeof *back);
  dispatch_queue_t queue = dispatch_queue_create("com.example.MyQueue", NULL);
  dispatch_queue_t global = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
  for (int i = 0; i <= hops; i++) {
    struct hop *hop = calloc(1, sizeof *hop);
    hop->end = dispatch_semaphore_create(0);
    if (!strcmp(way, "async-hop")) {
      hop->left = now();
      dispatch_async(dispatch_get_main_queue(), ^{
        hop->arrived = now();
        dispatch_async(queue, ^{ is_back(hop); });
      });
    } else if (!strcmp(way, "sync-hop")) {
      dispatch_async(global, ^{
        hop->left = now();
        dispatch_sync(dispatch_get_main_queue(), ^{ hop->arrived = now(); });
        is_back(hop);
      });
    } else {
      exit(64);
    }
    dispatch_semaphore_wait(hop->end, DISPATCH_TIME_FOREVER);
    to_main[i] = hop->arrived - hop->left;
    back[i] = hop->back - hop->arrived;
  }
  print_median("to-main", to_main + 1, (size_t)hops);
  print_median("back", back + 1, (size_t)hops);
  fflush(NULL);
  exit(0);
  return unused;
}

int main(int count, char **arguments) {
  if (count > 1) way = arguments[1];
  if (count > 2) hops = atoi(arguments[2]);
  if (hops < 1) return fprintf(stderr, "usage: %s async-hop|sync-hop [hops]\n", arguments[0]), 64;
  struct pollfd waited = {_dispatch_get_main_queue_handle_4CF(), POLLIN, 0};
  pthread_t thread;
  if (pthread_create(&thread, NULL, trial, NULL) != 0) return perror("pthread_create"), 2;
  for (;;) {
    uint64_t news;
    if (poll(&waited, 1, -1) <= 0) continue;
    if (read(waited.fd, &news, sizeof news) < 0) continue;
    _dispatch_main_queue_callback_4CF(NULL);
  }
}
