// depth.14, always: unbalanced enters and leaves of a group crash.
// groups.6, always: enter must come before leave.
// groups.7, recipe: enter and leave must be paired, also if an error occurs.
// Tried in fresh processes: a leave too many, a leave too few with a wait, a leave too few for a group that is
// released, and a leave before the enter.
// Broken: enter and leave are balanced and in order.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
    dispatch_group_enter(group);
    if (broken || is("many") || is("first")) {
      if (is("first") && !broken) {
        group = dispatch_group_create();
        dispatch_group_leave(group);
        dispatch_group_enter(group);
      } else dispatch_async(queue, ^{ dispatch_group_leave(group); });
      if (is("many") && !broken) dispatch_group_wait(group, DISPATCH_TIME_FOREVER), dispatch_group_leave(group);
    }
    if (!is("released")) dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_release(group);
    return 0;
  }
  Tally many = attempt("many"), few = attempt("few"), released = attempt("released"), first = attempt("first");
  int crashed = many.trapped + few.trapped + released.trapped;
  say("depth.14",
      crashed == 3 * tries ? HOLDS
          : crashed        ? PARTLY
                           : FAILS,
      "a leave too many trapped %d, a leave too few hung %d and trapped %d, and exited with 0 in %d if its group was "
      "released, of %d each",
      many.trapped, few.hung, few.trapped, released.finished, tries);
  say("groups.6", first.trapped + first.hung == tries ? HOLDS : FAILS,
      "leave before enter: trapped %d, continued %d of %d", first.trapped, first.finished, tries);
  say("groups.7", few.hung + few.trapped == tries && many.trapped == tries ? HOLDS : FAILS,
      "a missing leave: hung %d of %d; a leave too many: trapped %d", few.hung, tries, many.trapped);
}
