// `import Instruments` brings everything that a pattern is written with, the system's C library included.
@_exported import Laboratory
@_exported import Measurement
@_exported import Platform

#if canImport(Darwin)
  @_exported import Darwin
#else
  @_exported import Glibc
#endif
