import Foundation
import PackagePlugin

/// Puts the recorder into a target, as a library that other programs preload: `RecorderLibrary.text`.
///
/// The recorder is compiled from the sources that the lab itself records with (`CDispatchSupport`). Only Linux preloads.
@main struct Preload: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    #if os(Linux)
      guard let recorder = target.recursiveTargetDependencies.first(where: { $0.name == "CDispatchSupport" }) else {
        return []
      }
      let folder = recorder.directoryURL
      let sources = ["Trace.c", "preloaded/Preloaded.c"].map { folder.appending(path: $0) }
      let headers = ["Wrapped.h", "include/Trace.h"].map { folder.appending(path: $0) }
      let output = context.pluginWorkDirectoryURL.appending(path: "RecorderLibrary.swift")
      return [
        .buildCommand(
          displayName: "Compiling the recorder to preload", executable: try context.tool(named: "preload").url,
          arguments: [try context.tool(named: "clang").url.path, folder.path, output.path] + sources.map(\.path),
          inputFiles: sources + headers, outputFiles: [output])
      ]
    #else
      return []
    #endif
  }
}
