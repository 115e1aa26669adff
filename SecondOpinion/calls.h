// Counts the system calls that a block makes on its thread, with a parent process that traces. Only a program that has
// not used Dispatch yet may use this file.
#include <sys/ptrace.h>
#include <sys/user.h>

// Runs `work` in a child between two markers, and returns the number of system calls between the markers; -1 if tracing
// is not allowed.
static long system_calls(void (^work)(void)) {
  pid_t child = fork();
  int status;
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) _exit(1);
    raise(SIGSTOP);
    syscall(SYS_getpgid, -77);
    work();
    syscall(SYS_getpgid, -77);
    _exit(0);
  }
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return -1;
  ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
  long calls = -1, counted = -1;
  bool entry = true;
  while (!ptrace(PTRACE_SYSCALL, child, NULL, NULL) && waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
    struct __ptrace_syscall_info info;
    bool known = ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof info, &info) > 0;
    if (entry) {
      bool marker = known && info.entry.nr == SYS_getpgid && (int)info.entry.args[0] == -77;
      if (marker && calls >= 0) {
        counted = calls;
        calls = -1;
      } else if (marker) calls = 0;
      else if (calls >= 0) calls++;
    }
    entry = !entry;
  }
  return counted;
}
