// sources.16, 17, 18 and 27: a source that watches a file reports its changes. Its descriptor must stay open. The
// source follows the file through any number of renames, of which perhaps only the last is reported if the source is
// suspended.
// These sentences are about vnode sources. The program only checks whether the loaded libdispatch has vnode sources. (A
// replacement, for example with inotify, would show nothing about Dispatch.)
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
