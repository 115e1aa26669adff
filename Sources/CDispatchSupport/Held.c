#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "Programs.h"

extern char **environ;

static size_t length(char *const *list) {
  size_t count = 0;
  while (list[count]) count++;
  return count;
}

int gcdlab_start_held(const char *path, char *const arguments[], char *const variables[], int gate, int report) {
  char **environment = calloc(length(environ) + length(variables) + 1, sizeof *environment);
  if (!environment) return -1;
  size_t count = 0;
  for (char **old = environ; *old; old++) {
    size_t name = strcspn(*old, "=") + 1, i = 0;
    while (variables[i] && strncmp(variables[i], *old, name) != 0) i++;
    if (!variables[i]) environment[count++] = *old;
  }
  for (size_t i = 0; variables[i]; i++) environment[count++] = variables[i];
  pid_t process = fork();
  if (process != 0) {
    int error = errno;
    free(environment);
    errno = error;
    return process;
  }
  // From here on, the child calls only functions that are safe after the fork of a process with several threads. The
  // program must not inherit the signals that the lab blocks or ignores. exec itself removes the lab's signal handlers.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  char byte;
  ssize_t got;
  while ((got = read(gate, &byte, 1)) < 0 && errno == EINTR) {}
  // The lab ended before it released the program.
  if (got != 1) _exit(127);
  execve(path, arguments, environment);
  int error = errno;
  while (write(report, &error, sizeof error) < 0 && errno == EINTR) {}
  _exit(127);
}

// The function is part of the C++ library, which Dispatch and the Swift runtime need.
extern char *__cxa_demangle(const char *symbol, char *buffer, size_t *length, int *status) __attribute__((weak));

char *gcdlab_demangle_cxx(const char *symbol) {
  int status = 0;
  return __cxa_demangle ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
}

void gcdlab_end_by(int number) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(number, SIG_DFL);
  sigset_t all;
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  // The signal is sent to this thread, since another thread may wait for it.
  raise(number);
  _exit(128 + number);
}

int gcdlab_wait_for_signal(const void *signals, bool *is_of_system) {
#ifdef __linux__
  siginfo_t info;
  int number;
  while ((number = sigwaitinfo(signals, &info)) < 0) {}
  *is_of_system = info.si_code > 0;
#else
  int number = 0;
  while (sigwait(signals, &number) != 0) {}
  *is_of_system = false;
#endif
  return number;
}

#ifdef __linux__

#include <fcntl.h>
#include <sys/mman.h>

int gcdlab_sealed_file(const void *bytes, size_t count) {
  int descriptor = memfd_create("gcdlab-recorder", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -1;
  const char *next = bytes;
  while (count > 0) {
    ssize_t written = write(descriptor, next, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      int error = errno;
      close(descriptor);
      errno = error;
      return -1;
    }
    next += written;
    count -= (size_t)written;
  }
  fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  return descriptor;
}

#else

int gcdlab_sealed_file(const void *bytes, size_t count) {
  (void)bytes, (void)count;
  errno = ENOSYS;
  return -1;
}

#endif

bool gcdlab_bytes_contain(const void *bytes, size_t count, const char *text) {
  return memmem(bytes, count, text, strlen(text)) != NULL;
}
