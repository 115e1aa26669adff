// What a pattern is written with comes with `import Instruments`: the C library of the system, too.
@_exported import Laboratory
@_exported import Measurement
@_exported import Platform

#if canImport(Darwin)
  @_exported import Darwin
#else
  @_exported import Glibc
#endif
