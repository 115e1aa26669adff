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
void *gcdlab_dispatch_queue_create(const char *label, void *attributes) GCDLAB_SYMBOL("dispatch_queue_create");
void gcdlab_dispatch_release(void *object) GCDLAB_SYMBOL("dispatch_release");
void gcdlab_dispatch_apply_f(size_t iterations, void *queue, void *context, void (*work)(void *, size_t))
    GCDLAB_SYMBOL("dispatch_apply_f");
void gcdlab_dispatch_sync_f(void *queue, void *context, void (*function)(void *context))
    GCDLAB_SYMBOL("dispatch_sync_f");
void gcdlab_dispatch_async_f(void *queue, void *context, void (*function)(void *context))
    GCDLAB_SYMBOL("dispatch_async_f");
void gcdlab_dispatch_retain(void *object) GCDLAB_SYMBOL("dispatch_retain");
void gcdlab_dispatch_suspend(void *object) GCDLAB_SYMBOL("dispatch_suspend");
void gcdlab_dispatch_set_target_queue(void *object, void *queue) GCDLAB_SYMBOL("dispatch_set_target_queue");
void *gcdlab_dispatch_get_context(void *object) GCDLAB_SYMBOL("dispatch_get_context");
void *gcdlab_dispatch_get_specific(const void *key) GCDLAB_SYMBOL("dispatch_get_specific");
void gcdlab_dispatch_queue_set_specific(void *queue, const void *key, void *context, void (*destructor)(void *context))
    GCDLAB_SYMBOL("dispatch_queue_set_specific");
/// Deprecated since OS X 10.9 and iOS 6, still declared and exported.
void *gcdlab_dispatch_get_current_queue(void) GCDLAB_SYMBOL("dispatch_get_current_queue");
void gcdlab_dispatch_activate(void *object) GCDLAB_SYMBOL("dispatch_activate");
void gcdlab_dispatch_set_context(void *object, void *context) GCDLAB_SYMBOL("dispatch_set_context");
void gcdlab_dispatch_set_finalizer_f(void *object, void (*finalizer)(void *context))
    GCDLAB_SYMBOL("dispatch_set_finalizer_f");
void *gcdlab_dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue)
    GCDLAB_SYMBOL("dispatch_source_create");
void gcdlab_dispatch_source_set_event_handler_f(void *source, void (*handler)(void *context))
    GCDLAB_SYMBOL("dispatch_source_set_event_handler_f");
void gcdlab_dispatch_source_merge_data(void *source, uintptr_t value) GCDLAB_SYMBOL("dispatch_source_merge_data");
uintptr_t gcdlab_dispatch_source_get_data(void *source) GCDLAB_SYMBOL("dispatch_source_get_data");
void gcdlab_dispatch_source_cancel(void *source) GCDLAB_SYMBOL("dispatch_source_cancel");

void gcdlab_dispatch_source_set_cancel_handler_f(void *source, void (*handler)(void *context))
    GCDLAB_SYMBOL("dispatch_source_set_cancel_handler_f");
void gcdlab_dispatch_resume(void *object) GCDLAB_SYMBOL("dispatch_resume");

/// The type of a source that adds up what is merged, `DISPATCH_SOURCE_TYPE_DATA_ADD`, which is the address of a variable.
struct gcdlab_source_type;
extern const struct gcdlab_source_type gcdlab_source_type_data_add GCDLAB_SYMBOL("_dispatch_source_type_data_add");
static inline const void *gcdlab_data_add(void) { return &gcdlab_source_type_data_add; }

/// The main queue, which is a variable.
struct gcdlab_queue;
extern struct gcdlab_queue gcdlab_main_queue_variable GCDLAB_SYMBOL("_dispatch_main_q");
static inline void *gcdlab_main_queue(void) { return &gcdlab_main_queue_variable; }

#ifdef __linux__
/// What CoreFoundation's run loop waits for, an eventfd, and what it calls then on the main thread. Asking for it says that the
/// main queue is served so.
int gcdlab_main_queue_handle(void) GCDLAB_SYMBOL("_dispatch_get_main_queue_handle_4CF");
void gcdlab_drain_main_queue(void *message) GCDLAB_SYMBOL("_dispatch_main_queue_callback_4CF");
#endif
void *gcdlab_dispatch_semaphore_create(intptr_t value) GCDLAB_SYMBOL("dispatch_semaphore_create");
intptr_t gcdlab_dispatch_semaphore_wait(void *semaphore, uint64_t timeout) GCDLAB_SYMBOL("dispatch_semaphore_wait");
intptr_t gcdlab_dispatch_semaphore_signal(void *semaphore) GCDLAB_SYMBOL("dispatch_semaphore_signal");

