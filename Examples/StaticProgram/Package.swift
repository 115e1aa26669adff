// swift-tools-version: 6.2
import PackageDescription

// A program that contains Dispatch instead of loading it. If the recorder is linked, the program's calls can be
// recorded:
//
//     swift build --static-swift-stdlib $(gcdlab trace --recorder recorder.o)
//     gcdlab trace -- .build/debug/static-program
let package = Package(
  name: "static-program",
  targets: [.executableTarget(name: "static-program")],
  swiftLanguageModes: [.v6]
)
