// guide.16, may: the autorelease pools of queues drain at no defined time. Only where there is an Objective-C runtime are
// there such pools.
#include "program.h"
#include <dlfcn.h>

int main(int count, char **words) {
  begin_program(count, words);
  bool known = dlsym(RTLD_DEFAULT, "objc_autoreleasePoolPush") != NULL;
  say("guide.16", known ? OPEN : UNAVAILABLE, "%s", known ? "not tried" : "no autorelease pools on this system");
}
