// A program that imports GCDLab can use all modules of the package: Instruments re-exports the other modules.
// Tools/docs reads this list.
@_exported import Instruments
@_exported import Laboratory
@_exported import Measurement
@_exported import Platform
