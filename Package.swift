// swift-tools-version: 6.2
import PackageDescription

let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")

let package = Package(
  name: "gcdlab",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "gcdlab", targets: ["gcdlab"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.2"),
    .package(url: "https://github.com/ordo-one/TextTable", from: "0.0.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    // The command line: one file a subcommand.
    .executableTarget(
      name: "gcdlab",
      dependencies: [
        "Laboratory", "Patterns", "Reporting", "Scenarios", "Measurement", "Platform",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // Scenario file -> experiment -> plan -> workers -> observations -> results -> verdicts.
    .target(
      name: "Laboratory",
      dependencies: [
        "Measurement", "Platform", "Yams", histogram,
        .product(name: "Subprocess", package: "swift-subprocess"),
      ]),
    // The documented patterns, one file each.
    .target(
      name: "Patterns", dependencies: ["Laboratory", "Measurement", "Platform", "CDispatchSupport"]),
    // Results to every format, one file each.
    .target(
      name: "Reporting", dependencies: ["Laboratory", "Measurement", "Platform", "Rainbow", "TextTable", histogram],
      exclude: ["gcdlab.result-1.schema.json"]),
    // Clock, latency recorder, calibrated work, statistics, units.
    .target(name: "Measurement", dependencies: [histogram, "Platform"]),
    // The seam to Linux and Darwin.
    .target(name: "Platform", dependencies: ["CDispatchSupport"]),
    // A few C functions that Swift hides.
    .target(name: "CDispatchSupport"),
    // The scenario files, embedded in the binary.
    .target(
      name: "Scenarios", path: "scenarios",
      resources: [
        .embedInCode("apply-stride.yml"),
        .embedInCode("fd-semaphore.yml"),
        .embedInCode("file-monitor.yml"),
        .embedInCode("group-wait-vs-notify.yml"),
        .embedInCode("singleton-race.yml"),
      ]),
    .testTarget(name: "MeasurementTests", dependencies: ["Measurement"]),
    .testTarget(name: "PlatformTests", dependencies: ["Platform"]),
    .testTarget(name: "LaboratoryTests", dependencies: ["Laboratory", "Measurement"]),
    .testTarget(
      name: "PatternsTests", dependencies: ["Patterns", "Laboratory", "Scenarios", "Measurement", "Platform"]),
    .testTarget(name: "ReportingTests", dependencies: ["Reporting", "Laboratory", "Measurement"]),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "Laboratory", "Measurement", "Patterns", "Platform", "Reporting", "Scenarios",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      exclude: ["Corpus"]),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "gcdlab", "Laboratory", "Patterns", "Platform", "Scenarios",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
