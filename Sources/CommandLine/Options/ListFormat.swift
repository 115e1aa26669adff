import ArgumentParser

/// The forms in which `list` and `documents` print. Commands that print runs, diffs or atlases use ``PrintFormat``.
enum ListFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, markdown

  init?(argument: String) { self.init(rawValue: argument == "md" ? "markdown" : argument) }
}
