// guide.16, may: the autorelease pools of queues are drained at no defined time. Only systems with an Objective-C
// runtime have such pools.
#include "program.h"
#include <dlfcn.h>

int main(int count, char **words) {
  begin_program(count, words);
  bool known = dlsym(RTLD_DEFAULT, "objc_autoreleasePoolPush") != NULL;
  say("guide.16", known ? OPEN : UNAVAILABLE, "%s", known ? "not tried" : "no autorelease pools on this system");
}
