// sources.19, always: a signal source does not prevent the signal from ending the process. The signal must be ignored
// first.
// Tried: SIGUSR1, SIGHUP and SIGTERM, which the program does not ignore. kill sends a signal five times after the
// source has been registered, or once before. Each signal must be reported before the next is sent.
// Broken: the signal is ignored first, as in the document's listing.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  int number[] = {SIGUSR1, SIGHUP, SIGTERM};
  if (part) {
    int which = number[part[0] - '0'];
    if (broken) signal(which, SIG_IGN);
    dispatch_semaphore_t registered = dispatch_semaphore_create(0), told = dispatch_semaphore_create(0);
    dispatch_source_t source =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, (uintptr_t)which, 0, dispatch_get_global_queue(0, 0));
    dispatch_source_set_event_handler(source, ^{ dispatch_semaphore_signal(told); });
    dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(registered); });
    if (part[1] == 'b') kill(getpid(), which);  // before: the source exists, and is not registered
    dispatch_activate(source);
    wait_for(registered);
    int heard = 0;
    for (int i = 0; i < 5 && part[1] == 'a'; i++) {
      kill(getpid(), which);
      wait_for(told);
      heard++;
    }
    tell(heard, 0, 0, 0);
    return 0;
  }
  int lived = 0, died = 0, heard = 0;
  for (int s = 0; s < 3; s++) {
    char after[] = {(char)('0' + s), 'a', 0}, before[] = {(char)('0' + s), 'b', 0};
    Tally registered = attempt(after), early = attempt(before);
    lived += registered.finished;
    heard += (int)registered.sum[0];
    died += early.killed;
  }
  say("sources.19",
      !lived     ? HOLDS
          : died ? PARTLY
                 : FAILS,
      "ended by a signal before the registration %d of %d; survived afterwards %d of %d, reported %d of %d", died, 3 * tries,
      lived, 3 * tries, heard, 15 * tries);
}
