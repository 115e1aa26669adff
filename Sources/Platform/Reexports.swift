// Every module above this one sees the system's C library with `import Platform`.
#if canImport(Darwin)
  @_exported import Darwin
#else
  @_exported import Glibc
#endif
