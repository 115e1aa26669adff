#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include "Trace.h"

// The recorder as a library that is preloaded into other programs. For each recorded call, the library exports a
// function of the same name. The loader finds this function before the function in Dispatch or in the C library. The
// plugin Preload compiles this file together with Trace.c, and the lab contains the result. The library depends only on
// the C library, since any other library would be loaded into programs that do not use it.

// `dispatch_async` jumps to `__wrap_dispatch_async`. `__real_dispatch_async` jumps to the address in
// `found_dispatch_async`, which at first is the address of code that looks up the function. The lookup takes place at
// the first call, since a program may contain only some of these functions, or load them later.

struct found {
  void *function;
  const char *name;
};

__attribute__((visibility("hidden"))) void gcdlab_find(struct found *found) {
  int error = errno;
  void *function = dlsym(RTLD_NEXT, found->name);
  // If the library of the function was loaded only for another library, RTLD_NEXT does not search it.
  for (struct link_map *map = function ? NULL : dlopen(NULL, RTLD_LAZY); map && !function; map = map->l_next) {
    void *library = map->l_name[0] ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!library) continue;
    void *other = dlsym(library, found->name);
    Dl_info own, its;
    if (other && dladdr((void *)gcdlab_find, &own) && dladdr(other, &its) && own.dli_fbase != its.dli_fbase) function = other;
    dlclose(library);
  }
  if (!function) {
    static const char message[] = "gcdlab: a function that is recorded was called, but no library has it\n";
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) {}
    abort();
  }
  __atomic_store_n(&found->function, function, __ATOMIC_RELEASE);
  errno = error;
}

#if defined(__x86_64__)
#define STUB(name)                                                                        \
  __asm__(                                                                                \
      ".text\n.globl " #name "\n.type " #name ", @function\n" #name ": jmp __wrap_" #name \
      "\n.size " #name ", .-" #name "\n.globl __real_" #name "\n.hidden __real_" #name    \
      "\n.type __real_" #name ", @function\n__real_" #name ": jmp *found_" #name          \
      "(%rip)\n.size __real_" #name ", .-__real_" #name "\nfirst_" #name ": lea found_" #name \
      "(%rip), %r11\njmp first_call\n"                                                    \
      ".data\n.p2align 3\nfound_" #name ": .quad first_" #name ", name_" #name            \
      "\n.section .rodata\nname_" #name ": .asciz \"" #name "\"\n.text\n");
__asm__(
    ".text\nfirst_call:\n"
    "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\npush %r11\npush %rbx\n"
    "mov %rsp, %rbx\nand $-16, %rsp\nmov %r11, %rdi\ncall gcdlab_find\nmov %rbx, %rsp\n"
    "pop %rbx\npop %r11\npop %rax\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"
    "jmp *(%r11)\n");
#elif defined(__aarch64__)
#define STUB(name)                                                                        \
  __asm__(                                                                                \
      ".text\n.globl " #name "\n.type " #name ", %function\n" #name ": b __wrap_" #name   \
      "\n.size " #name ", .-" #name "\n.globl __real_" #name "\n.hidden __real_" #name    \
      "\n.type __real_" #name ", %function\n__real_" #name ": adrp x16, found_" #name     \
      "\nldr x16, [x16, :lo12:found_" #name "]\nbr x16\n.size __real_" #name ", .-__real_" #name \
      "\nfirst_" #name ": adrp x17, found_" #name "\nadd x17, x17, :lo12:found_" #name    \
      "\nb first_call\n.data\n.p2align 3\nfound_" #name ": .quad first_" #name ", name_" #name \
      "\n.section .rodata\nname_" #name ": .asciz \"" #name "\"\n.text\n");
__asm__(
    ".text\nfirst_call:\n"
    "stp x29, x30, [sp, #-112]!\nmov x29, sp\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\n"
    "stp x6, x7, [sp, #64]\nstp x8, x17, [sp, #80]\nmov x0, x17\nbl gcdlab_find\n"
    "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\n"
    "ldp x8, x17, [sp, #80]\nldp x29, x30, [sp], #112\nldr x16, [x17]\nbr x16\n");
#else
#error "no functions for this processor"
#endif

#define BOTH(name) STUB(name)
#define LOADED(name) STUB(name)
#define OTHER(name) STUB(name)
#define LINKED(name)
#include "Wrapped.h"

#include "Begin.h"
