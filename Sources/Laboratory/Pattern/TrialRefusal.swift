import Platform

extension Trial {
  /// The exit status of a worker that could not read its request.
  static let badRequest: Int32 = 64

  /// Ends the process of a worker whose request is not from the lab, and prints the reason.
  static func refuse(_ reason: String) -> Never {
    try? writeAll("gcdlab worker: \(reason.inLine)\n", to: STDERR_FILENO)
    exit(badRequest)
  }
}
