// sources.5, may: a descriptor that is closed too early is reused, and the wrong file is read.
// sources.13, may: the estimate of readable bytes can be wrong at the time of the read.
// Tried: a byte waits in a pipe, and the handler waits for its queue. The descriptor is closed, and an unrelated pipe
// gets its number. The program reports which pipe the handler reads. For sources.13, a byte arrives between the
// estimate and the read.
// Broken: the source is cancelled first, and its cancellation handler closes the descriptor. For sources.13, no byte
// arrives.
#include "program.h"

int main(int count, char **words) {
  begin_program(count, words);
  __block int off = 0;
  int wrong = 0, read_at_all = 0;
  for (int r = 0; r < tries; r++) {
    int mine[2], other[2];
    if (pipe(mine)) return 1;
    dispatch_queue_t queue = dispatch_queue_create("reader", NULL);
    dispatch_semaphore_t gate = dispatch_semaphore_create(0), done = dispatch_semaphore_create(0),
                         closed = dispatch_semaphore_create(0);
    dispatch_semaphore_t registered = dispatch_semaphore_create(0);
    int fd = mine[0], writer = mine[1];
    __block char got = 0;
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)fd, 0, queue);
    dispatch_source_set_registration_handler(source, ^{
      dispatch_semaphore_signal(registered);
      wait_for(gate);
    });
    dispatch_source_set_event_handler(source, ^{
      char bytes[16];
      if (read(fd, bytes, sizeof bytes) > 0) got = bytes[0];
      dispatch_semaphore_signal(done);
      dispatch_suspend(source);
    });
    dispatch_source_set_cancel_handler(source, ^{
      close(fd);
      dispatch_semaphore_signal(closed);
    });
    if (write(writer, "m", 1) != 1) return 1;
    dispatch_activate(source);
    wait_for(registered);
    rest(0.005);  // The event is queued after the held handler.
    if (broken) {
      dispatch_source_cancel(source);
      dispatch_semaphore_signal(gate);
      wait_for(closed);
    } else close(fd);
    if (pipe(other) || (other[0] != fd && dup2(other[0], fd) != fd) || write(other[1], "s", 1) != 1) return 1;
    dispatch_semaphore_signal(gate);
    read_at_all += within(done, broken ? 0.02 : 0.5);
    wrong += got == 's';
    close(writer);
    close(other[1]);
  }
  say("sources.5", wrong ? SEEN : NOT_SEEN, "an unrelated pipe's bytes read in %d of %d, a handler ran in %d", wrong, tries,
      read_at_all);

  for (int r = 0; r < tries; r++) {
    int *ends = calloc(2, sizeof(int));
    if (pipe(ends) || write(ends[1], "a", 1) != 1) return 1;
    dispatch_semaphore_t done = dispatch_semaphore_create(0);
    dispatch_source_t source =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)ends[0], 0, dispatch_queue_create("reader", NULL));
    dispatch_source_set_event_handler(source, ^{
      char bytes[16];
      long estimated = (long)dispatch_source_get_data(source);
      if (!broken && write(ends[1], "b", 1) != 1) return;
      off += read(ends[0], bytes, sizeof bytes) != estimated;
      dispatch_source_cancel(source);
      dispatch_semaphore_signal(done);
    });
    dispatch_activate(source);
    wait_for(done);
  }
  say("sources.13", off ? SEEN : NOT_SEEN, "estimate and read differed in %d of %d", off, tries);
}
