// `import Instruments` imports everything that a pattern needs, including the system's C library.
@_exported import Laboratory
@_exported import Measurement
@_exported import Platform

#if canImport(Darwin)
  @_exported import Darwin
#else
  @_exported import Glibc
#endif