/// Keeps the compiler from moving what reads or writes memory from one side to the other; the processor has nothing to do.
static inline void gcdlab_compiler_barrier(void) { __asm__ __volatile__("" : : : "memory"); }

// Marks of the loops that time what is short. They take no instruction: each puts its address into a section of the binary that
// is not loaded, by which Tools/timed-loops finds the machine code of the loops and looks what they call. They also keep
// the compiler from moving anything across, and from leaving out a loop around nothing.
#ifdef __ELF__
#define GCDLAB_MARK(kind) \
  __asm__ __volatile__("99:\n\t.pushsection gcdlab_loops,\"\"\n\t.quad 99b\n\t.quad " #kind "\n\t.popsection" : : : "memory")
#else
#define GCDLAB_MARK(kind) gcdlab_compiler_barrier()
#endif

/// A timed loop begins.
static inline void gcdlab_loop_begins(void) { GCDLAB_MARK(0); }
/// It starts over: one more operation.
static inline void gcdlab_loop_repeats(void) { GCDLAB_MARK(1); }
/// It ends.
static inline void gcdlab_loop_ends(void) { GCDLAB_MARK(2); }

/// Uses a value, in a way that the compiler cannot see through; the processor has nothing to do.
static inline void gcdlab_consume(uint64_t value) { __asm__ __volatile__("" : : "r"(value)); }

/// Whether `dispatch_once_f` has nothing to do any more, as <dispatch/once.h> lets every C caller ask before: inlined where
/// it does so, false elsewhere.
static inline bool gcdlab_once_is_done(const intptr_t *predicate) {
#if defined(__x86_64__) || defined(__i386__) || defined(__s390x__) || defined(__APPLE__)
  bool done = __builtin_expect(*(const volatile intptr_t *)predicate == ~(intptr_t)0, 1);
  gcdlab_compiler_barrier();
  return done;
#else
  (void)predicate;
  return false;
#endif
}

/// A number of the calling thread's own, for a chain of work that goes on from one function to the next. (Swift has no
/// thread-local variables.)
extern _Thread_local uint64_t gcdlab_chain_of_thread;
static inline uint64_t *gcdlab_chain(void) { return &gcdlab_chain_of_thread; }

/// Where the calling thread keeps the number under which the system lists it, once it has asked; 0 before.
extern _Thread_local intptr_t gcdlab_number_of_thread;
static inline intptr_t *gcdlab_thread_number(void) { return &gcdlab_number_of_thread; }

/// Whether the calling thread is one that the lab started itself.
extern _Thread_local bool gcdlab_thread_is_own;
static inline bool *gcdlab_is_own_thread(void) { return &gcdlab_thread_is_own; }

/// Cores this process may run on: its affinity mask on Linux, so that `taskset` counts; cores online elsewhere.
int gcdlab_core_count(void);

/// The number of the `index`-th core of its affinity mask; -1 where the system does not tell.
int gcdlab_core_number(int index);

/// The number of the core on which the calling thread runs; -1 where the system does not tell.
int gcdlab_current_core(void);

/// What a block of the C listing leaves: the value that it keeps, and whether it ran where it was made, on the stack.
typedef void (*gcdlab_stack_block_function)(void *context, intptr_t value, bool in_place);

/// Submits a block that stands on this function's stack, as `dispatch_async(queue, ^{ function(context, value, …); })` does in C,
/// and overwrites it before it returns. `copied` is called for each copy that is made of it, `freed` for each that goes.
void gcdlab_async_stack_block(void *queue, void *context, intptr_t value, gcdlab_stack_block_function function,
                              void (*copied)(void *context), void (*freed)(void *context));

/// Runs such a block by `dispatch_sync`.
void gcdlab_sync_stack_block(void *queue, void *context, intptr_t value, gcdlab_stack_block_function function,
                             void (*copied)(void *context), void (*freed)(void *context));

/// Bytes of the memory that `malloc` or `calloc` has given out as `memory`.
size_t gcdlab_allocated_size(void *memory);

/// What became of confining a worker to the cores of its command line, as in `worker 0,2`, before Dispatch counted them: 0, or the
/// error number. Always 0 where nothing was asked for, and elsewhere than on Linux, where nobody confines.
int gcdlab_confinement(void);

/// Cores that are online, whether this process may run on them or not.
int gcdlab_online_count(void);

/// Keeps the calling thread on the `index`-th core (modulo) of its affinity mask; does nothing elsewhere than on Linux.
/// Returns 0, or the error number when the system does not allow it.
int gcdlab_prefer_core(int index);

/// Whether the process was started to ignore `signal`, or came to ignore it. (Swift cannot compare with SIG_IGN.)
bool gcdlab_ignores(int signal);

/// Sends `signal` on to the calling thread, where it is blocked and waited for, whichever thread it comes to.
void gcdlab_gather(int signal);

enum gcdlab_limit {
  GCDLAB_LIMIT_DESCRIPTORS,
  GCDLAB_LIMIT_THREADS,
  GCDLAB_LIMIT_ADDRESSES,
  GCDLAB_LIMIT_DATA,
  GCDLAB_LIMIT_STACK
};

/// A soft resource limit, or -1 when there is none. (Swift does not see RLIM_INFINITY, nor RLIMIT_NPROC on Linux.)
int64_t gcdlab_soft_limit(enum gcdlab_limit which);

/// The number of the calling thread, as `/proc/self/task` lists it; -1 where threads have none. (Swift sees neither
/// `gettid` nor the SYS_ constants.)
int64_t gcdlab_thread_id(void);

/// The handle of the calling thread (`pthread_self`), which it has without asking the kernel.
uintptr_t gcdlab_current_thread(void);

/// The number of a thread that has not ended, by its handle; -1 where threads have none. Asks the C library and not the kernel.
int64_t gcdlab_id_of_thread(uintptr_t thread);

/// Opens a file without a name in `directory` for writing, so that nothing of it is left whatever ends the process; -1
/// where the system or the file system has no such thing, or /proc is not there to name it by. (Swift sees no O_TMPFILE.)
int gcdlab_open_unnamed(const char *directory);

/// Gives an unnamed file its name; -1 and errno when it cannot, EEXIST when the name is taken.
int gcdlab_name_file(int descriptor, const char *path);

/// A descriptor that can be read from once a process has ended (`pidfd_open`); at once, as kqueue tells it, if there is none of
/// that number any more. -1 and errno when there is none to be had, or no such call (ENOSYS).
int gcdlab_open_process(int process);

/// Makes this process the parent of those that its descendants leave behind, so that it can wait for them. Returns 0, or an error
/// number: ENOSYS where the system's first process takes them all.
int gcdlab_adopt_orphans(void);

/// Removes a System V semaphore. (Swift does not see `semctl`, which takes any number of arguments.)
void gcdlab_remove_semaphore(int identifier);

/// Memory that whoever uses it has the fault of `signal` with (SIGSEGV, SIGBUS, SIGILL), until it is mended. Null and errno when
/// there is none to be had: ENOSYS elsewhere than on Linux, or on a processor whose instructions are not known here. It is
/// never given back.
void *gcdlab_make_fault(int signal);

/// Has the fault; returns when it has been mended.
void gcdlab_have_fault(int signal, void *fault);

/// Mends it: whoever has it gets past it.
void gcdlab_mend_fault(int signal, void *fault);

/// The number of the system call that all waits on memory come down to on Linux; -1 elsewhere.
int64_t gcdlab_futex_call(void);

/// Whether this is the number of a system call that waits for events of descriptors (epoll); false elsewhere than on Linux.
bool gcdlab_is_event_wait(int64_t call);

/// Takes the name of a thread of the dispatch pool from the calling thread, if it has one, and keeps it in `name`: a thread
/// that it starts now does not inherit it. Returns whether it did.
bool gcdlab_hide_pool_name(char name[16]);

/// Gives the calling thread a name; does nothing elsewhere than on Linux.
void gcdlab_take_name(const char name[16]);

/// Takes SIGSYS of the whole process to count calls with, or gives it back to who had it. Returns 0, or an error number:
/// ENOSYS where calls cannot be counted (another system or processor, a sanitizer).
int gcdlab_answer_calls(bool answers);

/// Counts the system calls of the calling thread from its return on. SIGSYS must have been taken before. Returns 0, or the
/// error number when the kernel does not do it (EINVAL from an old one) or the thread counts already (EBUSY).
int gcdlab_begin_counting_calls(void);

/// Ends what gcdlab_begin_counting_calls() began, on the same thread. Returns how many calls there were, or -1 when they
/// could not all be counted.
int64_t gcdlab_end_counting_calls(void);

/// Which Dispatch was linked in place of the toolchain's, as `make build LIBDISPATCH=…` wrote it down; NULL for the toolchain's.
const char *gcdlab_dispatch_build(void);

/// The file that this process has Dispatch from; NULL where that is the binary itself.
const char *gcdlab_dispatch_library(void);

#include "Trace.h"

#endif
