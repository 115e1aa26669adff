// swift-tools-version: 6.2
import PackageDescription

// The program that `make bench` runs. It uses gcdlab only as a binary, and the C counterparts only as programs.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "CCores"),
    .executableTarget(name: "bench", dependencies: ["CCores"]),
  ],
  swiftLanguageModes: [.v6]
)
