#ifndef CCORES_H
#define CCORES_H

#include <stdbool.h>

/// How many cores this process may use; 0 where the system does not tell.
int cores_in_use(void);

/// Keeps this process and what it starts to the first of its cores, or lets it have again all that it had at first. Does nothing
/// where the system has no such call.
void cores_use_one(bool one);

#endif
