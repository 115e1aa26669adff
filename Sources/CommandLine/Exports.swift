// What the author of a lab needs comes with `import GCDLab`. Instruments hands on the others, too; Tools/docs reads
// this list.
@_exported import Instruments
@_exported import Laboratory
@_exported import Measurement
@_exported import Platform
