import Platform
import Testing

/// Tests of doc comments in the sources. A doc comment is displayed without the rest of its file in an editor and in
/// DocC.
@Suite struct CommentTests {
  static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

  /// Words that refer to a preceding sentence. The first sentence of a comment must not begin with these words.
  private static let leaning: Set<Substring> = ["It", "Both", "So", "That", "This", "They", "Nor"]

  /// Returns the doc comments that begin with a leaning word, and the comments of more than 120 columns.
  static func slips(in text: String) -> [String] {
    var slips: [String] = []
    var wasComment = false
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let code = line.drop { $0 == " " }
      if code.hasPrefix("//"), line.count > 120 { slips.append("\(number + 1): wider than 120: \(code)") }
      let isComment = code.hasPrefix("///")
      let first = code.drop { $0 == "/" || $0 == " " }.prefix { $0.isLetter }
      if isComment, !wasComment, leaning.contains(first) {
        slips.append("\(number + 1): begins with \(first): \(code)")
      }
      wasComment = isComment
    }
    return slips
  }

  @Test func `every doc comment is independent of preceding text, and no comment is too wide`() throws {
    let files = try Self.files(Self.root + "/Sources")
    #expect(files.count > 300)
    for file in files {
      let slips = Self.slips(in: try #require(readFile(file)))
      #expect(slips.isEmpty, "\(file.dropFirst(Self.root.count + 1)): \(slips.joined(separator: "\n"))")
    }
  }

  @Test func `comments that are too wide, and doc comments that refer to preceding text, are found`() {
    let text = """
      /// The block that runs.
      /// It begins when all have left.
      struct Block {
        /// It begins.
        func begins() {}
        /// Both.
        var total: Int { user + system }
        /// Iterations.
        var count: Int
        // \(String(repeating: "a", count: 120))
      }
      """
    #expect(Self.slips(in: text).map { $0.prefix { $0 != ":" } } == ["4", "6", "10"])
  }

  /// Returns the paths of the Swift files in a folder and all folders below it.
  static func files(_ folder: String) throws -> [String] {
    try #require(namesInDirectory(folder)).sorted().flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      if name.hasSuffix(".swift") { return [path] }
      return namesInDirectory(path) == nil ? [] : try files(path)
    }
  }
}
