import Laboratory
import Platform
import Reporting

/// The greeting of the lab without arguments: what to do first, and what the last runs found.
enum Greeting {
  static func show() throws {
    let color = try ColorOptions.parse([])
    let names = Lab.library.names
    let documents = try Lab.library.documents() != nil
    let found = Archive.ofUser.map { Finding.strongest($0.verdicts(on: .unmeasured())) } ?? nil
    try color.print { style in
      let list = ("list", "\(names.count) scenario\(names.count == 1 ? "" : "s")")
      let first = ("scenario \(Lab.example)", "run one: a few seconds")
      let third =
        documents
        ? ("documents", "every sentence under test, and its verdict")
        : ("explain \(Lab.example) --code", "its lesson and the code that runs")
      let about = Root.configuration.abstract.wrapped(to: max(20, style.width)).joined(separator: "\n")
      let greeting = about + "\n\n" + commandList([first, list, third]) + "\n"
      let finding = found.map { "\nThe strongest finding of the last runs on this machine:\n\($0.text(style))" } ?? ""
      return greeting + finding + "\n\(Tool.command) help has all commands.\n"
    }
  }
}
