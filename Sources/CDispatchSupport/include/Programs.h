#ifndef GCDLAB_PROGRAMS_H
#define GCDLAB_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Programs other than the lab: their start, their end, their files and the names of their functions.

/// Starts a process that runs a program once a byte can be read from `gate`. If the program cannot be run, the error
/// number is written to `report`; otherwise `report` is closed. `variables` (`A=B`, terminated by null) are added to a
/// copy of this process's environment, and replace variables of the same names. Returns the process identifier, or -1
/// and errno.
int gcdlab_start_held(const char *path, char *const arguments[], char *const variables[], int gate, int report);

/// Returns the readable form of a Swift symbol, which the caller frees; null if the symbol is not a Swift symbol. The
/// function is part of the Swift runtime.
char *swift_demangle(const char *symbol, size_t length, char *buffer, size_t *size, uint32_t flags);

/// Returns the readable form of a C++ symbol, which the caller frees; null if the symbol is not a C++ symbol.
char *gcdlab_demangle_cxx(const char *symbol);

/// Creates a sealed file in memory that contains the bytes. Returns the file's descriptor, or -1 and errno.
int gcdlab_sealed_file(const void *bytes, size_t count);

/// Returns whether `text` occurs in the bytes.
bool gcdlab_bytes_contain(const void *bytes, size_t count, const char *text);

/// Ends this process with `signal`, without a core file.
void gcdlab_end_by(int signal);

/// Waits for one of `signals`, and returns its number. Stores in `is_of_system` whether the terminal or the system sent
/// the signal.
int gcdlab_wait_for_signal(const void *signals, bool *is_of_system);

#endif
