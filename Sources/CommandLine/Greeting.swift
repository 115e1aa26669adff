import Laboratory
import Measurement
import Platform
import Reporting

/// The text that the lab prints if it is started without arguments: the first commands for a new user, and the results
/// of the last runs.
enum Greeting {
  static func show() throws {
    let color = try ColorOptions.parse([])
    let names = Lab.library.names
    let documents = try Lab.library.documents()
    let runs = Archive.ofUser?.verdicts(on: .unmeasured()) ?? []
    let standings =
      try runs.isEmpty ? nil : documents.map { try DocumentsCommand.indexOfLastRuns($0, runs, only: []).summary }
    let found = StrikingClaim.strongest(runs, by: documents)
    try color.print { style in
      let list = ("list", "\(names.count.counted("scenario"))")
      let first = ("scenario \(Lab.example)", "run one: a few seconds")
      let third =
        documents != nil
        ? ("documents", "every sentence under test, and its verdict")
        : ("explain \(Lab.example) --code", "its lesson and the code that runs")
      let further = [
        ("compare \(Lab.exampleSweep)", "find the best setting"),
        ("explore \(Lab.example)", "try every order of its steps"),
        ("trace -- ./program", "record a program of your own"),
      ]
      let commands = DescriptionList.list(
        ([first, list, third] + further).map { ("\(Tool.command) \($0.0)", $0.1) }, style)
      let last = "The last runs on this machine"
      let parts = [
        style.paragraph(Root.configuration.abstract), commands,
        standings.map { style.paragraph("\(last), \($0)") },
        found.map {
          style.paragraph(standings == nil ? "\(last) found most clearly:" : "Most clearly:") + $0.text(style)
        },
        style.paragraph("\(Tool.command) help has all commands."),
      ]
      return parts.compactMap(\.self).joined(separator: "\n")
    }
  }
}
