import Foundation
import PackagePlugin

/// Embeds the recorder in a target, as a library that other programs preload (`RecorderLibrary`) and as an object file
/// that is linked to static programs (`RecorderObject`).
///
/// The recorder is compiled from the sources with which the lab itself records (`CDispatchSupport`). The recorder can
/// be preloaded only on Linux.
@main struct Preload: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    #if os(Linux)
      guard let recorder = target.recursiveTargetDependencies.first(where: { $0.name == "CDispatchSupport" }) else {
        return []
      }
      let folder = recorder.directoryURL
      let parts = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "Trace").path)
      let inputs =
        ["Trace.c", "Wrapped.h", "include/Trace.h", "preloaded/Preloaded.c", "preloaded/Linked.c", "preloaded/Begin.h"]
        + parts.filter { $0.hasSuffix(".h") }.sorted().map { "Trace/\($0)" }
      let files = inputs.map { folder.appending(path: $0) }
      let output = context.pluginWorkDirectoryURL.appending(path: "RecorderLibrary.swift")
      return [
        .buildCommand(
          displayName: "Compiling the recorder of programs", executable: try context.tool(named: "preload").url,
          arguments: [try context.tool(named: "clang").url.path, folder.path, output.path] + files.map(\.path),
          inputFiles: files, outputFiles: [output])
      ]
    #else
      return []
    #endif
  }
}
