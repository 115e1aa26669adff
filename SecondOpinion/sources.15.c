// sources.15, always: the handler of a write source is called when there is room.
// Tried: a pipe, a Unix stream socket and a TCP connection are filled until a write takes nothing and the handler is no
// longer called. Half of the content is read, and the program waits for the handler. If the handler is not called, the
// program measures how many bytes a write takes nevertheless.
// Broken: all of the content is read.
#include "program.h"
#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <sys/socket.h>

static bool connected(int *ends) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  ends[1] = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (void *)&address, size) || listen(listener, 1)) return false;
  if (getsockname(listener, (void *)&address, &size) || connect(ends[1], (void *)&address, size)) return false;
  ends[0] = accept(listener, NULL, NULL);
  close(listener);
  return ends[0] >= 0;
}

int main(int count, char **words) {
  begin_program(count, words);
  static char bytes[1 << 20];
  const char *names[] = {"pipe", "Unix socket", "TCP"};
  int called[3] = {0};
  long taken[3] = {0}, put[3] = {0};
  signal(SIGPIPE, SIG_IGN);
  for (int kind = 0; kind < 3; kind++)
    for (int r = 0; r < tries; r++) {
      int ends[2];
      if (kind == 0 ? pipe(ends) : kind == 1 ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : !connected(ends)) {
        say("sources.15", UNAVAILABLE, "no %s: %s", names[kind], strerror(errno));
        return 0;
      }
      int writer = ends[1];
      for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFL, O_NONBLOCK);
      dispatch_queue_t queue = dispatch_queue_create("writer", NULL);
      dispatch_semaphore_t told = dispatch_semaphore_create(0), gone = dispatch_semaphore_create(0);
      atomic_long *filled = calloc(1, sizeof(atomic_long));
      atomic_bool *writes = calloc(1, sizeof(atomic_bool));
      *writes = true;
      dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_WRITE, (uintptr_t)writer, 0, queue);
      dispatch_source_set_event_handler(source, ^{
        if (*writes)
          for (long n; (n = write(writer, bytes, sizeof bytes)) > 0;) *filled += n;
        else dispatch_source_cancel(source);  // One handler call is enough.
        dispatch_semaphore_signal(told);
      });
      dispatch_source_set_cancel_handler(source, ^{ dispatch_semaphore_signal(gone); });
      dispatch_activate(source);
      while (within(told, 0.1)) {}
      put[kind] += *filled;
      *writes = false;
      for (long left = broken ? LONG_MAX : *filled / 2, n; left > 0; left -= n)
        if ((n = read(ends[0], bytes, left < (long)sizeof bytes ? (size_t)left : sizeof bytes)) <= 0) break;
      if (within(told, 0.2)) called[kind]++;
      else
        for (long n; (n = write(writer, bytes, sizeof bytes)) > 0;) taken[kind] += n;
      dispatch_source_cancel(source);
      wait_for(gone);
      for (int i = 0; i < 2; i++) close(ends[i]);
    }
  long missed = taken[0] + taken[1] + taken[2];
  say("sources.15", missed == 0 ? HOLDS : called[0] + called[1] + called[2] ? PARTLY : FAILS,
      "called when half was read: pipe %d, Unix socket %d, TCP %d of %d; a write took %ld, %ld and %ld of some %ld, %ld "
      "and %ld bytes although no handler came",
      called[0], called[1], called[2], tries, taken[0] / tries, taken[1] / tries, taken[2] / tries, put[0] / tries,
      put[1] / tries, put[2] / tries);
}
