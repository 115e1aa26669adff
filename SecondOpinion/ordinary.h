// Functions for an ordinary process, which may not lower nice values, even if root runs the process.
#include <linux/capability.h>

// Removes CAP_SYS_NICE from this thread and from all threads that it starts, and RLIMIT_NICE from the process. Only a
// program that has not used Dispatch yet may call this function. Returns whether nice values can no longer be lowered.
static inline bool become_ordinary(void) {
  struct rlimit none = {0, 0};
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  if (setrlimit(RLIMIT_NICE, &none) || syscall(SYS_capget, &header, sets)) return false;
  sets[0].effective &= ~(1u << CAP_SYS_NICE);
  sets[0].permitted &= ~(1u << CAP_SYS_NICE);
  return !syscall(SYS_capset, &header, sets) && setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - 1) != 0;
}

// Stores the nice values of the threads of some queues. The queues must not have run a block yet. If `from` is not
// NULL, a block on that queue submits to the others, so that its thread starts the threads of the others.
static inline void nice_values(dispatch_queue_t *queues, int count, dispatch_queue_t from, int *values) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_block_t submit = ^{
    for (int i = 0; i < count; i++)
      dispatch_group_async(group, queues[i], ^{
        values[i] = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
      });
  };
  if (from) dispatch_group_async(group, from, submit);
  else submit();
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
}
