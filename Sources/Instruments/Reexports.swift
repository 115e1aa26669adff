// `import Instruments` imports everything that a pattern needs.
@_exported import Laboratory
@_exported import Measurement
@_exported import Platform
