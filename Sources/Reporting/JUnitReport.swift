import Laboratory
import Measurement

/// Results as JUnit XML, which CI servers read: a test suite a scenario, a test case a claim.
///
/// There is no standard; this keeps to the strictest schema in use, that of Ant's reports
/// (github.com/windyroad/JUnit-Schema).
public enum JUnitReport {
  /// The document; with `strict` a refuted performance claim is a failure too.
  public static func render(_ results: [Results], strict: Bool) -> String {
    let suites = results.enumerated().map { suite($0.element, id: $0.offset, strict: strict) }.joined()
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(suites)</testsuites>\n"
  }

  private static func suite(_ results: Results, id: Int, strict: Bool) -> String {
    let name = results.experiment.name
    let failures = results.judgements.count { $0.verdict.isFailure(strict: strict) }
    let skipped = results.judgements.count { isSkipped($0.verdict) }
    let cases = results.judgements.map { judgement in
      let head =
        "    <testcase classname=\"gcdlab.\(escape(name))\" name=\"\(escape(judgement.claim.says))\" time=\"0\""
      let message = escape("\(judgement.verdict.rawValue): \(judgement.evidenceText)")
      if judgement.verdict.isFailure(strict: strict) {
        return head
          + ">\n      <failure type=\"\(judgement.verdict.rawValue)\" message=\"\(message)\">\(escape(judgement.claim.check.text))</failure>\n    </testcase>\n"
      }
      if isSkipped(judgement.verdict) { return head + ">\n      <skipped message=\"\(message)\"/>\n    </testcase>\n" }
      return head + "/>\n"
    }
    let machine = results.machine
    let facts = [
      ("cpu", machine.cpu ?? "unknown"), ("cores", "\(machine.cores)"), ("kernel", "\(machine.os) \(machine.kernel)"),
      ("seed", "\(results.seed)"),
    ]
    let properties = facts.map { "      <property name=\"\($0)\" value=\"\(escape($1))\"/>\n" }.joined()
    return """
        <testsuite name="\(escape(name))" package="gcdlab" id="\(id)" hostname="localhost" \
      tests="\(results.judgements.count)" failures="\(failures)" errors="0" skipped="\(skipped)" \
      time="\(Quantity.fixed(results.seconds, decimals: 3))" timestamp="\(escape(String(results.started.prefix(19))))">
          <properties>
      \(properties)    </properties>
      \(cases.joined())    <system-out>\(escape(results.findings.map(\.says).joined(separator: "\n")))</system-out>
          <system-err>\(escape(results.warnings.map(\.says).joined(separator: "\n")))</system-err>
        </testsuite>

      """
  }

  private static func isSkipped(_ verdict: Verdict) -> Bool { verdict == .unavailable || verdict == .inconclusive }

  private static func escape(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").filter {
        $0 == "\n" || !($0.unicodeScalars.first.map { $0.value < 0x20 } ?? false)
      }
  }
}
