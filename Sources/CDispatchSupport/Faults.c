#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // memfd_create
#endif
#include "CDispatchSupport.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__) && defined(__x86_64__)
// The instruction ud2, followed by a return, and a no-op of two bytes that replaces ud2.
static const unsigned char undefined_instruction[] = {0x0f, 0x0b, 0xc3}, no_instruction[] = {0x66, 0x90};
#elif defined(__linux__) && defined(__aarch64__)
// The instruction udf, followed by a return, and the instruction nop, which replaces udf.
static const unsigned char undefined_instruction[] = {0, 0, 0, 0, 0xc0, 0x03, 0x5f, 0xd6},
                           no_instruction[] = {0x1f, 0x20, 0x03, 0xd5};
#else
#define NO_FAULTS
#endif

#ifdef NO_FAULTS
void *gcdlab_make_fault(int signal) {
  (void)signal;
  errno = ENOSYS;
  return NULL;
}

void gcdlab_cause_fault(int signal, void *fault) { (void)signal, (void)fault; }
void gcdlab_remove_fault(int signal, void *fault) { (void)signal, (void)fault; }
#else
// The page with the fault, a second mapping through which code in the page can be changed, and the file of both
// mappings.
struct fault {
  volatile char *page;
  char *written;
  int file;
};

static const size_t length = 65536;  // The largest page size, in bytes.

void *gcdlab_make_fault(int signal) {
  struct fault *fault = calloc(1, sizeof *fault);
  if (fault == NULL) return NULL;
  bool has_length = signal != SIGBUS;
  int protection = signal == SIGSEGV ? PROT_NONE : signal == SIGBUS ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC;
  fault->file = memfd_create("fault", MFD_CLOEXEC);
  if (fault->file < 0 || (has_length && ftruncate(fault->file, (off_t)length) != 0)) return NULL;
  if (signal == SIGILL) {
    fault->written = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fault->file, 0);
    if (fault->written == MAP_FAILED) return NULL;
    memcpy(fault->written, undefined_instruction, sizeof undefined_instruction);
  }
  void *page = mmap(NULL, length, protection, MAP_SHARED, fault->file, 0);
  if (page == MAP_FAILED) return NULL;
  __builtin___clear_cache(page, (char *)page + sizeof undefined_instruction);
  fault->page = page;
  return fault;
}

void gcdlab_cause_fault(int signal, void *made) {
  struct fault *fault = made;
  if (signal != SIGILL) {
    fault->page[0] = 1;
    return;
  }
  void (*code)(void);
  void *page = (void *)fault->page;
  memcpy(&code, &page, sizeof code);
  code();
}

void gcdlab_remove_fault(int signal, void *made) {
  struct fault *fault = made;
  char *page = (char *)fault->page;
  switch (signal) {
  case SIGSEGV: (void)mprotect(page, length, PROT_READ | PROT_WRITE); break;
  case SIGBUS: (void)!ftruncate(fault->file, (off_t)length); break;
  default:
    memcpy(fault->written, no_instruction, sizeof no_instruction);
    __builtin___clear_cache(page, page + sizeof no_instruction);
  }
}
#endif
