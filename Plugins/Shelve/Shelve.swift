import Foundation
import PackagePlugin

/// Puts a target's scenarios and the sources of its patterns into its binary, as text: `Shelf.files`.
///
/// The plugin takes every `.yml` and `.swift` file of the target's folder, the files of a folder `scenarios` in it,
/// which may be a link (the target excludes it), and those of the instruments. A link in the target makes SwiftPM
/// notice new files, so nothing has to be listed. A string literal compiles in a hundredth of the time that
/// `.embedInCode` takes for the same text.
@main struct Shelve: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    // Sources that lessons name besides their own: the instruments, the stand-ins for missing system features in this
    // system's version, and the trial.
    let named = ["FileMonitor", "MachPort", "MainThread", "ProcessMonitor", "Trial.swift"]
    let shared = target.recursiveTargetDependencies.filter {
      ["Instruments", "Platform", "Laboratory"].contains($0.name)
    }
    let folders =
      [target.directoryURL.appending(path: "scenarios"), target.directoryURL] + shared.map(\.directoryURL)
    let found = folders.flatMap { folder -> [String] in
      // The enumeration does not follow a link to a folder by itself.
      let all = FileManager.default.enumerator(at: folder.resolvingSymlinksInPath(), includingPropertiesForKeys: nil)
      let urls = all.map { $0.compactMap { ($0 as? URL)?.resolvingSymlinksInPath() } } ?? []
      #if os(Linux)
        let other = "+Darwin"
      #else
        let other = "+Linux"
      #endif
      return urls.filter { url in
        guard ["yml", "swift"].contains(url.pathExtension), !url.path.contains(other) else { return false }
        let isWhole = !["/Sources/Platform/", "/Sources/Laboratory/"].contains { url.path.contains($0) }
        return isWhole || named.contains { url.lastPathComponent.hasPrefix($0) }
      }.map(\.path)
    }
    let files = Set(found).sorted().map { URL(filePath: $0) }
    let output = context.pluginWorkDirectoryURL.appending(path: "Shelf.swift")
    return [
      .buildCommand(
        displayName: "Shelving \(files.count) files", executable: try context.tool(named: "shelve").url,
        arguments: [output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
    ]
  }
}
