// swift-tools-version: 6.2
import PackageDescription

let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let real = Target.Dependency.product(name: "RealModule", package: "swift-numerics")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")

let package = Package(
  name: "gcdlab",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "gcdlab", targets: ["gcdlab"]),
    // A lab for the patterns of another package: see Examples.
    .library(name: "GCDLab", targets: ["GCDLab"]),
    // A model of Dispatch that explores the code of another package.
    .library(name: "Exploration", targets: ["Exploration"]),
    // The helpers for tests of patterns.
    .library(name: "LabTesting", targets: ["LabTesting"]),
    .plugin(name: "Shelve", targets: ["Shelve"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.2"),
    .package(url: "https://github.com/ordo-one/TextTable", from: "0.0.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/apple/swift-numerics", from: "1.1.1"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    // The lab with the documented patterns.
    .executableTarget(name: "gcdlab", dependencies: ["GCDLab", "ExploredPatterns", "Patterns"]),
    // The command line, with one file for each subcommand. As a library, it also runs the patterns of other packages.
    .target(
      name: "GCDLab",
      dependencies: [
        "Exploration", "Instruments", "Laboratory", "Reporting", "Measurement", "Platform", "CDispatchSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"), subprocess,
      ], path: "Sources/CommandLine"),
    // Scenario file -> experiment -> plan -> workers -> observations -> results -> verdicts.
    .target(name: "Laboratory", dependencies: ["Measurement", "Platform", "Yams", histogram, real, subprocess]),
    // The instruments that several patterns share.
    .target(name: "Instruments", dependencies: ["Laboratory", "Measurement", "Platform", "CDispatchSupport"]),
    // The documented patterns, with one folder for each family.
    .target(
      name: "Patterns",
      dependencies: [
        "Instruments", "Laboratory", "Measurement", "Platform", "CDispatchSupport", "NonisolatedBefore",
        "NonisolatedToday",
      ],
      exclude: ["scenarios"], plugins: ["Shelve"]),
    // A scheduler that runs a program in every order of its steps.
    .target(name: "Exploration", dependencies: ["CDispatchSupport", "Measurement"]),
    // The patterns' own files, compiled again with the queues, locks and variables of Exploration.
    .target(
      name: "ExploredPatterns",
      dependencies: ["Exploration", "Instruments", "Laboratory", "Platform", "CDispatchSupport"]),
    // The same functions without and with an upcoming feature of Swift: see the pattern where-code-runs.
    .target(name: "NonisolatedBefore"),
    .target(
      name: "NonisolatedToday", swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    // The reports on results, in all formats.
    .target(
      name: "Reporting",
      dependencies: ["Exploration", "Laboratory", "Measurement", "Platform", "Rainbow", "TextTable", histogram, real],
      exclude: ["gcdlab.result-2.schema.json"]),
    // Clock, latency recorder, calibrated work, statistics, units.
    .target(name: "Measurement", dependencies: ["CDispatchSupport", "Platform", histogram, real]),
    // The functions that differ between Linux and Darwin.
    .target(
      name: "Platform",
      dependencies: ["CDispatchSupport", .product(name: "SystemPackage", package: "swift-system")],
      plugins: ["Preload"]),
    // C functions that Swift hides, and the recorder of traces. The plugin Preload compiles the folder preloaded.
    .target(name: "CDispatchSupport", exclude: ["preloaded"]),
    // Embeds the recorder in the binary, as a library for other programs.
    .plugin(name: "Preload", capability: .buildTool(), dependencies: ["preload"]),
    .executableTarget(name: "preload", dependencies: ["CDispatchSupport"]),
    // Embeds scenarios and sources in the binary.
    .plugin(name: "Shelve", capability: .buildTool(), dependencies: ["shelve"]),
    // The released build links every executable with --wrap (Makefile), so shelve must contain the wrappers.
    .executableTarget(name: "shelve", dependencies: ["CDispatchSupport", "Yams"]),
    // A lab with two equal variants: see Tools/tallies. Laboratory is named although GCDLab depends on it: SwiftPM
    // would otherwise not rebuild this target after a change of Laboratory.
    .executableTarget(name: "twins", dependencies: ["GCDLab", "Laboratory"], path: "Tools/Twins"),
    // A lab whose workers misbehave: see Tools/hardships.
    .executableTarget(
      name: "faults", dependencies: ["Exploration", "GCDLab", "Laboratory", "Platform"], path: "Tools/Faults"),
    // Programs that contain no code of the lab, and that the tests record.
    .executableTarget(
      name: "known", path: "Tests/Programs/known",
      linkerSettings: [.linkedLibrary("dispatch", .when(platforms: [.linux]))]),
    .executableTarget(name: "hazards", path: "Tests/Programs/hazards"),
    // Helpers that the tests share.
    .target(
      name: "LabTesting", dependencies: ["Laboratory", "Measurement", "Platform", "TestRun"], path: "Tests/LabTesting"),
    // Creates one directory for the files of a test run, and ends the processes that the run started.
    .target(name: "TestRun", path: "Tests/TestRun"),
    .testTarget(name: "MeasurementTests", dependencies: ["Measurement", real]),
    .testTarget(name: "PlatformTests", dependencies: ["Platform", "LabTesting"]),
    .testTarget(
      name: "ExplorationTests", dependencies: ["Exploration", "ExploredPatterns", "Instruments", "Measurement"]),
    .testTarget(name: "LaboratoryTests", dependencies: ["Laboratory", "LabTesting", "Measurement", "Platform"]),
    .testTarget(
      name: "InstrumentsTests",
      dependencies: ["Instruments", "LabTesting", "Laboratory", "Measurement", "CDispatchSupport"]),
    .testTarget(
      name: "PatternsTests",
      dependencies: ["Patterns", "Instruments", "LabTesting", "Laboratory", "Measurement", "Platform", "Reporting"]),
    .testTarget(
      name: "ReportingTests", dependencies: ["Exploration", "Reporting", "LabTesting", "Laboratory", "Measurement"]),
    .testTarget(
      name: "FuzzTests",
      dependencies: ["Laboratory", "LabTesting", "Measurement", "Patterns", "Platform", "Reporting", subprocess]),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "gcdlab", "faults", "known", "hazards", "LabTesting", "Laboratory", "Patterns", "Platform", "Reporting",
        "TestRun", subprocess,
      ]),
  ],
  swiftLanguageModes: [.v6]
)
