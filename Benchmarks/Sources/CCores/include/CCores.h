#ifndef CCORES_H
#define CCORES_H

#include <stdbool.h>

/// Returns the number of cores that the calling thread may use; 0 if the system does not report the number.
int cores_in_use(void);

/// Confines the calling thread to the first of its cores if `one` is true. Otherwise permits all cores again that the
/// thread had at the first call. Threads and processes that the thread starts afterwards inherit the cores. The call
/// has no effect on systems other than Linux.
void cores_use_one(bool one);

#endif
