#ifndef GCDLAB_CDISPATCHSUPPORT_H
#define GCDLAB_CDISPATCHSUPPORT_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

// The C functions of libdispatch that Swift's overlay hides. The functions have names of the lab, since a second
// declaration of the real names would conflict with the Dispatch module. `__asm__` binds each name to the real symbol,
// so there are no wrappers, and a call costs as much as in C. (On Linux, Swift has no <dispatch/dispatch.h> on its C
// include path.)
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
const char *gcdlab_dispatch_queue_get_label(void *queue) GCDLAB_SYMBOL("dispatch_queue_get_label");
/// Returns the current queue. The function has been deprecated since OS X 10.9 and iOS 6, but is still declared and
/// exported.
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

/// The type of data-add sources, `DISPATCH_SOURCE_TYPE_DATA_ADD`. Dispatch identifies the type by the address of this
/// variable.
struct gcdlab_source_type;
extern const struct gcdlab_source_type gcdlab_source_type_data_add GCDLAB_SYMBOL("_dispatch_source_type_data_add");
static inline const void *gcdlab_data_add(void) { return &gcdlab_source_type_data_add; }

/// The main queue, which is a variable of Dispatch.
struct gcdlab_queue;
extern struct gcdlab_queue gcdlab_main_queue_variable GCDLAB_SYMBOL("_dispatch_main_q");
static inline void *gcdlab_main_queue(void) { return &gcdlab_main_queue_variable; }

#ifdef __linux__
/// Returns the eventfd that CoreFoundation's run loop waits for. After this call, Dispatch expects that
/// gcdlab_drain_main_queue() is called on the main thread when the eventfd is readable.
int gcdlab_main_queue_handle(void) GCDLAB_SYMBOL("_dispatch_get_main_queue_handle_4CF");
void gcdlab_drain_main_queue(void *message) GCDLAB_SYMBOL("_dispatch_main_queue_callback_4CF");
#endif
void *gcdlab_dispatch_semaphore_create(intptr_t value) GCDLAB_SYMBOL("dispatch_semaphore_create");
intptr_t gcdlab_dispatch_semaphore_wait(void *semaphore, uint64_t timeout) GCDLAB_SYMBOL("dispatch_semaphore_wait");
intptr_t gcdlab_dispatch_semaphore_signal(void *semaphore) GCDLAB_SYMBOL("dispatch_semaphore_signal");

/// Prevents the compiler from moving memory accesses across the call. No instruction is generated.
static inline void gcdlab_compiler_barrier(void) { __asm__ __volatile__("" : : : "memory"); }

