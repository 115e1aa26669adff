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
    // For a lab of one's own: see Examples.
    .library(name: "GCDLab", targets: ["GCDLab"]),
    // The model that explores code of one's own.
    .library(name: "Exploration", targets: ["Exploration"]),
    // The kit of its tests.
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
    // The lab with its own catalogue.
    .executableTarget(name: "gcdlab", dependencies: ["GCDLab", "PatternModels", "Patterns"]),
    // The command line, one file a subcommand, as a library: another package can be a lab, too.
    .target(
      name: "GCDLab",
      dependencies: [
        "Exploration", "Instruments", "Laboratory", "Reporting", "Measurement", "Platform", "CDispatchSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"), subprocess,
      ], path: "Sources/CommandLine"),
    // Scenario file -> experiment -> plan -> workers -> observations -> results -> verdicts.
    .target(name: "Laboratory", dependencies: ["Measurement", "Platform", "Yams", histogram, real, subprocess]),
    // What several patterns measure with.
    .target(name: "Instruments", dependencies: ["Laboratory", "Measurement", "Platform", "CDispatchSupport"]),
    // The documented patterns, in a folder for each family.
    .target(
      name: "Patterns",
      dependencies: [
        "Instruments", "Laboratory", "Measurement", "Platform", "CDispatchSupport", "NonisolatedBefore",
        "NonisolatedToday",
      ],
      exclude: ["scenarios"], plugins: ["Shelve"]),
    // A program under a scheduler of its own, which goes through the orders of its steps.
    .target(name: "Exploration", dependencies: ["CDispatchSupport", "Measurement"]),
    // The patterns' own files, compiled a second time against the queues, locks and variables of Exploration.
    .target(
      name: "PatternModels",
      dependencies: ["Exploration", "Instruments", "Laboratory", "Platform", "CDispatchSupport"]),
    // The same functions without and with an upcoming feature: see the pattern where-code-runs.
    .target(name: "NonisolatedBefore"),
    .target(
      name: "NonisolatedToday", swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    // Reports on results, in every format.
    .target(
      name: "Reporting",
      dependencies: ["Exploration", "Laboratory", "Measurement", "Platform", "Rainbow", "TextTable", histogram, real],
      exclude: ["gcdlab.result-2.schema.json"]),
    // Clock, latency recorder, calibrated work, statistics, units.
    .target(name: "Measurement", dependencies: ["CDispatchSupport", "Platform", histogram, real]),
    // The seam to Linux and Darwin.
    .target(
      name: "Platform",
      dependencies: ["CDispatchSupport", .product(name: "SystemPackage", package: "swift-system")],
      plugins: ["Preload"]),
    // A few C functions that Swift hides, and the recorder of traces; preloaded is for the plugin.
    .target(name: "CDispatchSupport", exclude: ["preloaded"]),
    // The recorder into the binary, as a library for other programs.
    .plugin(name: "Preload", capability: .buildTool(), dependencies: ["preload"]),
    .executableTarget(name: "preload", dependencies: ["CDispatchSupport"]),
    // Scenarios and sources into the binary.
    .plugin(name: "Shelve", capability: .buildTool(), dependencies: ["shelve"]),
    // What the released build wraps (Makefile) must be found in all that it links.
    .executableTarget(name: "shelve", dependencies: ["CDispatchSupport", "Yams"]),
    // A lab that compares equals: see Tools/tallies. What GCDLab hands on is named, or it would not be built anew with it.
    .executableTarget(name: "twins", dependencies: ["GCDLab", "Laboratory"], path: "Tools/Twins"),
    // A lab whose workers misbehave: see Tools/hardships.
    .executableTarget(name: "faults", dependencies: ["GCDLab", "Laboratory", "Platform"], path: "Tools/Faults"),
    // Programs without a line of the lab, which the tests record.
    .executableTarget(
      name: "known", path: "Tests/Programs/known",
      linkerSettings: [.linkedLibrary("dispatch", .when(platforms: [.linux]))]),
    .executableTarget(name: "hazards", path: "Tests/Programs/hazards"),
    // What the tests share.
    .target(
      name: "LabTesting", dependencies: ["Laboratory", "Measurement", "Platform", "TestRun"], path: "Tests/LabTesting"),
    // One directory for the files of a run of tests, and an end to what it started.
    .target(name: "TestRun", path: "Tests/TestRun"),
    .testTarget(name: "MeasurementTests", dependencies: ["Measurement", real]),
    .testTarget(name: "PlatformTests", dependencies: ["Platform"]),
    .testTarget(
      name: "ExplorationTests", dependencies: ["Exploration", "PatternModels", "Instruments", "Measurement"]),
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
