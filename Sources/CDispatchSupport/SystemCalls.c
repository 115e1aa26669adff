// Counts the system calls of one thread with Syscall User Dispatch (Linux 5.11, x86-64). While the thread's selector is
// BLOCK, the kernel sends SIGSYS for each call instead of executing it. The handler counts the call and returns to a
// copy of the `syscall` instruction in the range of code that the kernel exempts. The thread itself therefore makes the
// call, with its own registers, stack and signal mask.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // the names of the registers
#endif
#include "CDispatchSupport.h"

#include <errno.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define GCDLAB_SANITIZED 1  // The runtimes of the sanitizers make calls as well.
#endif
#endif

#if defined(__linux__) && defined(__x86_64__) && !defined(__ILP32__) && !defined(GCDLAB_SANITIZED)

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { SET_DISPATCH = 59, DISPATCH_OFF = 0, DISPATCH_ON = 1, ALLOW = 0, BLOCK = 1 };
enum { USER_DISPATCH = 2, RESTORER = 0x04000000, SITES = 8, FRAME = 144, MASK = 8 };

// The range of code that the kernel exempts.
// - restore: the code to which the handler returns. The return code of glibc would make another call, which would be
//   counted.
// - through: the code that makes the call and then jumps to the address in rcx. A system call overwrites rcx and r11,
//   so the program does not use these registers. During the call, the values of both registers are on the stack, below
//   the red zone: the 128 bytes under the stack pointer, which belong to the interrupted function.
// - sites: the code for calls after which the thread has another stack (a new thread) or shares its stack (with a vfork
//   child), and for calls that read their arguments from the stack (the return from a signal handler). Each site jumps
//   to one fixed address.
__asm__(
    ".pushsection .text, \"ax\", @progbits\n"
    ".balign 16\n"
    "gcdlab_range:\n"
    "gcdlab_restore:\n"
    "  movl $15, %eax\n"  // rt_sigreturn
    "  syscall\n"
    "gcdlab_through:\n"
    "  leaq -144(%rsp), %rsp\n"  // FRAME
    "  movq %rcx, (%rsp)\n"
    "  movq %r11, 8(%rsp)\n"  // MASK
    "  syscall\n"
    "  movq (%rsp), %rcx\n"
    "  leaq 144(%rsp), %rsp\n"
    "  jmp *%rcx\n"
    "  .balign 16\n"
    "gcdlab_sites:\n"
    ".irp offset, 0, 8, 16, 24, 32, 40, 48, 56\n"
    "  syscall\n"
    "  jmp *gcdlab_site+\\offset(%rip)\n"
    ".endr\n"
    "gcdlab_range_end:\n"
    ".popsection\n");
extern const char gcdlab_range[], gcdlab_restore[], gcdlab_through[], gcdlab_sites[], gcdlab_range_end[]
    __attribute__((visibility("hidden")));

/// The addresses to which the sites jump, by site. The assembly code above reads these addresses. An address is set
/// once and never changes.
__attribute__((visibility("hidden"), used)) _Atomic(uintptr_t) gcdlab_site[SITES];

// The variables of a thread are accessed without a function call, since the handler must not make calls.
#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
OF_THREAD volatile char selector;
OF_THREAD volatile int64_t counted;
OF_THREAD bool is_counting;
OF_THREAD bool was_blocked;

/// Returns the site whose call returns to the address `back`; NULL if other addresses occupy all sites.
static const char *site(uintptr_t back) {
  for (int i = 0; i < SITES; i++) {
    uintptr_t taken = 0;
    if (atomic_compare_exchange_strong(&gcdlab_site[i], &taken, back) || taken == back) return gcdlab_sites + 8 * i;
  }
  return NULL;
}

static void answer(int signal, siginfo_t *info, void *context) {
  (void)signal;
  if (info->si_code != USER_DISPATCH) return;  // A program or a thread sent the signal.
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  counted++;
  uintptr_t back = (uintptr_t)registers[REG_RIP];
  long call = (long)registers[REG_RAX];
  if (call == SYS_clone || call == SYS_clone3 || call == SYS_fork || call == SYS_vfork || call == SYS_rt_sigreturn) {
    const char *way = site(back);
    if (way != NULL) {
      registers[REG_RIP] = (greg_t)way;
      return;
    }
    // The call is repeated at its own address (the instruction has two bytes), and the count ends.
    selector = ALLOW;
    counted = INT64_MIN;
    registers[REG_RIP] = (greg_t)(back - 2);
    return;
  }
  if (call == SYS_rt_sigprocmask && registers[REG_RSI] != 0 && registers[REG_RDI] != SIG_UNBLOCK
      && registers[REG_R10] == sizeof(uint64_t)) {
    // If a thread blocked SIGSYS, the kernel would kill the thread at its next call. glibc blocks all signals while it
    // starts a thread.
    registers[REG_R11] = (greg_t)(*(const uint64_t *)registers[REG_RSI] & ~(1ULL << (SIGSYS - 1)));
    registers[REG_RSI] = registers[REG_RSP] - FRAME + MASK;
  }
  registers[REG_RCX] = (greg_t)back;
  registers[REG_RIP] = (greg_t)gcdlab_through;
}

/// The structure that the kernel uses for `sigaction`. The function of glibc is not suitable, since it would install
/// its own restorer.
struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  const void *restorer;
  uint64_t mask;
};
static struct kernel_action before;

int gcdlab_answer_calls(bool answers) {
  struct kernel_action action = {answer, SA_SIGINFO | RESTORER, gcdlab_restore, 0};
  long status = answers ? syscall(SYS_rt_sigaction, SIGSYS, &action, &before, sizeof action.mask)
                        : syscall(SYS_rt_sigaction, SIGSYS, &before, NULL, sizeof action.mask);
  return status == 0 ? 0 : errno;
}

static void block(bool blocks, bool *was) {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGSYS);
  pthread_sigmask(blocks ? SIG_BLOCK : SIG_UNBLOCK, &set, &old);
  if (was != NULL) *was = sigismember(&old, SIGSYS) == 1;
}

int gcdlab_begin_counting_calls(void) {
  if (is_counting) return EBUSY;
  selector = ALLOW;
  if (prctl(SET_DISPATCH, DISPATCH_ON, gcdlab_range, gcdlab_range_end - gcdlab_range, &selector) != 0) return errno;
  block(false, &was_blocked);
  is_counting = true;
  counted = 0;
  selector = BLOCK;
  return 0;
}

int64_t gcdlab_end_counting_calls(void) {
  selector = ALLOW;
  int64_t count = counted;
  is_counting = false;
  prctl(SET_DISPATCH, DISPATCH_OFF, 0, 0, 0);
  if (was_blocked) block(true, NULL);
  return count < 0 ? -1 : count;
}

#else

int gcdlab_answer_calls(bool answers) {
  (void)answers;
  return ENOSYS;
}

int gcdlab_begin_counting_calls(void) { return ENOSYS; }

int64_t gcdlab_end_counting_calls(void) { return -1; }

#endif
