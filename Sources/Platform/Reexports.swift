// A module that imports Platform also imports the system's C library.
#if canImport(Darwin)
  @_exported import Darwin
#else
  @_exported import Glibc
#endif
