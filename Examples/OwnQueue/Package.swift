// swift-tools-version: 6.2
import PackageDescription

// A lab for your own code. In your package, specify gcdlab by its URL and version instead of this path.
let package = Package(
  name: "own-queue",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "gcdlab", path: "../..")],
  targets: [
    .executableTarget(
      name: "own-queue", dependencies: ["OwnQueueExplored", .product(name: "GCDLab", package: "gcdlab")],
      exclude: ["scenarios"], plugins: [.plugin(name: "Shelve", package: "gcdlab")]),
    // The code under test, compiled again with a model of queues: see `explore`.
    .target(name: "OwnQueueExplored", dependencies: [.product(name: "Exploration", package: "gcdlab")]),
  ],
  swiftLanguageModes: [.v6]
)
