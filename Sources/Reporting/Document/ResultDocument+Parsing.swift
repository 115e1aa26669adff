import FoundationEssentials
import Laboratory
import Platform

extension ResultDocument {
  /// A default run's document has less than 1 MB; what has more than this is something else.
  private static let largestFile = 64 << 20

  /// Reads the documents in a file: one, or an array of them.
  ///
  /// - Throws: ``InputError`` when the file cannot be read, is not JSON, has another schema, or says what no run can have
  ///   given; with the path of the value in the document.
  public static func read(_ path: String) throws(InputError) -> [ResultDocument] {
    let bytes: [UInt8]
    do { bytes = try readBytes(path, atMost: largestFile) } catch { throw InputError(error.description) }
    guard bytes.count <= largestFile else { throw InputError("larger than 64 MiB: not a result document", at: path) }
    return try parse(bytes, place: path)
  }

  /// Reads the documents in the bytes of a file that errors call `place`.
  ///
  /// - Throws: ``InputError``, as ``read(_:)`` does.
  public static func parse(_ bytes: [UInt8], place: String) throws(InputError) -> [ResultDocument] {
    do {
      let end = bytes.last { !" \t\r\n".utf8.contains($0) }
      guard end == UInt8(ascii: "}") || end == UInt8(ascii: "]") else {
        throw InputError("not JSON, or cut off: it does not end with '}' or ']'", at: place)
      }
      let isArray = bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "[")
      let data = Data(bytes)
      let documents: [ResultDocument]
      do {
        documents = try isArray ? decode([ResultDocument].self, data) : [decode(ResultDocument.self, data)]
      } catch {
        // Of another schema, any other complaint would mislead.
        try refuseOtherSchemas(isArray ? decode([Header].self, data) : [decode(Header.self, data)], place)
        throw error
      }
      try refuseOtherSchemas(documents.map { Header(schema: $0.schema) }, place)
      guard !documents.isEmpty else { throw InputError("an empty list of result documents", at: place) }
      for document in documents { try document.validate() }
      return documents
    } catch let error as InputError { throw error.at(place) } catch { throw InputError("\(error)", at: place) }
  }

  private struct Header: Decodable { let schema: String? }

  private static func refuseOtherSchemas(_ headers: [Header], _ place: String) throws(InputError) {
    for header in headers where header.schema != schema {
      let found = header.schema.map { "schema '\($0)'" } ?? "no schema"
      throw InputError("\(found), expected '\(schema)': not a result document of this lab", at: place)
    }
  }

  private static func decode<T: Decodable>(_ type: T.Type, _ data: Data) throws -> T {
    do { return try JSONDecoder().decode(type, from: data) } catch let error as DecodingError { throw explain(error) }
  }

  /// What is wrong, with the path of the value: `runs[3].metrics.elapsed.p50: expected Double`.
  private static func explain(_ error: DecodingError) -> InputError {
    let context: DecodingError.Context
    let problem: String
    switch error {
    case .keyNotFound(let key, let found): (context, problem) = (found, "'\(key.stringValue)' is missing")
    case .typeMismatch(_, let found), .valueNotFound(_, let found): (context, problem) = (found, found.debugDescription)
    case .dataCorrupted(let found):
      // Without a path the text itself cannot be read.
      (context, problem) = (found, (found.codingPath.isEmpty ? "not JSON: " : "") + found.debugDescription)
    @unknown default: return InputError("\(error)")
    }
    var path = ""
    for key in context.codingPath {
      path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
    }
    return InputError((path.isEmpty ? "" : path + ": ") + problem)
  }

  /// Checks what the types do not say.
  private func validate() throws(InputError) {
    let facts = [
      ("seconds", seconds), ("machine.clockRead", machine.clockRead), ("machine.floor", machine.floor),
      ("machine.work.stepsPerMicrosecond", machine.work.stepsPerMicrosecond),
    ]
    for (name, value) in facts where !(0...1e15).contains(value) {
      throw InputError("\(name): found \(value), allowed is 0 to 1e15")
    }
    let parameters = Set(scenario.parameters.filter { $0.swept?.isEmpty == false }.map(\.name))
    for name in scenario.sweep where !parameters.contains(name) {
      throw InputError("scenario.sweep: '\(name)' is no swept parameter")
    }
    let variants = Set(scenario.variants.map(\.name))
    let metrics = Set(scenario.metrics.map(\.name))
    for (index, run) in runs.enumerated() {
      let place = "runs[\(index)]"
      guard variants.contains(run.variant) else {
        throw InputError("\(place).variant: '\(run.variant)' is none of them")
      }
      if let name = run.point.keys.sorted().first(where: { !scenario.sweep.contains($0) }) {
        throw InputError("\(place).point: '\(name)' is not swept")
      }
      let counts = [("rounds", run.rounds)] + run.outcomes.map { ("outcomes.\($0.key)", $0.value) }
      for (name, count) in counts where !(0...1_000_000).contains(count) {
        throw InputError("\(place).\(name): found \(count), allowed is 0 to 1000000")
      }
      for (name, samples) in run.metrics {
        guard metrics.contains(name) else { throw InputError("\(place).metrics: '\(name)' is no metric") }
        try samples.validate("\(place).metrics.\(name)")
      }
    }
  }
}

extension SampleFacts {
  fileprivate func validate(_ place: String) throws(InputError) {
    guard count > 0 else { throw InputError("\(place).count: found \(count), allowed is 1 or more") }
    guard let first = histogram.first else { throw InputError("\(place).histogram: it is empty") }
    // Each count is limited, but many of them could be more than a number holds.
    var (last, total) = (first.value.value, 0.0)
    for pair in histogram {
      guard pair.value.value >= last else { throw InputError("\(place).histogram: the values do not ascend") }
      last = pair.value.value
      total += Double(pair.count)
    }
    guard total <= 1e18 else { throw InputError("\(place).histogram: found \(total) samples, allowed is 1e18") }
    var round = 0
    for figure in rounds {
      guard figure.round > round else { throw InputError("\(place).rounds: they do not ascend from 1") }
      round = figure.round
    }
  }
}
