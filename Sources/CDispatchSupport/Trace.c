// The recorder, which writes each submission, beginning and end of a block, and each wait, into a file that the lab
// reads.
//
// The linker's --wrap redirects the calls (Wrapped.h lists their names): a call of `dispatch_async` becomes a call of
// `__wrap_dispatch_async`, which calls `__real_dispatch_async`. Calls that take only a few nanoseconds, such as
// `dispatch_semaphore_wait` without a wait, are never recorded. This file is compiled in three ways:
//
// - as part of the lab. The Makefile wraps the calls of the released binary. In a binary that is linked without --wrap,
//   the real names are null and the wrappers are never called.
// - together with preloaded/Preloaded.c, as a library that is preloaded into other programs (GCDLAB_PRELOADED). The
//   library has functions of both names.
// - as part of preloaded/Linked.c, as an object file for other static programs, which are linked with --wrap
//   (GCDLAB_LINKED).
//
// The files in the folder Trace are one translation unit with this file. The thread's state is therefore accessed
// without a call, the recorder's code is in one section, and only the names of the wrappers are exported to other
// programs. The lab's side, which reads the file, is Trace/File.c.
#ifdef __linux__

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // gettid, struct dl_find_object
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(GCDLAB_PRELOADED) || defined(GCDLAB_LINKED)
#define GCDLAB_PROGRAM
// All code of the recorder is in a separate section, so that the recorder's functions can be omitted from stacks.
#pragma clang section text = "gcdlab_recorder"
#endif

#include "Trace/Writing.h"
#include "Trace/Stacks.h"
#include "Trace/Queues.h"
#include "Trace/Blocks.h"
#include "Trace/Calls.h"
#include "Trace/Jobs.h"
#include "Trace/Waits.h"

// Records the running time of each thread according to the system.
static void account(void) {
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return;
  // The kernel updates the time of a running thread at a tick, at a switch, and when the thread asks for its time.
  // Without this call, the time of the calling thread could lack up to 4 ms.
  struct timespec own;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
  for (struct dirent *entry; (entry = readdir(threads));) {
    if (entry->d_name[0] == '.') continue;
    char path[64], text[96];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", entry->d_name);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    ssize_t length = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    if (length <= 0) continue;
    text[length] = 0;
    record(GCDLAB_TRACE_ACCOUNT, 0, 0, strtoull(entry->d_name, NULL, 10), strtoull(text, NULL, 10));
  }
  closedir(threads);
}

// Ends the record in a forked child. After a child has called exec, it is recorded as a separate program.
static void forked(void) {
  memset(&self, 0, sizeof self);
  tracing = false;
}

bool gcdlab_trace_sees_calls(void) {
#ifdef GCDLAB_PRELOADED
  return &dispatch_get_global_queue && &dispatch_release && &_NSConcreteStackBlock && &_dispatch_main_q;
#else
  // The linker can wrap slow paths only if Dispatch itself is linked statically.
  return &__real_dispatch_async && &__real_dispatch_sync && &__real__dispatch_sema4_wait;
#endif
}

int gcdlab_trace_begin(int descriptor, const char *name) {
  // Another version of the lab may have created the file.
  if (lseek(descriptor, 0, SEEK_END) != sizeof(struct trace_file)) return EINVAL;
  void *memory = mmap(NULL, sizeof(struct trace_file), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return errno;
  file = memory;
  image = __atomic_fetch_add(&file->images, 1, __ATOMIC_RELAXED) + 1;
  int error = file->recycles ? pthread_key_create(&leaves, thread_ends) : 0;
  if (!error) error = pthread_atfork(NULL, NULL, forked);
  if (error) return error;
  prepare_stacks();
  // The program's name is its first event.
  explain(GCDLAB_TRACE_IMAGE, 0, (uint64_t)getpid(), name, 64);
  prepare_queues();
  account();
  __atomic_store_n(&tracing, gcdlab_trace_sees_calls(), __ATOMIC_RELEASE);
  record(GCDLAB_TRACE_BODY_BEGINS, 0, 0, 0, 0);
  return 0;
}

void gcdlab_trace_end(void) {
  if (!file) return;
  record(GCDLAB_TRACE_BODY_ENDS, 0, 0, 0, 0);
  __atomic_store_n(&tracing, false, __ATOMIC_RELEASE);
  // The system updates a thread's running time when the thread leaves its core.
  sched_yield();
  account();
}

#endif
