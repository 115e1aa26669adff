// sources.12, may: a handler that waits in read or write can hold up its serial queue. On a concurrent queue, fewer new
// blocks begin.
// Tried: a read source whose handler reads its pipe until nothing is left, and a write source whose handler fills its
// pipe, each on a serial queue; and as many such read sources on a concurrent queue as there are cores. Then one block
// is submitted to the serial queue, and one block for each core to the concurrent queue. The program counts the blocks
// that have not begun after 60 ms, while all handlers wait.
// Broken: the descriptors are non-blocking.
#include "program.h"

enum { MOST = 64 };

// Creates a source for one end of a pipe, whose handler waits. Returns the other end of the pipe.
static int begin(dispatch_queue_t queue, bool writes, dispatch_semaphore_t read_all) {
  int ends[2];
  if (pipe(ends)) exit(1);
  int own = ends[writes], other = ends[!writes];
  if (broken) fcntl(own, F_SETFL, O_NONBLOCK);
  dispatch_source_t source = dispatch_source_create(
      writes ? DISPATCH_SOURCE_TYPE_WRITE : DISPATCH_SOURCE_TYPE_READ, (uintptr_t)own, 0, queue);
  if (!writes && write(other, "x", 1) != 1) exit(1);
  dispatch_source_set_event_handler(source, ^{
    static char bytes[65536];
    if (writes) {
      dispatch_semaphore_signal(read_all);
      while (write(own, bytes, sizeof bytes) > 0) {}
    } else {
      char byte[8];
      while (read(own, byte, sizeof byte) > 0) dispatch_semaphore_signal(read_all);
    }
    dispatch_source_cancel(source);
  });
  dispatch_activate(source);
  return other;
}

// Submits `blocks` blocks, and returns how many of them have not begun after 60 ms.
static int held_up(dispatch_queue_t queue, int blocks) {
  atomic_int *begun = calloc(1, sizeof(atomic_int));
  dispatch_semaphore_t meeting = dispatch_semaphore_create(0);
  for (int i = 0; i < blocks; i++)
    dispatch_async(queue, ^{
      ++*begun;
      wait_for(meeting);
    });
  rest(0.06);
  return blocks - *begun;
}

int main(int count, char **words) {
  begin_program(count, words);
  cpu_set_t set;
  int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  cores = cores > MOST ? MOST : cores;
  if (part) {
    bool concurrent = is("concurrent");
    dispatch_queue_t queue = dispatch_queue_create("handlers", concurrent ? DISPATCH_QUEUE_CONCURRENT : NULL);
    dispatch_semaphore_t read_all = dispatch_semaphore_create(0);
    int sources = concurrent ? cores : 1;
    for (int i = 0; i < sources; i++) begin(queue, is("write"), read_all);
    for (int i = 0; i < sources; i++) within(read_all, 2);
    rest(0.02);
    tell(held_up(queue, sources), sources, 0, 0);
    _exit(0);
  }
  Tally reads = attempt("read"), writes = attempt("write"), many = attempt("concurrent");
  say("sources.12", reads.met[0] && writes.met[0] && many.met[0] ? SEEN : NOT_SEEN,
      "serial queues held up by a handler in read %d, in write %d of %d; on concurrent queues %ld of %ld blocks had not "
      "begun while a handler for each core waited in read",
      reads.met[0], writes.met[0], tries, many.sum[0], many.sum[1]);
}
