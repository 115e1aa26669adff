// The calls that a trace records, one on each line, with the binaries in which the call is wrapped:
//
//   BOTH    static binaries, and the library that is preloaded into other programs
//   LINKED  only static binaries, for calls between their objects
//   LOADED  only the library, because a slow path cannot be wrapped from outside
//   OTHER   other programs, static or not; the lab itself does not need these calls
//
// Each call is redirected to `__wrap_NAME` in the folder Trace, which calls `__real_NAME`. This list has three uses.
// The Makefile derives the linker's --wrap flags of the released binary from the list. The tool preload derives the
// flags of other static programs, and preloaded/Preloaded.c derives the functions of the library.

// Submission of blocks and functions.
BOTH(dispatch_async)
BOTH(dispatch_barrier_async)
BOTH(dispatch_async_f)
BOTH(dispatch_barrier_async_f)
BOTH(dispatch_sync)
BOTH(dispatch_barrier_sync)
BOTH(dispatch_sync_f)
BOTH(dispatch_barrier_sync_f)
BOTH(dispatch_async_and_wait)
BOTH(dispatch_barrier_async_and_wait)
BOTH(dispatch_async_and_wait_f)
BOTH(dispatch_barrier_async_and_wait_f)
BOTH(dispatch_group_async)
BOTH(dispatch_group_async_f)
BOTH(dispatch_group_notify)
BOTH(dispatch_group_notify_f)
BOTH(dispatch_after)
BOTH(dispatch_after_f)
BOTH(dispatch_apply)
BOTH(dispatch_apply_f)

// Queues, sources and block objects. These calls identify blocks and their queues, and explain why blocks are delayed.
BOTH(dispatch_source_set_event_handler)
BOTH(dispatch_source_set_cancel_handler)
BOTH(dispatch_source_set_registration_handler)
BOTH(dispatch_block_create)
BOTH(dispatch_block_create_with_qos_class)
BOTH(dispatch_queue_create)
BOTH(dispatch_queue_create_with_target)
BOTH(dispatch_source_create)
OTHER(dispatch_block_cancel)
OTHER(dispatch_suspend)
OTHER(dispatch_set_target_queue)

// Waits in Dispatch.
LINKED(_dispatch_sema4_wait)
LINKED(_dispatch_sema4_timedwait)
LINKED(_dispatch_thread_event_wait_slow)
LINKED(_dispatch_once_wait)
LINKED(_dispatch_wait_on_address)
LOADED(dispatch_group_wait)
LOADED(dispatch_block_wait)
LOADED(dispatch_once)
LOADED(dispatch_once_f)

// Jobs of Swift concurrency.
LINKED(swift_task_enqueueGlobal)
LINKED(swift_job_run)

// Waits in the C library and in the kernel.
BOTH(epoll_wait)
BOTH(epoll_pwait)
BOTH(poll)
BOTH(ppoll)
BOTH(select)
BOTH(pselect)
BOTH(nanosleep)
BOTH(clock_nanosleep)
BOTH(usleep)
BOTH(sleep)
BOTH(pthread_join)
BOTH(pthread_cond_wait)
BOTH(pthread_cond_timedwait)
BOTH(pthread_cond_clockwait)
BOTH(syscall)
LINKED(__lll_lock_wait)
LINKED(__futex_abstimed_wait64)
LINKED(__futex_abstimed_wait_cancelable64)
LOADED(sem_wait)
LOADED(sem_timedwait)
LOADED(sem_clockwait)
LOADED(pthread_mutex_lock)
