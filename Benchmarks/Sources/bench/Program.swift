#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The reason why a figure could not be measured.
struct Failure: Error {
  let reason: String
  /// Whether the machine is the reason: a program is not installed, or an operation is not allowed. Any other reason is
  /// a defect of the project.
  var isOfTheMachine = false
}

/// A program whose output is read.
struct Program {
  let path: String

  /// Whether the program exists and can be executed.
  var exists: Bool { access(path, X_OK) == 0 }

  /// Returns whether a command of this name is in one of the folders of PATH.
  static func isInstalled(_ name: String) -> Bool {
    let folders = getenv("PATH").map { String(cString: $0) } ?? ""
    return folders.split(separator: ":").contains { Program(path: "\($0)/\(name)").exists }
  }

  /// Runs the program until it ends, and returns its standard output.
  ///
  /// - Throws: ``Failure`` if the program cannot be started, or ends with a status other than 0.
  func run(_ arguments: [String]) throws -> String {
    guard exists else { throw Failure(reason: "\(path) does not exist or cannot be executed") }
    let command = ([path] + arguments).map(Self.quoted).joined(separator: " ")
    guard let pipe = popen(command, "r") else { throw Failure(reason: "\(path) cannot be started") }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer[..<count] }
    let status = pclose(pipe)
    guard status == 0 else { throw Failure(reason: "\(path) ended with status \(status >> 8 & 0xff)") }
    return String(decoding: output, as: UTF8.self)
  }

  /// Runs a counterpart, which prints lines of the form `name value`. Returns the median of each name's values.
  func figures(_ arguments: [String]) throws -> [String: Double] { Self.figures(try run(arguments)) }

  /// Returns the median of each name's values in lines of the form `name value`. Other lines are ignored.
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
  /// The median; the lower of the two middle values if their number is even; nil if the array is empty.
  var median: Double? { isEmpty ? nil : sorted()[(count - 1) / 2] }
}
