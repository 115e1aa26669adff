import Platform
import Testing

/// Tests of the dependencies in Laboratory: a folder uses only the types of the folders before it.
@Suite struct DirectionTests {
  private static let folders = ["Basics", "Pattern", "Pairing", "Claims", "Input", "Plan", "Run", "Trace", "Judge"]

  private static let kinds: Set<Substring> = ["struct", "enum", "class", "protocol", "actor", "typealias"]
  private static let modifiers: Set<Substring> = ["public", "package", "final", "indirect"]

  /// Returns the code of each line without comments.
  private static func code(_ text: String) -> [Substring] {
    text.split(separator: "\n").map { line in
      line.drop { $0 == " " }.hasPrefix("//") ? "" : line[..<(line.firstRange(of: " // ")?.lowerBound ?? line.endIndex)]
    }
  }

  /// Returns the types that a file declares outside of any other type, except the private ones.
  private static func declared(in text: String) -> [String] {
    code(text).compactMap { line in
      guard line.first?.isLetter == true else { return nil }
      let words = line.split(separator: " ").drop(while: modifiers.contains)
      guard let kind = words.first, kinds.contains(kind), let name = words.dropFirst().first else { return nil }
      return String(name.prefix { $0.isLetter || $0.isNumber })
    }
  }

  /// Returns the words of a file's code.
  private static func words(in text: String) -> Set<String> {
    Set(code(text).flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }.map(String.init))
  }

  /// Returns the uses of types from later folders. The files contain their folder's position in the order.
  private static func arrowsBack(_ files: [(folder: Int, name: String, text: String)]) -> [String] {
    var places: [String: Int] = [:]
    for file in files { for type in declared(in: file.text) { places[type] = file.folder } }
    return files.flatMap { file in
      words(in: file.text).sorted().compactMap { word in
        guard let place = places[word], place > file.folder else { return nil }
        return "\(file.name) uses \(word)"
      }
    }
  }

  @Test func `no folder of Laboratory uses a type from a later folder`() throws {
    let root = CommentTests.root + "/Sources/Laboratory"
    #expect(try #require(namesInDirectory(root)).sorted() == Self.folders.sorted())
    let files = try Self.folders.enumerated().flatMap { number, folder in
      try CommentTests.files("\(root)/\(folder)").map { path in
        (folder: number, name: String(path.dropFirst(root.count + 1)), text: try #require(readFile(path)))
      }
    }
    #expect(files.count > 60)
    #expect(Self.arrowsBack(files) == [])
  }

  @Test func `a use of a type from a later folder is found in code and ignored in comments`() {
    let plan = """
      /// Results are judged later.
      public struct Plan {
        let judge: Judge  // a Verdict follows
      }
      """
    let judge = """
      public final class Judge { let plan: Plan }
      indirect enum Verdict { case held }
      private struct Plan {}
      """
    #expect(Self.arrowsBack([(0, "Plan.swift", plan), (1, "Judge.swift", judge)]) == ["Plan.swift uses Judge"])
  }
}
