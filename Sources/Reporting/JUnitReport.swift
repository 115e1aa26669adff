import Laboratory

/// Results as JUnit XML, which CI servers read: a test suite a scenario, a test case a claim.
public enum JUnitReport {
  /// The document; with `strict` a refuted performance claim is a failure too.
  public static func render(_ results: [Results], strict: Bool) -> String {
    let suites = results.map { suite($0, strict: strict) }.joined()
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gcdlab\">\n\(suites)</testsuites>\n"
  }

  private static func suite(_ results: Results, strict: Bool) -> String {
    let name = results.experiment.name
    let failures = results.judgements.count { $0.verdict.isFailure(strict: strict) }
    let skipped = results.judgements.count { isSkipped($0.verdict) }
    let cases = results.judgements.map { judgement in
      let head =
        "    <testcase classname=\"gcdlab.\(escape(name))\" name=\"\(escape(judgement.claim.says))\" time=\"0\""
      let message = escape("\(judgement.verdict.rawValue): \(judgement.evidenceText)")
      if judgement.verdict.isFailure(strict: strict) {
        return head
          + ">\n      <failure message=\"\(message)\">\(escape(judgement.claim.check.text))</failure>\n    </testcase>\n"
      }
      if isSkipped(judgement.verdict) { return head + ">\n      <skipped message=\"\(message)\"/>\n    </testcase>\n" }
      return head + "/>\n"
    }
    return """
        <testsuite name="\(escape(name))" tests="\(results.judgements.count)" failures="\(failures)" errors="0" \
      skipped="\(skipped)" time="\(Int(results.seconds.rounded(.up)))" timestamp="\(escape(String(results.started.prefix(19))))">
      \(cases.joined())  </testsuite>

      """
  }

  private static func isSkipped(_ verdict: Verdict) -> Bool { verdict == .unavailable || verdict == .inconclusive }

  private static func escape(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").filter { !($0.unicodeScalars.first.map { $0.value < 0x20 } ?? false) }
  }
}
