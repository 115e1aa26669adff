#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why a figure could not be measured.
struct Failure: Error {
  let reason: String
  /// Whether that is the machine's doing: something is not installed, or not allowed. Anything else is a defect of ours.
  var isOfTheMachine = false
}

/// A program to run for its output.
struct Program {
  let path: String

  /// Whether there is such a program.
  var exists: Bool { access(path, X_OK) == 0 }

  /// Whether a command of this name is in one of the folders of PATH.
  static func isInstalled(_ name: String) -> Bool {
    let folders = getenv("PATH").map { String(cString: $0) } ?? ""
    return folders.split(separator: ":").contains { Program(path: "\($0)/\(name)").exists }
  }

  /// Runs it to its end and returns what it printed.
  func run(_ arguments: [String]) throws -> String {
    guard exists else { throw Failure(reason: "\(path) is not there") }
    let command = ([path] + arguments).map(Self.quoted).joined(separator: " ")
    guard let pipe = popen(command, "r") else { throw Failure(reason: "\(path) cannot be started") }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer[..<count] }
    let status = pclose(pipe)
    guard status == 0 else { throw Failure(reason: "\(path) ended with status \(status >> 8 & 0xff)") }
    return String(decoding: output, as: UTF8.self)
  }

  /// Runs a counterpart, which prints `name value` lines, and returns the median of each name's values.
  func figures(_ arguments: [String]) throws -> [String: Double] { Self.figures(try run(arguments)) }

  /// The median of each name's values in `name value` lines; other lines mean nothing.
  static func figures(_ output: String) -> [String: Double] {
    var values: [String: [Double]] = [:]
    for line in output.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, let value = Double(words[1]) { values[String(words[0]), default: []].append(value) }
    }
    return values.compactMapValues(\.median)
  }

  private static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}

extension [Double] {
  /// The middle value; of an even number, the lower of the two. Nil of none.
  var median: Double? { isEmpty ? nil : sorted()[(count - 1) / 2] }
}
