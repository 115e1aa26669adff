// `import GCDLab` gives the author of a lab everything. Instruments re-exports the other modules. Tools/docs reads this
// list.
@_exported import Instruments
@_exported import Laboratory
@_exported import Measurement
@_exported import Platform
