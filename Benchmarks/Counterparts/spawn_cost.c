// Measures the cost of starting a command and of waiting for its end, and the command's peak memory.
//
// usage: spawn_cost runs request command [argument…]
// Prints `wall N` (ns), `peak-memory N` (bytes) and `status N` for each run. `request` and a newline are written to the
// command's standard input, and the pipe stays open until the command ends. The output of the command passes through.
//
// This is a separate small program, since a child's peak memory includes the memory of the process that started the
// child, until the child calls exec.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "counterpart.h"

extern char **environ;

int main(int argc, char **argv) {
  long runs = argc > 3 ? strtol(argv[1], NULL, 10) : 0;
  if (runs < 1) return fprintf(stderr, "usage: %s runs request command [argument...]\n", argv[0]), 64;
  for (long run = 0; run < runs; run++) {
    int input[2];
    if (pipe2(input, O_CLOEXEC) != 0) return perror("pipe"), 2;
    // The request is written before the start, so that the command never waits for the request. A request is far
    // smaller than a pipe.
    if (dprintf(input[1], "%s\n", argv[2]) < 0) return perror("write"), 2;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);

    pid_t child;
    int status;
    struct rusage usage;
    uint64_t start = now();
    int failure = posix_spawnp(&child, argv[3], &actions, NULL, argv + 3, environ);
    if (failure) return fprintf(stderr, "cannot start %s: %s\n", argv[3], strerror(failure)), 2;
    while (wait4(child, &status, 0, &usage) < 0) {
      if (errno != EINTR) return perror("wait4"), 2;
    }
    uint64_t elapsed = now() - start;
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(input[1]);
    printf("wall %llu\npeak-memory %lld\nstatus %d\n", (unsigned long long)elapsed, (long long)usage.ru_maxrss * 1024,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
  return 0;
}
