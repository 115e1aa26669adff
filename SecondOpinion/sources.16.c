// sources.16, 17, 18 and 27: a source that watches a file reports its changes; its descriptor must stay open; it follows
// the file through any number of renames, of which perhaps only the last is told while it is suspended. They speak of
// vnode sources, and this looks whether the libdispatch that is loaded has any. (What could be built instead, as with
// inotify, would say nothing of Dispatch.)
#include "program.h"
#include <dlfcn.h>

int main(int count, char **words) {
  begin_program(count, words);
  const char *sentences[] = {"sources.16", "sources.17", "sources.18", "sources.27"};
  bool known = dlsym(RTLD_DEFAULT, "_dispatch_source_type_vnode") != NULL;
  bool others = dlsym(RTLD_DEFAULT, "_dispatch_source_type_read") != NULL;
  for (int i = 0; i < 4; i++)
    say(sentences[i], !others || known ? OPEN : UNAVAILABLE,
        !others  ? "the types of sources cannot be looked up"
        : known  ? "there are vnode sources, which this program does not try"
                 : "this libdispatch has no vnode sources");
}