// Marks of the loops that time short operations. A mark generates no instruction, and stores its address in a section
// of the binary that is not loaded. Tools/timed-loops reads this section to find the machine code of the loops, and
// checks which functions the loops call. The marks also prevent the compiler from moving code across them, and from
// removing an empty loop.
#ifdef __ELF__
#define GCDLAB_MARK(kind) \
  __asm__ __volatile__("99:\n\t.pushsection gcdlab_loops,\"\"\n\t.quad 99b\n\t.quad " #kind "\n\t.popsection" : : : "memory")
#else
#define GCDLAB_MARK(kind) gcdlab_compiler_barrier()
#endif

/// Marks the beginning of a timed loop.
static inline void gcdlab_loop_begins(void) { GCDLAB_MARK(0); }
/// Marks the repetition of the loop, before the next operation.
static inline void gcdlab_loop_repeats(void) { GCDLAB_MARK(1); }
/// Marks the end of the loop.
static inline void gcdlab_loop_ends(void) { GCDLAB_MARK(2); }

/// Uses a value, so that the compiler cannot remove its computation. No instruction is generated.
static inline void gcdlab_consume(uint64_t value) { __asm__ __volatile__("" : : "r"(value)); }

/// Waits until the processor has executed all earlier instructions. A processor that executes out of order otherwise
/// begins later instructions before.
static inline void gcdlab_await_instructions(void) {
#if defined(__x86_64__)
  __asm__ __volatile__("lfence" : : : "memory");
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" : : : "memory");
#endif
}

/// Returns whether `dispatch_once_f` has nothing left to do. <dispatch/once.h> inlines this check into every C caller.
/// The function returns false on systems without such a check.
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

/// The state of the calling thread's chain of calibrated work. Each block continues the chain of the previous block on
/// the thread. (Swift has no thread-local variables.)
extern _Thread_local uint64_t gcdlab_chain_of_thread;
static inline uint64_t *gcdlab_chain(void) { return &gcdlab_chain_of_thread; }

/// The system's number of the calling thread; 0 until the thread has requested the number.
extern _Thread_local intptr_t gcdlab_number_of_thread;
static inline intptr_t *gcdlab_thread_number(void) { return &gcdlab_number_of_thread; }

/// Whether the lab itself started the calling thread.
extern _Thread_local bool gcdlab_thread_is_own;
static inline bool *gcdlab_is_own_thread(void) { return &gcdlab_thread_is_own; }

/// Returns the number of cores that this process may run on. On Linux, this number is the size of the affinity mask,
/// which `taskset` can restrict. On other systems, it is the number of online cores.
int gcdlab_core_count(void);

/// Returns the number of the core at `index`, from 0, in the affinity mask; -1 if the system does not report the
/// number.
int gcdlab_core_number(int index);

/// Returns the number of the core on which the calling thread runs; -1 if the system does not report the core.
int gcdlab_current_core(void);

/// A function that receives the value that a block of the C code captured, and whether the block ran at its original
/// address on the stack.
typedef void (*gcdlab_stack_block_function)(void *context, intptr_t value, bool in_place);

/// Submits a block on this function's stack, as `dispatch_async(queue, ^{ function(context, value, …); })` does in C,
/// and overwrites the block before returning. `copied` is called for each copy of the block, and `freed` for each copy
/// that is freed.
void gcdlab_async_stack_block(void *queue, void *context, intptr_t value, gcdlab_stack_block_function function,
                              void (*copied)(void *context), void (*freed)(void *context));

/// Executes a block on this function's stack with `dispatch_sync`. The parameters are those of
/// gcdlab_async_stack_block().
void gcdlab_sync_stack_block(void *queue, void *context, intptr_t value, gcdlab_stack_block_function function,
                             void (*copied)(void *context), void (*freed)(void *context));

/// Submits a block that the compiler creates, `dispatch_async(queue, ^{ function(context, variable); })`, and then
/// changes the variable. The initial value of the variable is `value`.
void gcdlab_async_compiled_block(void *queue, void *context, intptr_t value,
                                 void (*function)(void *context, intptr_t value));

/// Creates a block as gcdlab_async_compiled_block() does, changes the variable, and then calls the block.
void gcdlab_call_compiled_block(void *context, intptr_t value, void (*function)(void *context, intptr_t value));

/// Returns the size in bytes of memory that `malloc` or `calloc` allocated.
size_t gcdlab_allocated_size(void *memory);

/// Returns the result of confining this worker, before `main`, to the cores on its command line (`worker 0,2`): 0, or
/// an error number. The result is 0 if no cores were given, and always 0 on systems other than Linux.
int gcdlab_confinement(void);

/// Returns a descriptor that becomes readable when the wall clock is set; -1 if the system does not report changes of
/// the clock. The caller closes the descriptor.
int gcdlab_wall_clock_watch(void);

/// Returns the number of online cores, whether or not this process may run on these cores.
int gcdlab_online_count(void);

/// Binds the calling thread to the core at `index`, modulo the number of cores in the affinity mask. The call has no
/// effect on systems other than Linux. Returns 0, or the error number if the system does not allow the binding.
int gcdlab_prefer_core(int index);

/// Removes the permission to lower nice values (the capability CAP_SYS_NICE, and the process's limit RLIMIT_NICE) from
/// the calling thread, and from all threads that it starts later. The permission cannot be restored. A nice value of
/// the calling thread below 0 becomes 0. Returns 0, or an error number: EPERM if the thread still has the permission,
/// ENOSYS on systems other than Linux.
int gcdlab_give_up_raising_priority(void);

/// Returns whether the process ignores `signal`. (Swift cannot compare with SIG_IGN.)
bool gcdlab_ignores(int signal);

/// Redirects `signal` to the calling thread if another thread receives the signal. The calling thread must block the
/// signal and wait for it.
void gcdlab_gather(int signal);

enum gcdlab_limit {
  GCDLAB_LIMIT_DESCRIPTORS,
  GCDLAB_LIMIT_THREADS,
  GCDLAB_LIMIT_ADDRESSES,
  GCDLAB_LIMIT_DATA,
  GCDLAB_LIMIT_STACK
};

/// Returns a soft resource limit, in the unit of `getrlimit`; -1 if there is no limit, or if the limit cannot be read.
/// (RLIM_INFINITY and, on Linux, RLIMIT_NPROC are not imported into Swift.)
int64_t gcdlab_soft_limit(enum gcdlab_limit which);

/// Returns the number of the calling thread, as in `/proc/self/task`; -1 if threads have no number. (`gettid` and the
/// SYS_ constants are not imported into Swift.)
int64_t gcdlab_thread_id(void);

/// Returns the handle of the calling thread (`pthread_self`). The function makes no system call.
uintptr_t gcdlab_current_thread(void);

/// Returns the number of the thread with the handle `thread`; -1 if threads have no number. The thread must not have
/// ended. The function makes no system call.
int64_t gcdlab_id_of_thread(uintptr_t thread);

/// Creates a pipe, whose ends (reading, writing) a program that this process starts does not inherit. Returns 0, or -1
/// and errno. (pipe2() is not imported into Swift.)
int gcdlab_make_pipe(int32_t ends[2]);

/// Opens a file without a name in `directory` for writing. Unless the file is given a name, the system removes the file
/// when the process ends. Returns the file's descriptor; -1 if the system or the file system does not support such
/// files, or if /proc, which gcdlab_name_file() requires, is missing. (O_TMPFILE is not imported into Swift.)
int gcdlab_open_unnamed(const char *directory);

/// Gives the unnamed file that is open as `descriptor` the name `path`. Returns 0, or -1 and errno: EEXIST if the path
/// exists.
int gcdlab_name_file(int descriptor, const char *path);

/// Opens a descriptor that becomes readable when a process has ended (`pidfd_open`). If the process no longer exists,
/// the descriptor is readable at once, as with kqueue. Returns -1 and errno if no descriptor is available, or if the
/// system does not support the call (ENOSYS).
int gcdlab_open_process(int process);

/// Ends the calling thread, which may be the main thread, with `pthread_exit`.
void gcdlab_end_thread(void) __attribute__((noreturn));

/// Starts a process that keeps a core busy until a signal ends the process or its parent has ended. Returns the process
/// identifier, or -1 and errno.
int32_t gcdlab_start_spinning(void);

/// Makes this process the parent of all its orphaned descendants, so that it can wait for them. Returns 0, or an error
/// number: ENOSYS if the system's first process adopts all orphans.
int gcdlab_adopt_orphans(void);

/// Removes a System V semaphore. (`semctl` is not imported into Swift, since it has variable arguments.)
void gcdlab_remove_semaphore(int identifier);

/// Creates memory whose use causes the fault of `signal` (SIGSEGV, SIGBUS, SIGILL) until gcdlab_remove_fault() removes
/// the cause of the fault. Returns a pointer that identifies the fault, or null and errno on failure: ENOSYS on systems
/// other than Linux, and on processors other than x86-64 and ARM64. The memory is never freed.
void *gcdlab_make_fault(int signal);

/// Uses the memory of a fault, and returns once gcdlab_remove_fault() has removed the cause of the fault.
void gcdlab_cause_fault(int signal, void *fault);

/// Removes the cause of the fault, so that the faulting thread continues.
void gcdlab_remove_fault(int signal, void *fault);

/// Returns the number of the futex system call, which all waits on memory use on Linux; -1 on other systems.
int64_t gcdlab_futex_call(void);

/// Returns whether `call` is the number of a system call that waits for events of descriptors (epoll); false on systems
/// other than Linux.
bool gcdlab_is_event_wait(int64_t call);

/// Moves the calling thread's name into `name` if it is the name of a pool thread, so that a thread that the caller
/// starts does not inherit the name. Returns whether the name was that of a pool thread.
bool gcdlab_hide_pool_name(char name[16]);

/// Sets the calling thread's name. The call has no effect on systems other than Linux.
void gcdlab_take_name(const char name[16]);

/// Installs the handler of SIGSYS that counts calls if `answers` is true, and restores the previous handler otherwise.
/// The handler applies to the whole process. Returns 0, or an error number: ENOSYS if calls cannot be counted (another
/// system or processor, a sanitizer).
int gcdlab_answer_calls(bool answers);

/// Starts to count the system calls of the calling thread, beginning after the return of this function. The handler of
/// SIGSYS must be installed. Returns 0, or an error number: EINVAL if the kernel is too old, EBUSY if the thread is
/// counting already.
int gcdlab_begin_counting_calls(void);

/// Ends the count that gcdlab_begin_counting_calls() started on the same thread. Returns the number of calls, or -1 if
/// some calls could not be counted.
int64_t gcdlab_end_counting_calls(void);

/// Returns the name of the Dispatch build that was linked instead of the toolchain's (`make build LIBDISPATCH=…`); NULL
/// for the toolchain's Dispatch.
const char *gcdlab_dispatch_build(void);

/// Returns the path of the library from which this process loaded Dispatch; NULL if the binary itself contains
/// Dispatch.
const char *gcdlab_dispatch_library(void);

/// A count of heap allocations.
struct gcdlab_allocations {
  /// The number of allocations.
  uint64_t count;
  /// The number of bytes that were requested.
  uint64_t bytes;
};

/// Returns whether allocations can be counted, which requires that malloc was wrapped when this binary was linked.
bool gcdlab_sees_allocations(void);

/// Returns the allocations of all threads that have been counted so far.
struct gcdlab_allocations gcdlab_allocations_so_far(void);

/// Begins to count the allocations of all threads if `asked` is true, and ends the count otherwise. Calls can be
/// nested.
void gcdlab_count_allocations(bool asked);

/// Returns the heap memory that the process has allocated and not freed, in bytes; -1 if the system does not report it.
int64_t gcdlab_heap_in_use(void);

#include "Fiber.h"
#include "Programs.h"
#include "Switches.h"
#include "Trace.h"

#endif
