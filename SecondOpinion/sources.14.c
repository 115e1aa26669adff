// sources.14, always: a read source's handler is called again as long as there is data, and is no longer called at the
// end of the file or connection.
// Tried: the document's listing, which reads the estimated number of bytes and one byte more, and never cancels. 100
// KiB are read from a pipe and a Unix socket whose far end then closes, from a TCP connection, and from a regular file.
// The program counts transfers whose last bytes were never read, and handler calls after the end was read.
// Broken: the handler reads until nothing is left, and cancels the source at the end.
#include "program.h"
#include <netinet/in.h>
#include <sys/socket.h>

enum { BYTES = 100 * 1024 };

static bool pair(char kind, int *ends) {
  if (kind == 'p') return pipe(ends) == 0;
  if (kind == 'u') return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
  if (kind == 'f') {
    ends[0] = dup(fileno(tmpfile()));
    ends[1] = dup(ends[0]);
    return true;
  }
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (void *)&here, size) || listen(listener, 1) || getsockname(listener, (void *)&here, &size))
    return false;
  ends[1] = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(ends[1], (void *)&here, size)) return false;
  ends[0] = accept(listener, NULL, NULL);
  close(listener);
  return true;
}

int main(int count, char **words) {
  begin_program(count, words);
  if (part) {
    int *ends = calloc(2, sizeof(int));
    if (!pair(part[0], ends)) {
      tell(0, 0, 0, 0);
      return 0;
    }
    if (part[0] == 'f') {
      static char zero[BYTES];
      if (write(ends[1], zero, BYTES) != BYTES) return 1;
      lseek(ends[0], 0, SEEK_SET);
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    __block long total = 0, after = 0;
    __block bool ended = false;
    dispatch_queue_t queue = dispatch_queue_create("reader", NULL);
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)ends[0], 0, queue);
    dispatch_source_set_event_handler(source, ^{
      after += ended;
      char bytes[4096];
      size_t estimated = dispatch_source_get_data(source) + 1;
      for (;;) {
        ssize_t got = read(ends[0], bytes, broken || estimated > sizeof bytes ? sizeof bytes : estimated);
        if (got > 0) {
          total += got;
          estimated -= (size_t)got < estimated ? (size_t)got : estimated;
        }
        if (got == 0) {
          ended = true;
          if (broken) dispatch_source_cancel(source);
        }
        if (got <= 0 || (!broken && estimated == 0)) break;
      }
    });
    dispatch_activate(source);
    if (part[0] != 'f')
      dispatch_sync(dispatch_queue_create("writer", NULL), ^{
        char bytes[4096] = {0};
        for (long sent = 0; sent < BYTES;) {
          ssize_t put = write(ends[1], bytes, sizeof bytes);
          if (put > 0) sent += put;
          else break;
        }
        close(ends[1]);
      });
    __block long seen = -1;
    for (long last = -2, still = 0; still < 6;
         still = seen == last ? still + 1 : 0) {  // Ends once no byte has arrived for 60 ms.
      rest(0.01);
      last = seen;
      dispatch_sync(queue, ^{ seen = total; });
    }
    dispatch_sync(queue, ^{ tell(total != BYTES, after, 1, 0); });
    return 0;
  }
  Tally pipe = attempt("p"), local = attempt("u"), tcp = attempt("t"), file = attempt("f");
  int lost = pipe.met[0] + local.met[0] + tcp.met[0], after = pipe.met[1] + local.met[1] + tcp.met[1];
  bool whole = !lost && !after && !file.met[1];
  say("sources.14",
      whole                                ? HOLDS
          : lost && (after || file.met[1]) ? FAILS
                                           : PARTLY,
      "tail never read: pipe %d, Unix socket %d, TCP %d of %d; ran after the end: pipe %d, socket %d, TCP %d, file %d "
      "(%ld runs)",
      pipe.met[0], local.met[0], tcp.met[0], tries, pipe.met[1], local.met[1], tcp.met[1], file.met[1], file.sum[1]);
}
