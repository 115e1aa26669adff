#ifndef GCDLAB_CDISPATCHSUPPORT_H
#define GCDLAB_CDISPATCHSUPPORT_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

// The C functions of libdispatch that Swift's overlay hides, under names of our own: a second declaration of the
// real names would clash with the Dispatch module. `__asm__` binds each to the real symbol, so nothing is wrapped
// and a call costs what it costs in C. (Swift has no <dispatch/dispatch.h> on its C include path on Linux.)
#define GCDLAB_STRING_(x) #x
#define GCDLAB_STRING(x) GCDLAB_STRING_(x)
#define GCDLAB_SYMBOL(name) __asm__(GCDLAB_STRING(__USER_LABEL_PREFIX__) name)

void gcdlab_dispatch_once_f(intptr_t *predicate, void *context, void (*function)(void *))
    GCDLAB_SYMBOL("dispatch_once_f");
void *gcdlab_dispatch_get_global_queue(intptr_t identifier, uintptr_t flags)
    GCDLAB_SYMBOL("dispatch_get_global_queue");
void gcdlab_dispatch_apply_f(size_t count, void *queue, void *context, void (*function)(void *, size_t))
    GCDLAB_SYMBOL("dispatch_apply_f");

/// `dispatch_once_f`, with the inlined fast path that <dispatch/once.h> gives every C caller: runs
/// `function(context)` once for `predicate`, which must start at 0 and stay where it is.
static inline void gcdlab_once(intptr_t *predicate, void *context, void (*function)(void *)) {
  if (__builtin_expect(*(volatile intptr_t *)predicate, ~0l) != ~0l) {
    gcdlab_dispatch_once_f(predicate, context, function);
  }
}

/// `dispatch_apply_f` on the global queue of default priority: runs `function(context, i)` for each i below `count`.
static inline void gcdlab_apply_global(size_t count, void *context, void (*function)(void *, size_t)) {
  gcdlab_dispatch_apply_f(count, gcdlab_dispatch_get_global_queue(0, 0), context, function);
}

/// Cores this process may run on: its affinity mask on Linux, so that `taskset` counts; cores online elsewhere.
int gcdlab_core_count(void);

/// Keeps the calling thread on the `index`-th core (modulo) of its affinity mask; does nothing elsewhere than on Linux.
/// Returns 0, or the error number when the system does not allow it.
int gcdlab_prefer_core(int index);

/// Whether the process was started to ignore `signal`, or came to ignore it. (Swift cannot compare with SIG_IGN.)
bool gcdlab_ignores(int signal);

enum gcdlab_limit { GCDLAB_LIMIT_DESCRIPTORS, GCDLAB_LIMIT_THREADS };

/// A soft resource limit, or -1 when there is none. (Swift does not see RLIM_INFINITY, nor RLIMIT_NPROC on Linux.)
int64_t gcdlab_soft_limit(enum gcdlab_limit which);

/// The number of the calling thread, as `/proc/self/task` lists it; -1 where threads have none. (Swift sees neither
/// `gettid` nor the SYS_ constants.)
int64_t gcdlab_thread_id(void);

/// Opens a file without a name in `directory` for writing, so that nothing of it is left whatever ends the process; -1
/// where the system or the file system has no such thing, or /proc is not there to name it by. (Swift sees no O_TMPFILE.)
int gcdlab_open_unnamed(const char *directory);

/// Gives an unnamed file its name; -1 and errno when it cannot, EEXIST when the name is taken.
int gcdlab_name_file(int descriptor, const char *path);

/// The number of the system call that all waits on memory come down to on Linux; -1 elsewhere.
int64_t gcdlab_futex_call(void);

#endif
