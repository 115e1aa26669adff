// What the author of a lab needs comes with `import GCDLab`.
@_exported import Laboratory
@_exported import Measurement
@_exported import Platform
