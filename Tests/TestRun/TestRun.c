// A run of tests has one directory and one keeper, which is a process of its own, since no other process detects that
// the test process was killed. The keeper reads from a socket whose other end only the test process holds.

#include "TestRun.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// The prefix contains a space, so that a script without quotation marks fails in the tests and not at a user's.
#define PREFIX "gcdlab tests-"
#define VARIABLE "GCDLAB_TESTS"

// MARK: The remains of a run

enum answer { no, yes, unknown };

static bool isEmpty(pid_t process, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", process, name);
  FILE *file = fopen(path, "re");
  if (!file) return true;
  bool empty = fgetc(file) == EOF;
  fclose(file);
  return empty;
}

// Returns whether a process was started with this entry in its environment. A process that is being replaced by another
// program temporarily has neither an environment nor arguments. Kernel threads and dead processes have neither, too,
// but they have no program.
static enum answer carries(pid_t process, const char *entry) {
  char path[64], *line = NULL, program[1];
  snprintf(path, sizeof path, "/proc/%d/environ", process);
  FILE *file = fopen(path, "re");
  if (!file) return no;
  size_t room = 0;
  bool found = false, any = false;
  while (!found && getdelim(&line, &room, 0, file) > 0) {
    any = true;
    found = strcmp(line, entry) == 0;
  }
  free(line);
  fclose(file);
  if (found) return yes;
  snprintf(path, sizeof path, "/proc/%d/exe", process);
  return !any && isEmpty(process, "cmdline") && readlink(path, program, 1) > 0 ? unknown : no;
}

// Kills all processes that carry the name of the run, until none is found any more. A process that is found may have
// started another one meanwhile, at an earlier place in the list of processes. Only Linux reports the environment of
// other processes.
static void killAll(const char *directory) {
  char entry[PATH_MAX + sizeof VARIABLE + 1];
  snprintf(entry, sizeof entry, VARIABLE "=%s", directory);
  for (int look = 0, clean = 0; clean < 3 && look < 1000; look++) {
    DIR *processes = opendir("/proc");
    if (!processes) return;
    clean++;
    for (struct dirent *name; (name = readdir(processes));) {
      pid_t process = atoi(name->d_name);
      if (process <= 0 || process == getpid()) continue;
      enum answer answer = carries(process, entry);
      if (answer == yes) kill(process, SIGKILL);
      if (answer != no) clean = 0;
    }
    closedir(processes);
    // The end of a process is not reported to processes other than its parent.
    poll(NULL, 0, 1);
  }
}

// Removes all entries of a directory, regardless of their permissions, and closes the directory. No link is followed.
static void empty(int directory) {
  fchmod(directory, 0700);
  DIR *entries = fdopendir(directory);
  if (!entries) {
    close(directory);
    return;
  }
  for (struct dirent *entry; (entry = readdir(entries));) {
    const char *name = entry->d_name;
    if (!strcmp(name, ".") || !strcmp(name, "..") || unlinkat(directory, name, 0) == 0) continue;
    int inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0 && errno == EACCES && fchmodat(directory, name, 0700, 0) == 0) {
      inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (inner >= 0) empty(inner);
    unlinkat(directory, name, AT_REMOVEDIR);
  }
  closedir(entries);
}

// Ends a run: kills its processes, and removes its directory. `directory` is a descriptor of the directory at `path`,
// which is closed.
static void end(const char *path, int directory) {
  killAll(path);
  empty(directory);
  rmdir(path);
}

// Opens and locks the directory of a run. Returns its descriptor; -1 if another process has locked the directory, or if
// it is not a directory of this user.
static int claim(const char *path) {
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return -1;
  struct stat opened, named;
  // Another run may have removed the directory between its creation and the lock.
  if (fstat(directory, &opened) == 0 && opened.st_uid == geteuid() && flock(directory, LOCK_EX | LOCK_NB) == 0 &&
      lstat(path, &named) == 0 && named.st_ino == opened.st_ino) {
    return directory;
  }
  close(directory);
  return -1;
}

