#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // sched_getaffinity
#endif
#include "CDispatchSupport.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <unistd.h>

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

#ifdef __linux__
#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

_Thread_local uint64_t gcdlab_chain_of_thread;
_Thread_local intptr_t gcdlab_number_of_thread;
_Thread_local bool gcdlab_thread_is_own;

int gcdlab_core_count(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return gcdlab_online_count();
}

size_t gcdlab_allocated_size(void *memory) {
#ifdef __APPLE__
  return malloc_size(memory);
#else
  return malloc_usable_size(memory);
#endif
}

int gcdlab_online_count(void) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

int gcdlab_core_number(int index) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return -1;
  for (int core = 0; core < CPU_SETSIZE; core++)
    if (CPU_ISSET(core, &set) && index-- == 0) return core;
#endif
  (void)index;
  return -1;
}

int gcdlab_current_core(void) {
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

int gcdlab_give_up_raising_priority(void) {
#ifdef __linux__
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_NICE, &none) != 0) return errno;
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, sets) != 0) return errno;
  const uint32_t others = ~(UINT32_C(1) << CAP_SYS_NICE);
  sets[0].effective &= others;
  sets[0].permitted &= others;
  sets[0].inheritable &= others;
  if (syscall(SYS_capset, &header, sets) != 0) return errno;
  int before = getpriority(PRIO_PROCESS, 0);
  if (before < 0) setpriority(PRIO_PROCESS, 0, before = 0);
  if (setpriority(PRIO_PROCESS, 0, before - 1) != 0) return 0;
  setpriority(PRIO_PROCESS, 0, before);
  return EPERM;
#else
  return ENOSYS;
#endif
}

int gcdlab_prefer_core(int index) {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return errno;
  if (CPU_COUNT(&allowed) == 0) return EINVAL;
  int wanted = index % CPU_COUNT(&allowed);
  for (int core = 0; core < CPU_SETSIZE; core++) {
    if (!CPU_ISSET(core, &allowed) || wanted-- > 0) continue;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(core, &only);
    return sched_setaffinity(0, sizeof only, &only) == 0 ? 0 : errno;
  }
#endif
  (void)index;
  return 0;
}

bool gcdlab_ignores(int signal) {
  struct sigaction action;
  return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static pthread_t gatherer;

static void gather(int signal) {
  int before = errno;
  pthread_kill(gatherer, signal);
  errno = before;
}

void gcdlab_gather(int signal) {
  gatherer = pthread_self();
  struct sigaction action = {.sa_handler = gather, .sa_flags = SA_RESTART};
  sigaction(signal, &action, NULL);
}

int64_t gcdlab_soft_limit(enum gcdlab_limit which) {
  struct rlimit limit;
  int status = -1;
  switch (which) {
    case GCDLAB_LIMIT_DESCRIPTORS: status = getrlimit(RLIMIT_NOFILE, &limit); break;
    case GCDLAB_LIMIT_THREADS: status = getrlimit(RLIMIT_NPROC, &limit); break;
    case GCDLAB_LIMIT_ADDRESSES: status = getrlimit(RLIMIT_AS, &limit); break;
    case GCDLAB_LIMIT_STACK: status = getrlimit(RLIMIT_STACK, &limit); break;
    case GCDLAB_LIMIT_DATA: status = getrlimit(RLIMIT_DATA, &limit); break;
  }
  if (status != 0) return -1;
  return limit.rlim_cur == RLIM_INFINITY ? -1 : (int64_t)limit.rlim_cur;
}

int64_t gcdlab_thread_id(void) {
#ifdef __linux__
  return syscall(SYS_gettid);
#else
  return -1;
#endif
}

uintptr_t gcdlab_current_thread(void) { return (uintptr_t)pthread_self(); }

int64_t gcdlab_id_of_thread(uintptr_t thread) {
#ifdef __linux__
  // The clock identifier of a thread consists of the thread's number, inverted, and three bits for the kind of clock.
  // This format is part of the kernel's interface. In glibc and musl without pthread_gettid_np, the clock is the only
  // way to determine the number of a thread from its handle.
  clockid_t clock;
  return pthread_getcpuclockid((pthread_t)thread, &clock) == 0 ? ~(clock >> 3) : -1;
#else
  (void)thread;
  return -1;
#endif
}

bool gcdlab_hide_pool_name(char name[16]) {
#ifdef __linux__
  if (prctl(PR_GET_NAME, name) != 0 || strstr(name, "-qos") == NULL) return false;
  return prctl(PR_SET_NAME, "gcdlab") == 0;
#else
  (void)name;
  return false;
#endif
}

void gcdlab_take_name(const char name[16]) {
#ifdef __linux__
  prctl(PR_SET_NAME, name);
#else
  (void)name;
#endif
}

int gcdlab_open_process(int process) {
#if defined(__linux__) && defined(SYS_pidfd_open)
  int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
  return descriptor < 0 && errno == ESRCH ? eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK) : descriptor;
#else
  (void)process;
  errno = ENOSYS;
  return -1;
#endif
}

void gcdlab_end_thread(void) { pthread_exit(NULL); }

int32_t gcdlab_start_spinning(void) {
  pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  // The child is a copy of a process with threads, so only system calls are safe here. The loop ends when the parent
  // has ended, since an orphan gets another parent.
  while (getppid() == parent) {}
  _exit(0);
}

int gcdlab_adopt_orphans(void) {
#ifdef __linux__
  return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 ? 0 : errno;
#else
  return ENOSYS;
#endif
}

void gcdlab_remove_semaphore(int identifier) { semctl(identifier, 0, IPC_RMID); }

int64_t gcdlab_futex_call(void) {
#ifdef __linux__
  return SYS_futex;
#else
  return -1;
#endif
}

bool gcdlab_is_event_wait(int64_t call) {
#ifdef __linux__
#ifdef SYS_epoll_wait
  if (call == SYS_epoll_wait) return true;
#endif
  return call == SYS_epoll_pwait;
#else
  (void)call;
  return false;
#endif
}

int gcdlab_make_pipe(int32_t ends[2]) {
#ifdef __linux__
  // Another thread may start a program between two calls, so one call creates the pipe and sets the flag.
  return pipe2(ends, O_CLOEXEC);
#else
  if (pipe(ends) != 0) return -1;
  for (int end = 0; end < 2; end++) (void)fcntl(ends[end], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

int gcdlab_open_unnamed(const char *directory) {
#if defined(__linux__) && defined(O_TMPFILE)
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  return open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
#else
  (void)directory;
  return -1;
#endif
}

int gcdlab_name_file(int descriptor, const char *path) {
#if defined(__linux__)
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
#else
  (void)descriptor, (void)path;
  return -1;
#endif
}

// Tools/libdispatch compiles this variable when it links a Dispatch other than the toolchain's.
extern const char gcdlab_dispatch_description[]
#ifdef __APPLE__
    __attribute__((weak_import));
#else
    __attribute__((weak));
#endif

const char *gcdlab_dispatch_build(void) { return gcdlab_dispatch_description; }

const char *gcdlab_dispatch_library(void) {
  Dl_info dispatch, own;
  // A static binary has no dynamic symbols to look up.
  if (!dladdr((void *)(uintptr_t)gcdlab_dispatch_async_f, &dispatch)) return NULL;
  if (!dladdr((void *)(uintptr_t)gcdlab_dispatch_library, &own)) return NULL;
  return dispatch.dli_fbase == own.dli_fbase ? NULL : dispatch.dli_fname;
}
