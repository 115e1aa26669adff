#ifdef __linux__
#include <string.h>
#include <unistd.h>

// Swift's runtime and Dispatch read /proc while they are initialized, and crash if /proc is missing. Their
// initialization precedes main() and all constructors of the binary. The sanitizers are not initialized yet. Functions
// that a sanitizer replaces are therefore called only if the function ends the process.
__attribute__((no_sanitize("address", "thread", "undefined"), no_stack_protector)) static void require(
    int count, char **arguments, char **environment) {
  (void)environment;
  if (access("/proc/self/cmdline", F_OK) == 0) return;
  static const char reason[] = ": required files of the system are missing: /proc is not mounted, or is empty\n";
  const char *path = count > 0 ? arguments[0] : "gcdlab", *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  ssize_t written = write(STDERR_FILENO, name, strlen(name));
  if (written >= 0) written = write(STDERR_FILENO, reason, sizeof reason - 1);
  _exit(2);
}

__attribute__((used, section(".preinit_array"))) static void (*const first)(int, char **, char **) = require;
#endif
