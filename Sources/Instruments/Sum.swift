extension Sequence {
  /// Returns the sum of `count` over all elements.
  public func sum(of count: (Element) throws -> Int) rethrows -> Int { try reduce(0) { $0 + (try count($1)) } }
}
