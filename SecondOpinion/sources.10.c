// sources.10, always: a system-clock timer stands still while the machine sleeps, and a wall-clock timer does not.
// Tried without letting the machine sleep: /proc/self/fdinfo shows which clock Dispatch's timer descriptor follows.
// CLOCK_MONOTONIC (1) stands still while a Linux machine sleeps; CLOCK_BOOTTIME (7) and CLOCK_REALTIME (0) do not.
// Broken: the wall-clock timer is a system-clock timer.
#include "program.h"

static void clocks(unsigned *found) {
  char path[300], line[200];
  DIR *directory = opendir("/proc/self/fdinfo");
  if (!directory) return;
  for (struct dirent *entry; (entry = readdir(directory));) {
    snprintf(path, sizeof path, "/proc/self/fdinfo/%s", entry->d_name);
    FILE *file = fopen(path, "r");
    unsigned clock = 31;
    long value = 0;
    while (file && fgets(line, sizeof line, file)) {
      (void)sscanf(line, "clockid: %u", &clock);
      (void)sscanf(line, "it_value: (%ld", &value);
    }
    if (clock < 31 && value > 50) *found |= 1u << clock;  // This is the timer that the program set.
    if (file) fclose(file);
  }
  closedir(directory);
}

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    bool wall = is("wall") && !broken;
    dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, dispatch_get_global_queue(0, 0));
    dispatch_source_set_timer(timer,
                              wall ? dispatch_walltime(NULL, 100 * NSEC_PER_SEC)
                                   : dispatch_time(DISPATCH_TIME_NOW, 100 * NSEC_PER_SEC),
                              NSEC_PER_SEC, 0);
    dispatch_source_set_event_handler(timer, ^{});
    dispatch_activate(timer);
    unsigned found = 0;
    for (double end = now() + 2; !found && now() < end; rest(0.005))
      clocks(&found);  // The timer is set a little later. No block is submitted, since the pool also has a timer.
    tell((long)found, 0, 0, 0);
    return 0;
  }
  Tally system = attempt("system"), wall = attempt("wall");
  bool still = system.sum[0] == tries * (1L << CLOCK_MONOTONIC);
  bool moves = wall.sum[0] == tries * (1L << CLOCK_REALTIME) || wall.sum[0] == tries * (1L << CLOCK_BOOTTIME);
  if (!system.sum[0]) say("sources.10", UNAVAILABLE, "no timer descriptor reports its clock");
  else
    say("sources.10", still && moves ? HOLDS : FAILS, "clocks of the timer descriptors, as bits: system %ld, wall %ld",
        system.sum[0] / tries, wall.sum[0] / tries);
}
