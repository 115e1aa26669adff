import Foundation
import PackagePlugin

/// Embeds a target's scenarios and the sources of its patterns in the binary as text: `Shelf.files`.
///
/// The plugin takes every `.yml` and `.swift` file of the target's folder and of its folder `scenarios`, and the files
/// of the instruments. The folder `scenarios` may be a link, and the target excludes this folder. Since the link is in
/// the target, SwiftPM notices new files, and no file has to be listed. A string literal compiles in a hundredth of the
/// time that `.embedInCode` takes for the same text.
@main struct Shelve: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    // Other sources that lessons name: the instruments, the replacements of system features that are missing in this
    // system's version, and the trial.
    let named = ["FileMonitor", "MachPort", "MainThread", "ProcessMonitor", "Trial.swift"]
    let shared = target.recursiveTargetDependencies.filter {
      ["Instruments", "Platform", "Laboratory"].contains($0.name)
    }
    let folders =
      [target.directoryURL.appending(path: "scenarios"), target.directoryURL] + shared.map(\.directoryURL)
    let found = folders.flatMap { folder -> [String] in
      // The enumerator does not follow a link to a folder.
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