// Ends the runs whose keepers have ended. A keeper holds the lock on its directory.
static void sweep(const char *parent) {
  DIR *entries = opendir(parent);
  if (!entries) return;
  for (struct dirent *entry; (entry = readdir(entries));) {
    char path[PATH_MAX];
    if (strncmp(entry->d_name, PREFIX, strlen(PREFIX))) continue;
    if (snprintf(path, sizeof path, "%s/%s", parent, entry->d_name) >= (int)sizeof path) continue;
    int directory = claim(path);
    if (directory >= 0) end(path, directory);
  }
  closedir(entries);
}

// MARK: A run

static char run[PATH_MAX];
static pid_t owner;
static int lifeline = -1;

// Closes all other descriptors that the test process inherited. A reader of the pipe for its output waits until every
// copy is closed.
static void closeAllBut(int one, int other) {
  DIR *all = opendir("/dev/fd");
  if (!all) return;
  for (struct dirent *entry; (entry = readdir(all));) {
    int number = atoi(entry->d_name);
    if (*entry->d_name != '.' && number != one && number != other && number != dirfd(all)) close(number);
  }
  closedir(all);
}

// Waits until the other end of the socket is closed, at the latest when the test process ends, and then ends the run.
static _Noreturn void keep(int socket, int directory) {
  // Signals that end the tests must not end the keeper: those of a terminal, and that of a closed pipe.
  setsid();
  for (int signal = 1; signal < 32; signal++) sigaction(signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
  closeAllBut(socket, directory);
  char nothing;
  while (read(socket, &nothing, 1) < 0 && errno == EINTR) {}
  end(run, directory);
  _exit(0);
}

const char *gcdlab_tests_begin(void) {
  const char *parent = getenv("TMPDIR");
  if (!parent || !*parent) parent = "/tmp";
  sweep(parent);
  int directory = -1, ends[2];
  for (int attempt = 0; directory < 0 && attempt < 100; attempt++) {
    if (snprintf(run, sizeof run, "%s/" PREFIX "XXXXXX", parent) >= (int)sizeof run || !mkdtemp(run)) break;
    directory = claim(run);
  }
  // Some tests run the lab as another user, for whom the directory replaces /tmp.
  if (directory >= 0) fchmod(directory, 01777);
  if (directory < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
    fprintf(stderr, "tests: no directory of their own in %s: %s\n", parent, strerror(errno));
    if (directory >= 0) close(directory);
    return NULL;
  }
  // Processes that the tests start must not inherit the socket.
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  pid_t child = fork();
  if (child == 0) {
    // The keeper is a child of a child, so that it is not among the descendants of the test process.
    if (fork() == 0) {
      close(ends[0]);
      keep(ends[1], directory);
    }
    _exit(0);
  }
  if (child > 0) while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  close(directory);
  close(ends[1]);
  owner = getpid();
  lifeline = ends[0];
  setenv(VARIABLE, run, 1);
  setenv("TMPDIR", run, 1);
  return run;
}

// Limits the number of tests that run at once, unless the user sets a limit. Without a limit, the tests would start more
// than a thousand processes at once, and need four thousand descriptors. The limit does not depend on the number of
// cores, since most tests wait for a process.
static void limitTests(void) { setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "32", false); }

__attribute__((constructor)) static void beginUnlessBegun(void) {
  limitTests();
  // An exit test is a process of the same program, and belongs to the run that started it.
  if (!getenv(VARIABLE)) gcdlab_tests_begin();
}

// A process that exits normally waits for its keeper, so that nothing is left when the process has ended.
__attribute__((destructor)) static void endInOrder(void) {
  if (lifeline < 0 || owner != getpid()) return;
  char nothing;
  shutdown(lifeline, SHUT_WR);
  while (read(lifeline, &nothing, 1) < 0 && errno == EINTR) {}
}
