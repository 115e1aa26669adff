// deny-perf COMMAND...: runs a command without the permission for perf events, as in most containers. The command does
// not have the permission even if root runs it. Exit status 64: no command is given; 77: the system does not support
// filters of system calls; 127: the command cannot be run.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  if (count < 2) return 64;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
    fprintf(stderr, "not possible here: no filter of system calls\n");
    return 77;
  }
  execvp(arguments[1], arguments + 1);
  perror(arguments[1]);
  return 127;
}
