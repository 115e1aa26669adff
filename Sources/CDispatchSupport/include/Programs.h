#ifndef GCDLAB_PROGRAMS_H
#define GCDLAB_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Programs other than the lab: their start, their end, their files and the names of their functions.

/// Starts a program that waits, before any of it runs, until a byte can be read from `gate`. If the program cannot be
/// started then, its error number is written to `report`; otherwise `report` is closed. The variables (`A=B`, the last
/// one null) are added to this process's environment. Returns the process, or -1 and errno.
int gcdlab_start_held(const char *path, char *const arguments[], char *const variables[], int gate, int report);

/// Returns the readable form of a Swift symbol, which the caller frees; null if the symbol is not one of Swift. The
/// function belongs to the Swift runtime.
char *swift_demangle(const char *symbol, size_t length, char *buffer, size_t *size, uint32_t flags);

/// Returns the readable form of a C++ symbol, which the caller frees; null if the symbol is not one of C++.
char *gcdlab_demangle_cxx(const char *symbol);

/// Creates a file in memory with these bytes, which cannot be changed. Returns its descriptor, or -1 and errno.
int gcdlab_sealed_file(const void *bytes, size_t count);

/// Returns whether a text occurs in these bytes.
bool gcdlab_bytes_contain(const void *bytes, size_t count, const char *text);

/// Ends this process in the way in which a signal does, without a core file.
void gcdlab_end_by(int signal);

/// Waits for one of these signals. Returns its number, and whether the terminal or the system sent it.
int gcdlab_wait_for_signal(const void *signals, bool *is_of_system);

#endif
