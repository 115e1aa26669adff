import ArgumentParser
import Laboratory
import Platform
import Reporting

struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Create a package for a lab of your own: a pattern, its scenario and a test.",
    discussion: """
      The package is a folder NAME in the working directory. It builds and runs without changes: `swift run NAME smoke`, \
      `swift run NAME explore NAME`, `swift test`. The package depends on the package gcdlab at the place that --lab names: \
      a folder, or the address of a repository with the released version.

      \(examples(
        ("new my-queue --lab ../gcdlab", "depends on a clone"),
        ("new my-queue --lab https://example.org/gcdlab", "on a release"),
        ("new locks --lab .", "in this clone")))
      """)

  @Argument(help: "The name of the package and its pattern: lowercase words with '-' between them.")
  var name: String

  @Option(
    help: ArgumentHelp("The folder of the package gcdlab, or the address of its repository.", valueName: "place"),
    completion: .directory)
  var lab: String

  func run() throws {
    let template = try PackageTemplate(name, dependency: try dependency())
    guard mkdir(name, 0o755) == 0 else { throw InputError("cannot make \(name): \(String(cString: strerror(errno)))") }
    let paths = (template.files.map(\.path) + [template.link.path]).map { "\(name)/\($0)" }
    do { try write(template) } catch {
      remove(paths)
      throw error
    }
    let files = paths.map { "  \($0)" }.joined(separator: "\n")
    try writeAll(
      "\(files)\n\nNow: cd \(name) && swift run \(name) smoke && swift run \(name) explore \(name) && swift test\n",
      to: STDOUT_FILENO)
  }

  private func write(_ template: PackageTemplate) throws {
    for (path, text) in template.files {
      let folder = "\(name)/\(path)".split(separator: "/").dropLast().joined(separator: "/")
      try makeDirectories(folder, mode: 0o755)
      try OutputFile("\(name)/\(path)").write(text)
    }
    guard symlink(template.link.destination, "\(name)/\(template.link.path)") == 0 else {
      throw SystemError(errno, "make \(name)/\(template.link.path)")
    }
  }

  /// Removes the files at some paths, and the directories that contain no other files.
  private func remove(_ paths: [String]) {
    for path in paths {
      unlink(path)
      var parts = path.split(separator: "/").dropLast()
      while !parts.isEmpty, rmdir(parts.joined(separator: "/")) == 0 { parts.removeLast() }
    }
  }

  /// Returns the line of a package manifest that declares the dependency on this lab's package.
  ///
  /// - Throws: ``InputError`` if the value of `--lab` is neither a folder of the package nor an address.
  private func dependency() throws(InputError) -> String {
    guard !lab.contains("\""), !lab.contains("\\") else {
      throw InputError(
        "found '\(lab)', expected a folder or an address without quotation marks and backslashes", at: "--lab")
    }
    if lab.contains("://") || lab.hasPrefix("git@") { return ".package(url: \"\(lab)\", from: \"\(Tool.version)\")" }
    guard readFile(lab + "/Package.swift")?.contains("name: \"gcdlab\"") == true else {
      throw InputError("\(lab) is neither a folder of the package gcdlab nor an address", at: "--lab")
    }
    guard let absolute = realpath(lab, nil) else { throw InputError("cannot find \(lab)", at: "--lab") }
    defer { free(absolute) }
    return ".package(name: \"gcdlab\", path: \"\(String(cString: absolute))\")"
  }
}
