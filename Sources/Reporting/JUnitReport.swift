import Laboratory
import Measurement

/// Results as JUnit XML, which CI servers read: a test suite for each scenario, and a test case for each claim.
///
/// There is no standard for JUnit XML. The report follows the strictest schema in use, that of Ant's reports
/// (github.com/windyroad/JUnit-Schema), except for the output of a single test case, which Jenkins and GitLab show.
public enum JUnitReport {
  /// Returns the results as JUnit XML.
  ///
  /// - Parameters:
  ///   - documents: the result documents of the runs.
  ///   - strict: whether a refuted performance claim is a failure.
  public static func render(_ documents: [ResultDocument], strict: Bool) -> String {
    let suites = documents.enumerated().map { suite($0.element, id: $0.offset, strict: strict) }.joined()
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(suites)</testsuites>\n"
  }

  private static func suite(_ document: ResultDocument, id: Int, strict: Bool) -> String {
    let name = document.scenario.name
    let failures = document.claims.count { $0.verdict.isFailure(strict: strict) }
    let skipped = document.claims.count { isSkipped($0.verdict) }
    let errors = [
      failed(document.brokenTrials, "broken", "broken", "Every trial does what its pattern promises.", document),
      failed(
        document.unfinishedTrials, "unfinished", "crashed or hung", "Every trial completes that is meant to.", document),
    ].filter { !$0.isEmpty }
    let machine = document.machine
    let facts = [
      ("command", document.commandLine ?? ""), ("cpu", machine.cpu ?? "unknown"),
      ("cores", "\(machine.usedCores)"),
      ("kernel", "\(machine.os) \(machine.kernel)"), ("seed", "\(document.seed)"),
    ]
    let properties = facts.filter { !$0.1.isEmpty }.map {
      "      <property name=\"\($0)\" value=\"\(escape($1))\"/>\n"
    }
    return """
        <testsuite name="\(escape(name))" package="gcdlab" id="\(id)" hostname="localhost" \
      tests="\(document.claims.count + errors.count)" failures="\(failures)" errors="\(errors.count)" skipped="\(skipped)" \
      time="\(Quantity.fixed(document.seconds, decimals: 3))" timestamp="\(escape(String(document.started.prefix(19))))">
          <properties>
      \(properties.joined())    </properties>
      \(document.claims.map { testCase($0, of: name, strict: strict) }.joined())\(errors.joined())\
          <system-out>\(document.findings.map { escape($0.says) }.joined(separator: "\n"))</system-out>
          <system-err>\(document.warnings.map { escape($0.says) }.joined(separator: "\n"))</system-err>
        </testsuite>

      """
  }

  private static func testCase(_ claim: ClaimFacts, of name: String, strict: Bool) -> String {
    let message = escape("\(claim.verdict.rawValue): \(claim.evidenceText)")
    let body: String
    if claim.verdict.isFailure(strict: strict) {
      body = "<failure type=\"\(claim.verdict.rawValue)\" message=\"\(message)\">\(escape(claim.check))</failure>"
    } else if isSkipped(claim.verdict) {
      body = "<skipped message=\"\(message)\"/>"
    } else if claim.verdict == .refuted {
      // The test case passes, but its output contains the evidence against the claim.
      body = "<system-out>\(message)\n\(escape(claim.check))</system-out>"
    } else {
      body = ""
    }
    // The text of a claim may continue the text of the previous claim. The check makes the name unique.
    return head(name, "\(claim.says) (\(claim.check))")
      + (body.isEmpty ? "/>\n" : ">\n      \(body)\n    </testcase>\n")
  }

  /// Returns a test case with an error about failed trials; an empty string if `trials` is 0. No claim is about these
  /// trials, but the run does not pass.
  private static func failed(_ trials: Int, _ type: String, _ word: String, _ says: String, _ document: ResultDocument)
    -> String
  {
    guard trials > 0 else { return "" }
    let message = "\(trials) of \(document.runs.reduce(0) { $0 + $1.rounds }) \(word)"
    return head(document.scenario.name, says)
      + ">\n      <error type=\"\(type)\" message=\"\(message)\"/>\n    </testcase>\n"
  }

  private static func head(_ scenario: String, _ says: String) -> String {
    "    <testcase classname=\"gcdlab.\(escape(scenario))\" name=\"\(escape(says))\" time=\"0\""
  }

  private static func isSkipped(_ verdict: Verdict) -> Bool { verdict == .unavailable || verdict == .inconclusive }

  /// Returns text with XML escapes. Invisible characters, most of which XML does not allow, are written as visible
  /// text.
  private static func escape(_ text: String) -> String {
    var escaped = ""
    for scalar in text.inLine.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\u{fffe}", "\u{ffff}": escaped += scalar.writtenOut
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
